"""Extraction of a JSON object from a reply: the last complete object of the most trustworthy kind of block."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from sightline.core.records import Parsed, Unparsed
from sightline.scoring.parsers.loose_json import LooseJsonScanner, ScanLimitError, ScannedObject
from sightline.scoring.parsers.thinking import without_thinking

_TAGS = re.compile(r"<(/?)json>", re.IGNORECASE)
_BOXES = re.compile(r"<\|(?:begin|(end))_of_box\|>")
_FENCES = re.compile(r"```+([A-Za-z0-9_+-]*)")


def read_json_object(text: str) -> Parsed | Unparsed:
    """The object and the rule that found it: `json tags`, `box`, `fence` or `braces`; `, mended` where it was no JSON.

    Thinking goes first. Then what stands in `<json>` tags is trusted before boxes, boxes before code fences, and these
    before bare braces; within each the last complete object wins. NaN and Infinity are kept, for the reader to refuse.
    """
    reply = without_thinking(text)
    scanner = LooseJsonScanner(reply)
    candidates = {
        "json tags": _between(_TAGS, reply),
        "box": _between(_BOXES, reply),
        "fence": _fenced(reply),
        "braces": iter([(0, len(reply))]),
    }
    try:
        for rule, spans in candidates.items():
            found = None
            for begin, end in spans:
                latest = _strict(reply[begin:end].strip()) or scanner.last_object(begin, end)
                # an empty object never replaces a non-empty one
                found = latest if latest and (latest.value or found is None) else found
            if found:
                return Parsed(found.value, f"{rule}, mended" if found.repaired else rule)
    except ScanLimitError:
        return Unparsed("the reply holds too much that looks like JSON")
    if scanner.broken:
        return Unparsed("the JSON object is broken or cut off")
    return Unparsed("no JSON object")


def _strict(text: str) -> ScannedObject | None:
    """Decode text that is exactly one valid JSON object, without scanning."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    return ScannedObject(value, repaired=False)


def _between(tags: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Spans from each opening tag to the next tag of either kind, or to the end."""
    begin = None
    for tag in tags.finditer(text):
        if begin is not None and begin < tag.start():
            yield begin, tag.start()
        begin = None if tag.group(1) else tag.end()
    if begin is not None:
        yield begin, len(text)


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """Spans between code fences. A fence with a language always opens; an unclosed one extends to the end."""
    begin = None
    for fence in _FENCES.finditer(text):
        if begin is not None and begin < fence.start():
            yield begin, fence.start()
        begin = fence.end() if begin is None or fence.group(1) else None
    if begin is not None:
        yield begin, len(text)
