"""Which output belongs to which sample: by id, by order or by source; whoever is left alone is told, never dropped.

Order is trusted only where neither ids nor sources contradict it: outputs of many workers come in any order.

Rows are compared by 64-bit hashes of their texts: among a million different ids two share one with odds of about 1 in
40 million, so the texts themselves are not read again.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.data.lines import LineIndex

ID: Final = "sample_id"
SOURCE: Final = "source"
Rows = NDArray[np.int64]
Hashes = NDArray[np.uint64]


class Pairing(Struct, frozen=True):
    """The output row of each sound annotation row, and the output rows that have none. Every output row is in one."""

    way: Literal["sample_id", "order", "source"]
    partner: Rows
    """For each sound annotation row the row of the output; −1: none."""
    left_over: Rows
    """Output rows that nobody took."""
    duplicates: Rows
    """Output rows that a later one with the same id replaced."""
    differing: int = 0
    """Pairs by order whose ids or sources differ, because those do not fit at all."""


def pair(annotation: LineIndex, output: LineIndex) -> Pairing:
    """By `sample_id` where every row has one; else by order where both have as many rows, unless the ids or sources
    that are there give every output another place; else by `source`.
    """
    none = np.empty(0, np.int64)
    if _all_have_ids(annotation) and _all_have_ids(output):
        return _by_id(annotation.hashes(ID), output.hashes(ID))
    if annotation.places == output.places:
        return _by_order(annotation, output)
    if SOURCE not in annotation.fields or SOURCE not in output.fields:
        return Pairing(SOURCE, np.full(len(annotation), -1, np.int64), np.arange(len(output)), none)
    partner = _Match(annotation.hashes(SOURCE), output.hashes(SOURCE)).in_turn()
    return Pairing(SOURCE, partner, _others(len(output), partner), none)


def _all_have_ids(index: LineIndex) -> bool:
    return ID in index.fields and bool(index.has(ID).all())


def _by_order(annotation: LineIndex, output: LineIndex) -> Pairing:
    none = np.empty(0, np.int64)
    at_place = np.full(output.places, -1, np.int64)
    at_place[output.order] = np.arange(len(output))
    partner = at_place[annotation.order]
    met = partner >= 0
    differing = 0
    for field in (ID, SOURCE):
        if field not in annotation.fields or field not in output.fields:
            continue
        mine, theirs = annotation.hashes(field), output.hashes(field)
        here, there = mine[met], theirs[partner[met]]
        differ = int(((here != 0) & (there != 0) & (here != there)).sum())
        if differ:
            told = _by_what_is_told(mine, theirs)
            if not len(_others(len(output), told)):
                return Pairing(field, told, none, none)
        differing = max(differing, differ)
    return Pairing("order", partner, _others(len(output), partner), none, differing)


def _by_what_is_told(mine: Hashes, theirs: Hashes) -> Rows:
    """The k-th row of an id or a source gets its k-th output; outputs that tell none fill the gaps in their order."""
    partner = _Match(mine, theirs).in_turn()
    silent, gaps = np.flatnonzero(theirs == 0), np.flatnonzero(partner < 0)
    count = min(len(silent), len(gaps))
    partner[gaps[:count]] = silent[:count]
    return partner


def _by_id(mine: Hashes, theirs: Hashes) -> Pairing:
    """The k-th row of an id gets its k-th output; but an id that is there once gets the last, which replaces others."""
    match = _Match(mine, theirs)
    partner = match.in_turn()
    partner[match.is_single] = match.last()[match.is_single]
    others = _others(len(theirs), partner)
    singles = np.sort(mine[match.is_single & (partner >= 0)])
    is_replaced = _contains(singles, theirs[others])
    return Pairing(ID, partner, others[~is_replaced], others[is_replaced])


class _Match:
    """Rows of two files that share a hash; both are sorted once, so the searches run through memory in step."""

    def __init__(self, mine: Hashes, theirs: Hashes) -> None:
        order, their_order = _sorting(mine), _sorting(theirs)
        ordered, their_ordered = mine[order], theirs[their_order]
        places = np.arange(len(mine))
        is_first, is_last = np.ones(len(mine), bool), np.ones(len(mine), bool)
        is_first[1:] = is_last[:-1] = ordered[1:] != ordered[:-1]
        self._order, self._their_order = order, their_order
        self._turn = places - np.maximum.accumulate(np.where(is_first, places, 0))
        self._low = np.searchsorted(their_ordered, ordered, "left")
        self._high = np.searchsorted(their_ordered, ordered, "right")
        self._high[ordered == 0] = 0  # no text, no partner
        self.is_single = np.zeros(len(mine), bool)
        """Whose hash no other row of mine has."""
        self.is_single[order] = is_first & is_last

    def in_turn(self) -> Rows:
        """The k-th with a hash gets the k-th."""
        return self._rows(self._low + self._turn)

    def last(self) -> Rows:
        """Each gets the last one that has its hash."""
        return self._rows(np.maximum(self._high - 1, self._low))

    def _rows(self, places: Rows) -> Rows:
        """Back from sorted places to rows."""
        found = places < self._high
        partner = np.full(len(places), -1, np.int64)
        partner[self._order[found]] = self._their_order[places[found]]
        return partner


def _sorting(hashes: Hashes) -> Rows:
    """The stable order; where no hash is there twice the plain sort gives the same, and much sooner."""
    order = np.argsort(hashes)
    ordered = hashes[order]
    return np.argsort(hashes, kind="stable") if (ordered[1:] == ordered[:-1]).any() else order


def _contains(ordered: Hashes, wanted: Hashes) -> NDArray[np.bool_]:
    if not len(ordered):
        return np.zeros(len(wanted), bool)
    places = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    found: NDArray[np.bool_] = ordered[places] == wanted
    return found


def _others(count: int, partner: Rows) -> Rows:
    """The output rows that are nobody's partner."""
    is_taken = np.zeros(count, bool)
    is_taken[partner[partner >= 0]] = True
    return np.flatnonzero(~is_taken)
