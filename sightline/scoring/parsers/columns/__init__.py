"""Parsers over columns of texts: numbers, words, labels, indices, shapes, captions.

All are strict on the value and forgiving on white space, case and full-width signs; thinking blocks go first. None
raises whatever the bytes, and none takes longer than in proportion to the text. Importing a parser imports Numba.
"""
