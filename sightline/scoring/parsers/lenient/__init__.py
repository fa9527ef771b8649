"""Lenient reading: replies that deviate from the asked form are rewritten into it, and then parsed as all others are.

Nothing here sees a truth. A reply that could mean several things is left unread.
"""
