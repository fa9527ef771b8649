"""Pairing of output rows with annotation rows by id, by order or by source; unpaired rows are reported, never dropped.

Order is used only if neither ids nor sources contradict it: outputs of parallel workers come in any order.

Rows are compared by 64-bit hashes of their texts: the probability of a collision among a million different ids is
about 1 in 40 million, so the texts themselves are not read again.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.data.lines import LineIndex

ID_FIELD: Final = "sample_id"
SOURCE_FIELD: Final = "source"
Rows = NDArray[np.int64]
Hashes = NDArray[np.uint64]


class Pairing(Struct, frozen=True):
    """The output row of each valid annotation row, and the unpaired output rows. Every output row is in one of them."""

    method: Literal["sample_id", "order", "source"]
    partner: Rows
    """For each valid annotation row the row of its output; −1 if there is none."""
    unpaired: Rows
    """Output rows without an annotation row."""
    duplicates: Rows
    """Output rows replaced by a later one with the same id."""
    differing: int = 0
    """Number of pairs by order whose ids or sources differ."""


def pair_rows(annotation: LineIndex, output: LineIndex) -> Pairing:
    """Pair by `sample_id` if every row has one; else by order if both files have the same number of rows, unless the
    existing ids or sources pair every output otherwise; else by `source`.
    """
    empty = np.empty(0, np.int64)
    if _all_have_ids(annotation) and _all_have_ids(output):
        return _by_id(annotation.hashes(ID_FIELD), output.hashes(ID_FIELD))
    if annotation.row_count == output.row_count:
        return _by_order(annotation, output)
    if SOURCE_FIELD not in annotation.fields or SOURCE_FIELD not in output.fields:
        return Pairing(SOURCE_FIELD, np.full(len(annotation), -1, np.int64), np.arange(len(output)), empty)
    partner = _HashMatch(annotation.hashes(SOURCE_FIELD), output.hashes(SOURCE_FIELD)).in_order()
    return Pairing(SOURCE_FIELD, partner, _unpaired_rows(len(output), partner), empty)


def _all_have_ids(index: LineIndex) -> bool:
    return ID_FIELD in index.fields and bool(index.has(ID_FIELD).all())


def _by_order(annotation: LineIndex, output: LineIndex) -> Pairing:
    empty = np.empty(0, np.int64)
    row_at_number = np.full(output.row_count, -1, np.int64)
    row_at_number[output.row_numbers] = np.arange(len(output))
    partner = row_at_number[annotation.row_numbers]
    has_partner = partner >= 0
    differing = 0
    for field in (ID_FIELD, SOURCE_FIELD):
        if field not in annotation.fields or field not in output.fields:
            continue
        annotation_hashes, output_hashes = annotation.hashes(field), output.hashes(field)
        annotation_values, output_values = annotation_hashes[has_partner], output_hashes[partner[has_partner]]
        differ = int(((annotation_values != 0) & (output_values != 0) & (annotation_values != output_values)).sum())
        if differ:
            by_value = _by_hash(annotation_hashes, output_hashes)
            if not len(_unpaired_rows(len(output), by_value)):
                return Pairing(field, by_value, empty, empty)
        differing = max(differing, differ)
    return Pairing("order", partner, _unpaired_rows(len(output), partner), empty, differing)


def _by_hash(annotation_hashes: Hashes, output_hashes: Hashes) -> Rows:
    """Pair the k-th row of an id or source with its k-th output; outputs without a value fill the gaps in order."""
    partner = _HashMatch(annotation_hashes, output_hashes).in_order()
    without_value, gaps = np.flatnonzero(output_hashes == 0), np.flatnonzero(partner < 0)
    count = min(len(without_value), len(gaps))
    partner[gaps[:count]] = without_value[:count]
    return partner


def _by_id(annotation_hashes: Hashes, output_hashes: Hashes) -> Pairing:
    """Pair the k-th row of an id with its k-th output; a unique id gets the last output, which replaces the others."""
    match = _HashMatch(annotation_hashes, output_hashes)
    partner = match.in_order()
    partner[match.is_single] = match.last()[match.is_single]
    unpaired = _unpaired_rows(len(output_hashes), partner)
    singles = np.sort(annotation_hashes[match.is_single & (partner >= 0)])
    is_replaced = _contains(singles, output_hashes[unpaired])
    return Pairing(ID_FIELD, partner, unpaired[~is_replaced], unpaired[is_replaced])


class _HashMatch:
    """Rows of two files with equal hashes (sort-merge join); both are sorted once, so that searches are sequential."""

    def __init__(self, annotation_hashes: Hashes, output_hashes: Hashes) -> None:
        order, their_order = _sort_order(annotation_hashes), _sort_order(output_hashes)
        ordered, their_ordered = annotation_hashes[order], output_hashes[their_order]
        positions = np.arange(len(annotation_hashes))
        is_first, is_last = np.ones(len(annotation_hashes), bool), np.ones(len(annotation_hashes), bool)
        is_first[1:] = is_last[:-1] = ordered[1:] != ordered[:-1]
        self._order, self._their_order = order, their_order
        self._rank = positions - np.maximum.accumulate(np.where(is_first, positions, 0))
        self._low = np.searchsorted(their_ordered, ordered, "left")
        self._high = np.searchsorted(their_ordered, ordered, "right")
        self._high[ordered == 0] = 0  # an empty text has no partner
        self.is_single = np.zeros(len(annotation_hashes), bool)
        """Whether the hash of an annotation row is unique."""
        self.is_single[order] = is_first & is_last

    def in_order(self) -> Rows:
        """Pair the k-th row of a hash with the k-th output."""
        return self._rows(self._low + self._rank)

    def last(self) -> Rows:
        """Pair each row with the last output of the same hash."""
        return self._rows(np.maximum(self._high - 1, self._low))

    def _rows(self, positions: Rows) -> Rows:
        """Map sorted positions back to rows."""
        is_match = positions < self._high
        partner = np.full(len(positions), -1, np.int64)
        partner[self._order[is_match]] = self._their_order[positions[is_match]]
        return partner


def _sort_order(hashes: Hashes) -> Rows:
    """The stable sort order; without duplicates the default sort gives the same result, and is much faster."""
    order = np.argsort(hashes)
    ordered = hashes[order]
    return np.argsort(hashes, kind="stable") if (ordered[1:] == ordered[:-1]).any() else order


def _contains(ordered: Hashes, hashes: Hashes) -> NDArray[np.bool_]:
    if not len(ordered):
        return np.zeros(len(hashes), bool)
    positions = np.minimum(np.searchsorted(ordered, hashes), len(ordered) - 1)
    is_contained: NDArray[np.bool_] = ordered[positions] == hashes
    return is_contained


def _unpaired_rows(count: int, partner: Rows) -> Rows:
    """The output rows that are not the partner of any row."""
    is_taken = np.zeros(count, bool)
    is_taken[partner[partner >= 0]] = True
    return np.flatnonzero(~is_taken)
