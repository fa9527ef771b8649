"""What reading a model rests on: entries with forgiving field names, real numbers, and remarks on every mending.

A deviation is mended only where a rule leaves one reading; otherwise `UnreadableError` ends it with the reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sightline.core.records import Remark
from sightline.suites.structural.framecalc.vocabulary import FIELDS, meaning, plain

LARGEST = 1e9
"""Beyond this (in the format's units) a number is a slip; E and its like may be a million times larger."""

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_DECIMAL_COMMA = re.compile(r"([-+]?\d+),(\d{1,2}|\d{4,})")
_UNIT = re.compile(r"\s*(?:m|kn|kn\s*/\s*m|kn\s*[·*.]?\s*m|kn/m[2²]|m[24²⁴]|°|deg|degrees?|%)$", re.IGNORECASE)


class UnreadableError(Exception):
    """Why a model can't be read; caught by `read_model` and told as its problem."""

    def __init__(self, problem: Remark) -> None:
        super().__init__(problem.text)
        self.problem = problem


def shown(value: object) -> str:
    """A value as a remark may quote it: short, and never walked into."""
    if isinstance(value, str):
        return value if len(value) <= 40 else f"{value[:39]}…"
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    if isinstance(value, float) or (isinstance(value, int) and value.bit_length() < 100):
        return str(value)
    if isinstance(value, int):
        return f"{'-' if value < 0 else ''}10^{int(value.bit_length() * math.log10(2))}"
    return "{…}" if isinstance(value, Mapping) else "[…]" if isinstance(value, Sequence) else type(value).__name__


class Mender:
    """Collects what was mended, each remark once, and counts what happens to many entries alike."""

    def __init__(self) -> None:
        self._remarks: dict[str, Remark] = {}
        self._defaults: dict[str, int] = {}
        self._numbered: dict[str, int] = {}

    def note(self, remark: Remark) -> None:
        """Tell of a mending."""
        self._remarks.setdefault(f"{remark.text}{remark.facts}", remark)

    def default(self, field: str) -> None:
        """Count a link that leaves a property out."""
        self._defaults[field] = self._defaults.get(field, 0) + 1

    def numbered(self, what: str) -> None:
        """Count an entry that got its id from its place."""
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
    """One object of a list: its fields by forgiving names, and who it is in remarks."""

    def __init__(self, raw: Mapping[str, Any], where: str, mender: Mender) -> None:
        self.raw = raw
        self.where = where
        self.mender = mender
        self._plain = {plain(key): key for key in reversed(list(raw)) if isinstance(key, str)}

    def find(self, field: str, spellings: Sequence[str] | None = None) -> tuple[str, Any]:
        """The key as it was written, and its value; an empty key where there is none. Null counts as absent."""
        if self.raw.get(field) is not None:
            return field, self.raw[field]
        for spelling in spellings if spellings is not None else FIELDS.get(field, (plain(field),)):
            key = self._plain.get(spelling)
            if key is not None and self.raw[key] is not None:
                self.mender.note(Remark("'{found}' read as '{meant}'", {"found": shown(key), "meant": field}))
                return key, self.raw[key]
        return "", None

    def get(self, field: str, spellings: Sequence[str] | None = None) -> object:
        """The value of a field, or None."""
        return self.find(field, spellings)[1]

    def number(self, field: str, spellings: Sequence[str] | None = None, limit: float = LARGEST) -> float | None:
        """The finite number of a field; None where it is absent."""
        key, value = self.find(field, spellings)
        if not key:
            return None
        number = _number(value)
        if isinstance(value, str) and number is not None:
            facts = {"where": self.where, "field": field, "value": shown(value), "number": f"{number:g}"}
            self.mender.note(Remark("{where}: {field} '{value}' is text; read as {number}", facts))
        if number is None:
            facts = {"where": self.where, "field": field, "value": shown(value)}
            raise UnreadableError(Remark("{where}: {field} '{value}' is not a number", facts))
        if not math.isfinite(number):
            raise UnreadableError(Remark("{where}: {field} is not finite", {"where": self.where, "field": field}))
        if abs(number) > limit:
            facts = {"where": self.where, "field": field, "value": shown(value), "limit": f"{limit:g}"}
            raise UnreadableError(Remark("{where}: {field} {value} is beyond {limit}", facts))
        return number + 0.0  # no negative zero

    def need(self, field: str, spellings: Sequence[str] | None = None) -> float:
        """The finite number of a field that must be there."""
        number = self.number(field, spellings)
        if number is None:
            raise UnreadableError(Remark("{where}: {field} is missing", {"where": self.where, "field": field}))
        return number

    def word(self, field: str, table: dict[str, str], default: str | None = None) -> str:
        """The format's own word for a field's value; other spellings are mended, unknown words refused."""
        value = self.get(field)
        if isinstance(value, Mapping):
            value = value.get("kind", value.get("type"))
        if value is None and default is not None:
            return default
        if value is None:
            raise UnreadableError(Remark("{where}: {field} is missing", {"where": self.where, "field": field}))
        meant = meaning(value, table) if isinstance(value, str) else None
        if meant is None:
            facts = {"where": self.where, "field": field, "value": shown(value)}
            raise UnreadableError(Remark("{where}: {field} '{value}' is unknown", facts))
        if meant and meant != value:
            facts = {"field": field, "found": shown(value), "meant": meant}
            self.mender.note(Remark("{field} '{found}' read as '{meant}'", facts))
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


def own_id(value: object) -> str:
    """An id as text; numbers are ids too. Empty where it is none."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        return ""
    if isinstance(value, int):
        return str(value) if value.bit_length() < 100 else ""
    return value.strip()[:100]


def entries(raw: Sequence[object], what: str, mender: Mender) -> Iterator[Entry]:
    """The objects of a list by their order, named in remarks by their id or else by their place from 1."""
    for place, item in enumerate(raw, 1):
        given = own_id(item.get("id")) if isinstance(item, Mapping) else ""
        where = f"{what} {shown(given)}" if given else f"{what} #{place}"
        if not isinstance(item, Mapping):
            facts = {"where": where, "value": shown(item)}
            raise UnreadableError(Remark("{where}: '{value}' is not an object", facts))
        yield Entry(item, where, mender)
