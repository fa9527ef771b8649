"""Text of unknown origin made safe for terminals and text logs: no escape sequences, control or bidi characters."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_].*?(?:\x1b\\|\x07|$)|[@-Z\\-_]?)", re.DOTALL)
"""ANSI escape sequences: CSI, then OSC and other strings to their end, then two-byte ones."""
_UNSAFE = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufeff"
    "\\U000e0000-\\U000e007f]"
)
"""C0 but for tab and line feed, DEL, C1, marks and overrides of direction, line separators, surrogates, tags."""


def printable(text: str, longest: int = 0, keep_lines: bool = False) -> str:
    """Text as one printable line: no escape sequences or control characters; truncated to `longest` characters.

    With `keep_lines`, line feeds and all spaces stay, and the length does: for sentences of our own.
    """
    if keep_lines:
        return _UNSAFE.sub(" ", _ESCAPE.sub(" ", text)) if _UNSAFE.search(text) else text
    if text.isprintable():  # of white space, that is the space alone
        line = " ".join(text.split()) if "  " in text or text[:1] == " " or text[-1:] == " " else text
    else:
        plain = _ESCAPE.sub(" ", text[: 20 * longest] if longest else text)
        line = " ".join("".join(letter if letter.isprintable() else " " for letter in plain).split())
    return line if not longest or len(line) <= longest else line[: longest - 1] + "…"


def printable_json(text: str) -> str:
    """JSON text with control and bidi characters escaped."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}" if ord(found[0]) < 0x10000 else "", text)
