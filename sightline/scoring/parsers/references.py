"""Truths with several references: a JSON list of texts as `gt`, which only captions take."""

from __future__ import annotations

import re

import msgspec
import numpy as np

from sightline.data.columns import ParsedColumn, TextColumn, make_references
from sightline.scoring.parsers.base import ColumnParser

NOT_FOR_THIS_TASK = "a list of texts: only captions have several references"
NOT_TEXTS = "a list of references must have texts only, at least one that is not blank"
_BRACKET = ord("[")
_may_be_texts = re.compile(r'\[\s*(?:"|\])').match


def format_target(target: object) -> str:
    """A truth as annotation files have it: a list as JSON, anything else as its text."""
    return msgspec.json.encode(target).decode() if isinstance(target, list | tuple) else str(target)


def split_target(target: str) -> list[str]:
    """The references of a caption's truth, the text itself where it is one."""
    return _find_lists(TextColumn.of([target])).get(0) or [target]


def add_references(parsed: ParsedColumn, parser: ColumnParser, texts: TextColumn) -> ParsedColumn:
    """Parsed truths with lists of texts as references, which are invalid where the task is not about captions."""
    lists = _find_lists(texts)
    if parser.kind != "texts":  # an empty list is a set without members
        lists = {row: references for row, references in lists.items() if '"' in texts[row]}
    if not lists:
        return parsed
    reasons = (*parsed.reasons, NOT_TEXTS if parser.kind == "texts" else NOT_FOR_THIS_TASK)
    errors = parsed.errors.copy()
    errors[[row for row, references in lists.items() if not references or parser.kind != "texts"]] = len(reasons) - 1
    if parser.kind != "texts":
        return ParsedColumn(parsed.values, errors, reasons)
    errors[[row for row, references in lists.items() if references]] = 0
    values = [lists.get(row) or [text] for row, text in enumerate(parsed.values)]
    return ParsedColumn(make_references(values), errors, reasons)


def _find_lists(texts: TextColumn) -> dict[int, list[str]]:
    """The references of each text that is a JSON list of texts; empty where it is one of something else as well."""
    found = {}
    filled = np.flatnonzero(texts.stops > texts.starts)
    for row in filled[texts.data[texts.starts[filled]] == _BRACKET].tolist():
        text = texts[row]
        if _may_be_texts(text):
            try:
                values = msgspec.json.decode(text)
            except msgspec.DecodeError:
                continue  # a text that only begins like a list
            found[row] = _usable(values)
    return found


def _usable(values: object) -> list[str]:
    texts = values if isinstance(values, list) and all(isinstance(value, str) for value in values) else []
    return [text for text in texts if text.strip()]
