"""Calls written as in a program, `name(arg=1, b="x")`, read piece by piece; nothing is ever run."""

from __future__ import annotations

import re
from typing import Any

from sightline.scoring.parsers.json_builder import JsonBuilder

Call = tuple[str, dict[str, Any]]

_START = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*+\(")
_PIECE = re.compile(
    r"""\s*+(?:
      (?P<mark>[{}\[\],:=)])
    | (?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+')
    | (?P<number>[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?(?![\w.]))
    | (?P<word>[^\W\d]\w*+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_VALUES = {"true", "false", "null", "True", "False", "None", "NaN", "Infinity"}
_LONGEST = 100_000
_FAILURES = 1000
"""Places that look like a call and are none, before what was found is all."""


def written_calls(text: str) -> list[Call]:
    """All calls of a text, in their order; what only looks like one is passed over."""
    found: list[Call] = []
    place = failures = 0
    while failures < _FAILURES and (start := _START.search(text, place)):
        call, place = _arguments(text, start.end())
        if call is None:
            failures += 1
        else:
            found.append((start.group()[:-1], call))
    return found


def _arguments(text: str, place: int) -> tuple[dict[str, Any] | None, int]:
    """The arguments that begin at a place, and where to look on; one without a name is called by its number, `#1`."""
    attempt = JsonBuilder()
    attempt.feed("mark", "{")
    begin, depth, unnamed, fresh = place, 0, 0, True
    end = min(len(text), begin + _LONGEST)
    while piece := _PIECE.match(text, place, end):
        kind, sign = piece.lastgroup or "", piece.group(piece.lastgroup or 0)
        after = _PIECE.match(text, piece.end(), end)
        named = after is not None and after.group("mark") == "="
        if depth == 0 and sign == ")" and kind == "mark":
            return (attempt.root, piece.end()) if attempt.feed("mark", "}") else (None, begin)
        if depth == 0 and fresh and not named:
            unnamed += 1
            if (kind == "word" and sign not in _VALUES) or not attempt.feed("string", f'"#{unnamed}"'):
                break
            attempt.feed("mark", ":")
        if not attempt.feed(*_told(kind, sign, is_name=depth == 0 and fresh and named)):
            break
        fresh = depth == 0 and sign == "," and kind == "mark"
        if kind == "mark":
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(sign, 0)
        place = piece.end()
    return None, begin


def _told(kind: str, sign: str, is_name: bool) -> tuple[str, str]:
    """A piece as JSON has it: an equals sign is a colon, and a bare word that is no value is a text."""
    if kind == "mark":
        return kind, ":" if sign == "=" else sign
    if kind == "word" and not is_name and sign not in _VALUES:
        return "string", f'"{sign}"'
    return kind, sign
