"""Cells that a spreadsheet takes as text, whatever they say: a reply is no formula."""

from __future__ import annotations

from sightline.i18n.printable import printable

_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""What a formula begins with."""


def inert(text: str) -> str:
    """A text that a spreadsheet would take for a formula is quoted."""
    text = printable(text, keep_lines=True)
    return f"'{text}" if text.startswith(_SIGNS) else text


def inert_column(name: str) -> str:
    """The same for a column of texts, in SQL."""
    signs = ", ".join(f"chr({ord(sign)})" for sign in _SIGNS)
    return f'CASE WHEN substr("{name}", 1, 1) IN ({signs}) THEN \'\'\'\' || "{name}" ELSE "{name}" END AS "{name}"'
