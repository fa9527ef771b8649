"""Tokenizer-based parser for function calls in code syntax, `name(arg=1, b="x")`; nothing is evaluated."""

from __future__ import annotations

import re
from typing import Any

from sightline.scoring.parsers.json_object import JsonBuilder

Call = tuple[str, dict[str, Any]]

_START = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*+\(")
_TOKEN = re.compile(
    r"""\s*+(?:
      (?P<mark>[{}\[\],:=)])
    | (?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+')
    | (?P<number>[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?(?![\w.]))
    | (?P<word>[^\W\d]\w*+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_VALUES = {"true", "false", "null", "True", "False", "None", "NaN", "Infinity"}
_MAX_LENGTH = 100_000
_MAX_FAILURES = 1000
"""After so many matches that turn out not to be calls, the search stops."""


def parse_calls(text: str) -> list[Call]:
    """Return all function calls in a text, in order; text that only resembles a call is skipped."""
    calls: list[Call] = []
    position = failures = 0
    while failures < _MAX_FAILURES and (start := _START.search(text, position)):
        arguments, position = _parse_arguments(text, start.end())
        if arguments is None:
            failures += 1
        else:
            calls.append((start.group()[:-1], arguments))
    return calls


def _parse_arguments(text: str, position: int) -> tuple[dict[str, Any] | None, int]:
    """Parse the arguments from a position; return them and where to continue. Positional arguments are named `#1`…"""
    builder = JsonBuilder()
    builder.feed("mark", "{")
    begin, depth, unnamed, at_start = position, 0, 0, True
    end = min(len(text), begin + _MAX_LENGTH)
    while token := _TOKEN.match(text, position, end):
        kind, value = token.lastgroup or "", token.group(token.lastgroup or 0)
        after = _TOKEN.match(text, token.end(), end)
        is_named = after is not None and after.group("mark") == "="
        if depth == 0 and value == ")" and kind == "mark":
            return (builder.root, token.end()) if builder.feed("mark", "}") else (None, begin)
        if depth == 0 and at_start and not is_named:
            unnamed += 1
            if (kind == "word" and value not in _VALUES) or not builder.feed("string", f'"#{unnamed}"'):
                break
            builder.feed("mark", ":")
        if not builder.feed(*_json_token(kind, value, is_name=depth == 0 and at_start and is_named)):
            break
        at_start = depth == 0 and value == "," and kind == "mark"
        if kind == "mark":
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(value, 0)
        position = token.end()
    return None, begin


def _json_token(kind: str, value: str, is_name: bool) -> tuple[str, str]:
    """Convert a token to its JSON form: `=` becomes a colon, and a bare word that is not a literal becomes a string."""
    if kind == "mark":
        return kind, ":" if value == "=" else value
    if kind == "word" and not is_name and value not in _VALUES:
        return "string", f'"{value}"'
    return kind, value
