"""All JSON objects and lists of a reply, in their order; `scoring.parsers` reads the one object that is an answer."""

from __future__ import annotations

import json
import re
from typing import Any

from sightline.core.records import Parsed
from sightline.scoring.parsers.json_object import read_json_object

_START = re.compile(r"[\[{](?=\s*+[\[{}\]\"\d-])")
_LIST = re.compile(r"\[(?=\s*+[\[{'\"\]])")
_FAILURES = 64
"""Places that look like JSON and are none, before what was found is all."""
_DECODER = json.JSONDecoder()


def json_values(text: str) -> list[Any]:
    """Every outermost object and list of strict JSON."""
    found: list[Any] = []
    place = failures = 0
    while failures < _FAILURES and (start := _START.search(text, place)):
        try:
            value, place = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            place, failures = start.end(), failures + 1
            continue
        found.append(value)
    return found


def mended_values(text: str) -> list[Any]:
    """The list or object that a text holds, where it was only meant to be JSON.

    A list is read as the only member of an object, since only objects can be mended.
    """
    opening, end, brace = _LIST.search(text), text.rfind("]"), text.find("{")
    if opening and opening.start() < end and (brace < 0 or opening.start() < brace):
        whole = read_json_object(f'{{"list": {text[opening.start() : end + 1]}}}')
        if isinstance(whole, Parsed) and set(whole.value) == {"list"}:
            return [whole.value["list"]]
    one = read_json_object(text)
    return [one.value] if isinstance(one, Parsed) else []
