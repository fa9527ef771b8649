"""Ids within one list of a model: generated where missing, renamed where ambiguous, and resolved from references."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from sightline.core.records import Remark
from sightline.suites.structural.framecalc.repairs import RepairLog, UnreadableError, format_value, parse_id
from sightline.suites.structural.framecalc.synonyms import normalize_word


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
                self._repair_log.count_numbered(self.what)
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
        facts = {"what": self.what, "id": format_value(name)}
        if same:
            self._repair_log.record(Remark("{what}: {id} is listed twice alike; the second is left out", facts))
            return ""
        self._ambiguous.add(name)
        facts["new"] = self._unused_id(position)
        self._repair_log.record(Remark("{what}: {id} stands for two entries; the second is renamed {new}", facts))
        return facts["new"]

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
            self._repair_log.record(
                Remark("'{found}' read as '{meant}'", {"found": format_value(name), "meant": near[0]})
            )
            name = near[0]
        if name in self._ambiguous:
            facts = {"what": self.what, "id": format_value(name)}
            raise UnreadableError(Remark("{what}: {id} stands for two different entries and is referred to", facts))
        return self._alias.get(name, name)
