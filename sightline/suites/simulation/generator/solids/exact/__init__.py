"""Structures with exact solutions."""
