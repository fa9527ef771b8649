"""Search for JSON objects and lists in a reply; `scoring.parsers` reads the single object that is an answer."""

from __future__ import annotations

import json
import re
from typing import Any

from sightline.core.records import Parsed
from sightline.scoring.parsers.json_object import read_json_object

_START = re.compile(r"[\[{](?=\s*+[\[{}\]\"\d-])")
_LIST = re.compile(r"\[(?=\s*+[\[{'\"\]])")
_MAX_FAILURES = 64
"""After so many positions that turn out not to be JSON, the search stops."""
_DECODER = json.JSONDecoder()


def find_json_values(text: str) -> list[Any]:
    """Return every outermost object and list of strict JSON, in order."""
    values: list[Any] = []
    position = failures = 0
    while failures < _MAX_FAILURES and (start := _START.search(text, position)):
        try:
            value, position = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            position, failures = start.end(), failures + 1
            continue
        values.append(value)
    return values


def repair_json_values(text: str) -> list[Any]:
    """Return the list or object in a text that is almost JSON, after repairing its syntax.

    A list is wrapped in an object, since only objects can be repaired.
    """
    opening, end, brace = _LIST.search(text), text.rfind("]"), text.find("{")
    if opening and opening.start() < end and (brace < 0 or opening.start() < brace):
        wrapped = read_json_object(f'{{"list": {text[opening.start() : end + 1]}}}')
        if isinstance(wrapped, Parsed) and set(wrapped.value) == {"list"}:
            return [wrapped.value["list"]]
    parsed = read_json_object(text)
    return [parsed.value] if isinstance(parsed, Parsed) else []
