"""Polygons of a batch as masks, in pieces that keep the work space small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sightline.columns import Batch, Polygons
from sightline.geometry.arrays import sums
from sightline.geometry.masks import Masks, affordable, ring_costs, ring_masks

BUDGET = 2**22
"""Columns that the outlines of one side of a sample may cross: four million, where a field of a thousand pixels crosses
two thousand. Polygons beyond it are not drawn; they count as predicted, and as empty."""


class Drawn(NamedTuple):
    """The mask of every ring of some samples."""

    masks: Masks
    skipped: int
    """Rings that were too long to draw."""


def draw(polygons: Polygons, canvas: tuple[int, int]) -> Drawn:
    """Draw every ring of every sample."""
    kept = affordable(ring_costs(polygons.points, polygons.rings, canvas), polygons.offsets, BUDGET)
    if kept.all():
        return Drawn(ring_masks(polygons.points, polygons.rings, canvas), 0)
    counts = np.diff(polygons.rings)
    rings = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts * kept)))
    return Drawn(ring_masks(polygons.points[np.repeat(kept, counts)], rings, canvas), int((~kept).sum()))


def pieces(batch: Batch, canvas: tuple[int, int]) -> Iterator[tuple[slice, Polygons, Polygons]]:
    """Runs of samples (rows, reply, truth) whose outlines fit into about one budget."""
    cost = np.zeros(len(batch), np.int64)
    for side in (batch.reply, batch.truth):
        cost += np.minimum(sums(ring_costs(side.points, side.rings, canvas), side.offsets), BUDGET)
    total, start = np.concatenate((np.zeros(1, np.int64), np.cumsum(cost))), 0
    while start < len(batch):
        stop = int(np.searchsorted(total, total[start] + BUDGET, side="right")) - 1
        stop = max(stop, start + 1)
        rows = np.arange(start, stop)
        yield slice(start, stop), batch.reply.take(rows), batch.truth.take(rows)
        start = stop
