"""Remarks: messages as templates with arguments, translated when they are shown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from sightline.i18n import tr, use_language
from sightline.i18n.printable import printable

MAX_REMARK_LENGTH, MAX_REMARK_DEPTH = 20_000, 6
"""Characters of a remark that are shown, and remarks within remarks."""
_FIELD = re.compile(r"\{([A-Za-z_]\w*)\}")


class Remark(Struct, frozen=True):
    """A message as template and arguments, which is formatted in the reader's language when it is shown.

    A field is a {name} and nothing else, so that a template from a file of somebody else's can do no harm; a field
    without argument stays as it is. An argument may be a remark itself.
    """

    text: str
    args: dict[str, Any] = {}

    def __str__(self) -> str:
        return _format_remark(self, 0)[:MAX_REMARK_LENGTH]


Explanation = str | Remark
"""A text without arguments, or a remark."""


def format_remark(remark: Explanation) -> str:
    """The text in the language in force."""
    return str(remark) if isinstance(remark, Remark) else tr(remark)


def english_text(remark: Explanation) -> str:
    """The text in English, whatever the language in force: for files that other programs read."""
    with use_language("en"):
        return format_remark(remark)


def as_remark(remark: Explanation) -> Remark:
    """A text without arguments as a remark, so that it is translated where it is an argument of another."""
    return remark if isinstance(remark, Remark) else Remark(remark)


def join_remarks(remarks: Iterable[Explanation], separator: str = "; ") -> Explanation:
    """Several remarks in a row as one."""
    parts = [as_remark(remark) for remark in remarks if remark]
    if not parts:
        return ""
    names = [f"part{number}" for number in range(len(parts))]
    return Remark(separator.join(f"{{{name}}}" for name in names), dict(zip(names, parts, strict=True)))


def _format_remark(remark: Remark, depth: int) -> str:
    """A remark as text, bounded: one from a shared folder may nest itself without end, or many times over."""
    length = 0

    def fill(field: re.Match[str]) -> str:
        nonlocal length
        if length > MAX_REMARK_LENGTH:
            return "…"
        text = _format_arg(remark.args.get(field[1], field[0]), depth)
        length += len(text)
        return text

    return _FIELD.sub(fill, tr(remark.text[:MAX_REMARK_LENGTH]))


def _format_arg(arg: Any, depth: int) -> str:
    """An argument as text; a remark that was read from a file is a mapping."""
    if isinstance(arg, dict) and arg.keys() == {"text", "args"} and isinstance(arg["args"], dict):
        arg = Remark(str(arg["text"]), arg["args"])
    if isinstance(arg, Remark):
        return _format_remark(arg, depth + 1)[:MAX_REMARK_LENGTH] if depth < MAX_REMARK_DEPTH else "…"
    return printable(str(arg)[:MAX_REMARK_LENGTH], keep_lines=True)
