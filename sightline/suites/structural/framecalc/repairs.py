"""Lenient access to the fields of a FrameCalc model: synonyms, number parsing, ids, and a log of every repair.

A deviation is repaired only where a rule leaves one interpretation; otherwise `UnreadableError` gives the reason, and
the part is left out of an answer, or makes any other model unreadable.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from sightline.core.remarks import Remark

_SEPARATORS = re.compile(r"[\s_\-./·]+")
_SUFFIX = re.compile(r"(?:support|connection|joint|condition|支座|支撑|约束)$")


class _Synonyms(Struct, frozen=True):
    """The tables of synonyms.toml: spellings by key or keyword of the format."""

    wrappers: tuple[str, ...]
    collections: dict[str, tuple[str, ...]]
    fields: dict[str, tuple[str, ...]]
    keywords: dict[str, dict[str, tuple[str, ...]]]


_synonyms = msgspec.toml.decode(Path(__file__).with_name("synonyms.toml").read_bytes(), type=_Synonyms)
WRAPPERS, COLLECTIONS, FIELDS = _synonyms.wrappers, _synonyms.collections, _synonyms.fields
_KEYWORDS = {
    table: {word: keyword for keyword, words in spellings.items() for word in words}
    for table, spellings in _synonyms.keywords.items()
}


def normalize_word(word: str) -> str:
    """A word in lower case without spaces, hyphens and underscores, cut off at 80 characters."""
    return _SEPARATORS.sub("", word[:80]).casefold()


def lookup_synonym(word: str, table: str) -> str | None:
    """The format's keyword for a synonym by a table of synonyms.toml, or None."""
    short, keywords = normalize_word(word), _KEYWORDS[table]
    return keywords.get(short, keywords.get(_SUFFIX.sub("", short)))


MAX_VALUE = 1e9
"""Largest accepted number, in the units of the format; stiffnesses may be a million times larger."""

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_DECIMAL_COMMA = re.compile(r"([-+]?\d+),(\d{1,2}|\d{4,})")
_UNIT = re.compile(r"\s*(?:m|kn|kn\s*/\s*m|kn\s*[·*.]?\s*m|kn/m[2²]|m[24²⁴]|°|deg|degrees?|%)$", re.IGNORECASE)


class UnreadableError(Exception):
    """Why a model can't be read; caught by `read_model` and returned as its problem."""

    def __init__(self, template: str, /, **facts: object) -> None:
        super().__init__(template)
        self.problem = Remark(template, facts)


class EntryError(UnreadableError):
    """Why an entry of a list can't be read; `{where}` in the template refers to the entry."""

    def __init__(self, template: str, entry: Entry, /, **facts: object) -> None:
        super().__init__(template, where=entry.where, **facts)


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


UnreadPart = Literal["points", "links", "ends", "stiffness", "supports", "loads"]


class LeftOut(Struct, frozen=True):
    """A part of a model that can't be read and is left out, and why."""

    part: UnreadPart
    reason: Remark


