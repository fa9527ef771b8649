"""Polygons of a batch as masks, in pieces that keep the work space small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline.data.columns import Polygons
from sightline.scoring.geometry.arrays import Ints, sums
from sightline.scoring.geometry.masks import CANVAS, Masks, ring_costs, ring_masks, select_affordable
from sightline.scoring.metrics.masks.grids import affordable_scales, finer_scales, first_scales

BUDGET = 2**22
"""Columns that the outlines of one side of a sample may cross: four million, where a field of a thousand pixels crosses
two thousand. Polygons beyond it are not drawn; they count as predicted, and as empty."""


class Side(NamedTuple):
    """The polygons of one side of some samples, and the mask of every ring."""

    polygons: Polygons
    masks: Masks
    drawn: NDArray[np.bool_]
    """Which rings were not too long to draw."""


class Piece(NamedTuple):
    """Some samples, drawn on one grid."""

    rows: Ints
    """Their places in the batch."""
    scale: int
    """Pixels a unit of the coordinates."""
    canvas: tuple[int, int]
    reply: Side
    truth: Side

    @property
    def skipped(self) -> int:
        """Rings that were too long to draw."""
        return int((~self.reply.drawn).sum() + (~self.truth.drawn).sum())


def drawn(reply: Polygons, truth: Polygons, canvas: tuple[int, int], declared: int = 0) -> Iterator[Piece]:
    """All samples as masks: on the grid of the space, or on a finer one where polygons would have no pixel on it."""
    scales = first_scales(reply, truth, declared, BUDGET)
    for scale in np.unique(scales).tolist():
        for piece in _pieces(reply, truth, np.flatnonzero(scales == scale), scale, canvas):
            finer = _finer(piece)
            if (finer == scale).all():
                yield piece
                continue
            for other in np.unique(finer).tolist():
                yield from _pieces(reply, truth, piece.rows[finer == other], other, canvas)


def _finer(piece: Piece) -> Ints:
    """The scale that each sample of the piece should have had."""
    scales = np.full(len(piece.rows), piece.scale, np.int64)
    empty = [side.drawn & (np.diff(side.masks.at) == 0) for side in (piece.reply, piece.truth)]
    if not any(each.any() for each in empty):
        return scales
    back = np.full((len(scales), 2), 1.0 / piece.scale)
    reply, truth = piece.reply.polygons.scaled(back), piece.truth.polygons.scaled(back)
    for side, hollow in zip((reply, truth), empty, strict=True):
        scales = np.maximum(scales, finer_scales(side, hollow, piece.scale))
    if (scales > piece.scale).any():
        scales = np.maximum(affordable_scales(reply, truth, scales, BUDGET), piece.scale)
    return scales


def _pieces(reply: Polygons, truth: Polygons, rows: Ints, scale: int, canvas: tuple[int, int]) -> Iterator[Piece]:
    """Runs of these samples whose outlines fit into about one budget, drawn."""
    if len(rows) < len(reply):
        reply, truth = reply.take(rows), truth.take(rows)
    if scale > 1:
        factors = np.full((len(rows), 2), float(scale))
        reply, truth = reply.scaled(factors), truth.scaled(factors)
        canvas = min(canvas[0] * scale, CANVAS[0]), min(canvas[1] * scale, CANVAS[1])
    cost = np.zeros(len(rows), np.int64)
    for side in (reply, truth):
        cost += np.minimum(sums(ring_costs(side.points, side.rings, canvas), side.offsets), BUDGET)
    total, start = np.concatenate((np.zeros(1, np.int64), np.cumsum(cost))), 0
    while start < len(rows):
        stop = int(np.searchsorted(total, total[start] + BUDGET, side="right")) - 1
        stop = max(stop, start + 1)
        some = np.arange(start, stop)
        sides = (_draw(side.take(some), canvas) for side in (reply, truth))
        yield Piece(rows[some], scale, canvas, *sides)
        start = stop


def _draw(polygons: Polygons, canvas: tuple[int, int]) -> Side:
    """Draw every ring of every sample."""
    kept = select_affordable(ring_costs(polygons.points, polygons.rings, canvas), polygons.offsets, BUDGET)
    if kept.all():
        return Side(polygons, ring_masks(polygons.points, polygons.rings, canvas), kept)
    counts = np.diff(polygons.rings)
    rings = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts * kept)))
    return Side(polygons, ring_masks(polygons.points[np.repeat(kept, counts)], rings, canvas), kept)
