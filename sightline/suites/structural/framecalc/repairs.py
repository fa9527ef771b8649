"""Lenient access to the fields of a FrameCalc model, number parsing, and a log of every repair.

A deviation is repaired only where a rule leaves one interpretation; otherwise `UnreadableError` gives the reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sightline.core.records import Remark
from sightline.suites.structural.framecalc.synonyms import FIELDS, lookup_synonym, normalize_word

MAX_VALUE = 1e9
"""Largest accepted number, in the units of the format; stiffnesses may be a million times larger."""

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_DECIMAL_COMMA = re.compile(r"([-+]?\d+),(\d{1,2}|\d{4,})")
_UNIT = re.compile(r"\s*(?:m|kn|kn\s*/\s*m|kn\s*[·*.]?\s*m|kn/m[2²]|m[24²⁴]|°|deg|degrees?|%)$", re.IGNORECASE)


class UnreadableError(Exception):
    """Why a model can't be read; caught by `read_model` and returned as its problem."""

    def __init__(self, problem: Remark) -> None:
        super().__init__(problem.text)
        self.problem = problem


def format_value(value: object) -> str:
    """A value shortened for quotation in a message; containers are not expanded."""
    if isinstance(value, str):
        return value if len(value) <= 40 else f"{value[:39]}…"
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    if isinstance(value, float) or (isinstance(value, int) and value.bit_length() < 100):
        return str(value)
    if isinstance(value, int):
        return f"{'-' if value < 0 else ''}10^{int(value.bit_length() * math.log10(2))}"
    return "{…}" if isinstance(value, Mapping) else "[…]" if isinstance(value, Sequence) else type(value).__name__


class RepairLog:
    """Log of repairs: each remark once, with counts for repairs that affect many entries."""

    def __init__(self) -> None:
        self._remarks: dict[str, Remark] = {}
        self._defaults: dict[str, int] = {}
        self._numbered: dict[str, int] = {}

    def record(self, remark: Remark) -> None:
        """Add a repair, unless it is already in the log."""
        self._remarks.setdefault(f"{remark.text}{remark.args}", remark)

    def count_default(self, field: str) -> None:
        """Count a link without a property."""
        self._defaults[field] = self._defaults.get(field, 0) + 1

    def count_numbered(self, what: str) -> None:
        """Count an entry whose id was generated from its position."""
        self._numbered[what] = self._numbered.get(what, 0) + 1

    def remarks(self) -> list[Remark]:
        """All of them, counts first."""
        counts = [
            Remark("{what}: {count} without an id, numbered by their order", {"what": what, "count": count})
            for what, count in self._numbered.items()
        ]
        counts += [
            Remark("links: {count} without {field}, which is taken as the standard value", {"count": n, "field": field})
            for field, n in self._defaults.items()
        ]
        return counts + list(self._remarks.values())


class Entry:
    """An object of one of the lists: its fields by lenient names, and how messages refer to it."""

    def __init__(self, raw: Mapping[str, Any], where: str, repair_log: RepairLog) -> None:
        self.raw = raw
        self.where = where
        self.repair_log = repair_log
        self._keys_by_word = {normalize_word(key): key for key in reversed(list(raw)) if isinstance(key, str)}

    def find(self, field: str, spellings: Sequence[str] | None = None) -> tuple[str, Any]:
        """The key as written, and its value; an empty key where it is absent. Null counts as absent."""
        if self.raw.get(field) is not None:
            return field, self.raw[field]
        for spelling in spellings if spellings is not None else FIELDS.get(field, (normalize_word(field),)):
            key = self._keys_by_word.get(spelling)
            if key is not None and self.raw[key] is not None:
                self.repair_log.record(
                    Remark("'{found}' read as '{meant}'", {"found": format_value(key), "meant": field})
                )
                return key, self.raw[key]
        return "", None

    def get(self, field: str, spellings: Sequence[str] | None = None) -> object:
        """The value of a field, or None."""
        return self.find(field, spellings)[1]

    def number(self, field: str, spellings: Sequence[str] | None = None, limit: float = MAX_VALUE) -> float | None:
        """The finite number of a field; None where it is absent."""
        key, value = self.find(field, spellings)
        if not key:
            return None
        number = _number(value)
        if isinstance(value, str) and number is not None:
            facts = {"where": self.where, "field": field, "value": format_value(value), "number": f"{number:g}"}
            self.repair_log.record(Remark("{where}: {field} '{value}' is text; read as {number}", facts))
        if number is None:
            facts = {"where": self.where, "field": field, "value": format_value(value)}
            raise UnreadableError(Remark("{where}: {field} '{value}' is not a number", facts))
        if not math.isfinite(number):
            raise UnreadableError(Remark("{where}: {field} is not finite", {"where": self.where, "field": field}))
        if abs(number) > limit:
            facts = {"where": self.where, "field": field, "value": format_value(value), "limit": f"{limit:g}"}
            raise UnreadableError(Remark("{where}: {field} {value} is beyond {limit}", facts))
        return number + 0.0  # no negative zero

    def required_number(self, field: str, spellings: Sequence[str] | None = None) -> float:
        """The finite number of a required field."""
        number = self.number(field, spellings)
        if number is None:
            raise UnreadableError(Remark("{where}: {field} is missing", {"where": self.where, "field": field}))
        return number

    def keyword(self, field: str, table: dict[str, str], default: str | None = None) -> str:
        """The format's keyword for a field's value; synonyms are repaired, unknown words rejected."""
        value = self.get(field)
        if isinstance(value, Mapping):
            value = value.get("kind", value.get("type"))
        if value is None and default is not None:
            return default
        if value is None:
            raise UnreadableError(Remark("{where}: {field} is missing", {"where": self.where, "field": field}))
        meant = lookup_synonym(value, table) if isinstance(value, str) else None
        if meant is None:
            facts = {"where": self.where, "field": field, "value": format_value(value)}
            raise UnreadableError(Remark("{where}: {field} '{value}' is unknown", facts))
        if meant and meant != value:
            facts = {"field": field, "found": format_value(value), "meant": meant}
            self.repair_log.record(Remark("{field} '{found}' read as '{meant}'", facts))
        return meant


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    text = value.strip()
    if len(text) > 60:
        return None
    text = _UNIT.sub("", text).replace("−", "-")
    if comma := _DECIMAL_COMMA.fullmatch(text):
        text = f"{comma.group(1)}.{comma.group(2)}"
    return float(text) if _NUMBER.fullmatch(text) else None


def parse_id(value: object) -> str:
    """An id as text; numbers are valid ids. Empty for any other value."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        return ""
    if isinstance(value, int):
        return str(value) if value.bit_length() < 100 else ""
    return value.strip()[:100]


def iter_entries(raw: Sequence[object], what: str, repair_log: RepairLog) -> Iterator[Entry]:
    """Iterate over the objects of a list; messages refer to them by id or else by position from 1."""
    for position, item in enumerate(raw, 1):
        entry_id = parse_id(item.get("id")) if isinstance(item, Mapping) else ""
        where = f"{what} {format_value(entry_id)}" if entry_id else f"{what} #{position}"
        if not isinstance(item, Mapping):
            facts = {"where": where, "value": format_value(item)}
            raise UnreadableError(Remark("{where}: '{value}' is not an object", facts))
        yield Entry(item, where, repair_log)