class RepairLog:
    """Log of repairs: each remark once, with counts for repairs that affect many entries.

    Parts that can't be read make the whole model unreadable, unless the log is lenient: then they are left out.
    """

    def __init__(self, is_lenient: bool = False) -> None:
        self.is_lenient = is_lenient
        self.left_out: list[LeftOut] = []
        self._remarks: dict[str, Remark] = {}
        self.defaults: Counter[str] = Counter()
        """Links without a property, by property."""
        self.numbered: Counter[str] = Counter()
        """Entries whose id was generated from their position, by list."""

    def record(self, remark: Remark) -> None:
        """Add a repair, unless it is already in the log."""
        self._remarks.setdefault(f"{remark.text}{remark.args}", remark)

    def leave_out(self, part: UnreadPart, error: UnreadableError) -> None:
        """Log a part that can't be read; raise the error again unless the log is lenient."""
        if not self.is_lenient:
            raise error
        self.left_out.append(LeftOut(part, error.problem))

    def remarks(self) -> list[Remark]:
        """All of them, counts first."""
        counts = [
            Remark("{what}: {count} without an id, numbered by their order", {"what": Remark(what), "count": count})
            for what, count in self.numbered.items()
        ]
        counts += [
            Remark("links: {count} without {field}, which is taken as the standard value", {"count": n, "field": field})
            for field, n in self.defaults.items()
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
                facts = {"found": format_value(key), "meant": field}
                self.repair_log.record(Remark("'{found}' read as '{meant}'", facts))
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
        facts = {"field": field, "value": format_value(value)}
        if number is None:
            raise EntryError("{where}: {field} '{value}' is not a number", self, **facts)
        if not math.isfinite(number):
            raise EntryError("{where}: {field} is not finite", self, field=field)
        if abs(number) > limit:
            raise EntryError("{where}: {field} {value} is beyond {limit}", self, **facts, limit=f"{limit:g}")
        return number + 0.0  # no negative zero

    def required_number(self, field: str, spellings: Sequence[str] | None = None) -> float:
        """The finite number of a required field."""
        number = self.number(field, spellings)
        if number is None:
            raise EntryError("{where}: {field} is missing", self, field=field)
        return number

    def keyword(self, field: str, table: str, default: str | None = None) -> str:
        """The format's keyword for a field's value; synonyms are repaired, unknown words rejected."""
        value = self.get(field)
        if isinstance(value, Mapping):
            value = value.get("kind", value.get("type"))
        if value is None and default is not None:
            return default
        if value is None:
            raise EntryError("{where}: {field} is missing", self, field=field)
        meant = lookup_synonym(value, table) if isinstance(value, str) else None
        if meant is None:
            raise EntryError("{where}: {field} '{value}' is unknown", self, field=field, value=format_value(value))
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


def iter_entries(raw: Sequence[object], what: UnreadPart, repair_log: RepairLog) -> Iterator[Entry]:
    """Iterate over the objects of a list; messages refer to them by id or else by position from 1."""
    for position, item in enumerate(raw, 1):
        entry_id = parse_id(item.get("id")) if isinstance(item, Mapping) else ""
        where = f"{what} {format_value(entry_id)}" if entry_id else f"{what} #{position}"
        if not isinstance(item, Mapping):
            error = UnreadableError("{where}: '{value}' is not an object", where=where, value=format_value(item))
            repair_log.leave_out(what, error)
            continue
        yield Entry(item, where, repair_log)


class IdTable:
    """The ids of one list of a model."""

    def __init__(self, what: str, prefix: str, repair_log: RepairLog) -> None:
        self.what = what
        self._prefix = prefix
        self._repair_log = repair_log
        self._known: set[str] = set()
        self._ambiguous: set[str] = set()
        self._alias: dict[str, str] = {}
        self._by_word: dict[str, list[str]] = {}

    def assign(self, written_ids: Sequence[str], contents: Sequence[Hashable]) -> list[str]:
        """An id for each entry, or an empty one for an exact duplicate of an earlier entry.

        An id that stands for two different entries is assigned to the first; references to it are rejected.
        """
        self._known = {name for name in written_ids if name}
        first: dict[str, Hashable] = {}
        assigned = []
        for position, (name, content) in enumerate(zip(written_ids, contents, strict=True), 1):
            if not name:
                self._repair_log.numbered[self.what] += 1
                name = self._unused_id(position)
            elif name in first:
                name = self._resolve_duplicate(name, position, same=first[name] == content)
            if name:
                first[name] = content
            assigned.append(name)
        for name in self._known:
            self._by_word.setdefault(normalize_word(name), []).append(name)
        return assigned

    def _resolve_duplicate(self, name: str, position: int, *, same: bool) -> str:
        facts = {"what": Remark(self.what), "id": format_value(name)}
        if same:
            self._repair_log.record(Remark("{what}: {id} is listed twice alike; the second is left out", facts))
            return ""
        self._ambiguous.add(name)
        new = self._unused_id(position)
        text = "{what}: {id} stands for two entries; the second is renamed {new}"
        self._repair_log.record(Remark(text, {**facts, "new": new}))
        return new

    def _unused_id(self, position: int) -> str:
        while (name := f"{self._prefix}{position}") in self._known:
            position += 1
        self._known.add(name)
        return name

    def add_alias(self, name: str, into: str) -> None:
        """Make one id an alias of another."""
        self._alias[name] = into

    def resolve(self, reference: object) -> str:
        """The id that a reference means, or an empty one. Case and separators are ignored where the match is unique."""
        name = parse_id(reference)
        if name and name not in self._known:
            near = self._by_word.get(normalize_word(name), [])
            if len(near) != 1:
                return ""
            facts = {"found": format_value(name), "meant": near[0]}
            self._repair_log.record(Remark("'{found}' read as '{meant}'", facts))
            name = near[0]
        if name in self._ambiguous:
            facts = {"what": self.what, "id": format_value(name)}
            raise UnreadableError("{what}: {id} stands for two different entries and is referred to", **facts)
        return self._alias.get(name, name)
