"""Ids within one list of a model: numbered where missing, renamed where that hurts nobody, found again by reference."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from sightline.core.records import Remark
from sightline.suites.structural.framecalc.mending import Mender, UnreadableError, own_id, shown
from sightline.suites.structural.framecalc.vocabulary import plain


class Names:
    """The ids of one list."""

    def __init__(self, what: str, prefix: str, mender: Mender) -> None:
        self.what = what
        self._prefix = prefix
        self._mender = mender
        self._known: set[str] = set()
        self._ambiguous: set[str] = set()
        self._alias: dict[str, str] = {}
        self._loose: dict[str, list[str]] = {}

    def settle(self, given: Sequence[str], contents: Sequence[Hashable]) -> list[str]:
        """An id for each entry, or an empty one for an entry that only repeats an earlier one.

        An id that stands for two different entries is given to the first; whoever refers to it is refused.
        """
        self._known = {name for name in given if name}
        first: dict[str, Hashable] = {}
        settled = []
        for place, (name, content) in enumerate(zip(given, contents, strict=True), 1):
            if not name:
                self._mender.numbered(self.what)
                name = self._free(place)
            elif name in first:
                name = self._again(name, place, same=first[name] == content)
            if name:
                first[name] = content
            settled.append(name)
        for name in self._known:
            self._loose.setdefault(plain(name), []).append(name)
        return settled

    def _again(self, name: str, place: int, *, same: bool) -> str:
        facts = {"what": self.what, "id": shown(name)}
        if same:
            self._mender.note(Remark("{what}: {id} is listed twice alike; the second is left out", facts))
            return ""
        self._ambiguous.add(name)
        facts["new"] = self._free(place)
        self._mender.note(Remark("{what}: {id} stands for two entries; the second is renamed {new}", facts))
        return facts["new"]

    def _free(self, place: int) -> str:
        while (name := f"{self._prefix}{place}") in self._known:
            place += 1
        self._known.add(name)
        return name

    def merge(self, name: str, into: str) -> None:
        """Let one id stand for another from here on."""
        self._alias[name] = into

    def find(self, reference: object) -> str:
        """The id that is referred to, or an empty one. Case and separators are forgiven where one id remains."""
        name = own_id(reference)
        if name and name not in self._known:
            near = self._loose.get(plain(name), [])
            if len(near) != 1:
                return ""
            self._mender.note(Remark("'{found}' read as '{meant}'", {"found": shown(name), "meant": near[0]}))
            name = near[0]
        if name in self._ambiguous:
            facts = {"what": self.what, "id": shown(name)}
            raise UnreadableError(Remark("{what}: {id} stands for two different entries and is referred to", facts))
        return self._alias.get(name, name)
