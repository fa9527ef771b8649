"""Untrusted text on a page: truncation, hidden characters made visible, indented JSON."""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

MAX_CHARACTERS = 200_000
"""Characters of one text that a page shows; the rest is a download."""

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
"""Controls, signs that turn the direction of writing, signs without width, halves of characters."""


class Clip(Struct, frozen=True):
    """The beginning of a text, and how long the whole is."""

    text: str
    size: int

    @property
    def is_truncated(self) -> bool:
        """Whether the text is truncated."""
        return self.size > len(self.text)


def clip(text: str, most: int = MAX_CHARACTERS) -> Clip:
    """The text, truncated to `most` characters."""
    return Clip(text[:most], len(text))


def show_hidden(value: Any) -> Any:
    """Text in which controls and direction marks are shown instead of obeyed; markup and numbers stay as they are."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return _HIDDEN.sub(_visible_form, value.replace("\r\n", "\n"))
    return value


def _visible_form(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"\u27e8U+{code:04X}\u27e9"


def pretty_json(text: str) -> str:
    """JSON, with or without words around it, one entry per line; any other text unchanged."""
    first, last = text.find("{"), text.rfind("}")
    if len(text) > MAX_CHARACTERS or not 0 <= first < last:
        return text
    try:
        return _indent_json(json.loads(text[first : last + 1]), "")
    except (ValueError, RecursionError):
        return text


def _indent_json(value: Any, indent: str) -> str:
    """Keys and entries on lines of their own, as long as they hold lists or objects; the rest in one line."""
    deep = indent + "  "
    if isinstance(value, dict) and any(isinstance(inner, dict | list) and inner for inner in value.values()):
        lines = [f"{deep}{_dump_json(str(key))}: {_indent_json(inner, deep)}" for key, inner in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        lines = [f"{deep}{_dump_json(inner)}" for inner in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return _dump_json(value)


def _dump_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
