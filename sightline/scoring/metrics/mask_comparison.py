"""Scorer of polygons: rasterized to masks, piece by piece to bound the memory, and compared with the true ones.

Polygons are drawn on whole pixels, or on a power of two as many where those are too coarse. The scale is decided from
the sample alone, for truth and reply together, so that no split into batches changes a figure. Areas are in units of
the coordinate space on every grid.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.core.reply_formats import SPACES
from sightline.data.columns import Batch, Polygons, take_ragged
from sightline.scoring.geometry.arrays import Floats, Ints, image_of_rows, offsets_of, sums
from sightline.scoring.geometry.masks import (
    CANVAS,
    Masks,
    mask_overlaps,
    mask_rows,
    ring_costs,
    ring_masks,
    select_affordable,
    shared_pixels,
    union_masks,
)
from sightline.scoring.metrics.detection import ap_rule
from sightline.scoring.metrics.match_state import score_matches
from sightline.scoring.metrics.matching import THRESHOLDS, Matched, Matches, Side, match_both_ways
from sightline.scoring.metrics.state import MetricContext, Values
from sightline.scoring.parsers.columns.coordinates import RANGES, UNIT

FINE = 1024
"""Pixels that the unit square is wide: about as many as a picture."""
FINEST = 2**20
THICK = 64.0
"""Pixels that a polygon too small for any is to be thick on its finer grid."""
FLAT = 1e-9
"""A ring with less area than this share of its squared size is a line: no grid is fine enough for it."""
BUDGET = 2**22
"""Columns that the outlines of one side of a sample may cross: four million, where a field of a thousand pixels crosses
two thousand. Polygons beyond it are not drawn; they count as predicted, and as empty."""
INSTANCE_METRICS = frozenset({"mask_ap", "mask_ap50", "mask_ap75"})
VALUES = ("score", "iou", "dice", "true_area", "predicted_area")


def declared_scale(space: object) -> int:
    """The scale that a declared space asks for, 0 where none is declared; pixels and 0–1000 are fine as they are."""
    if not isinstance(space, str) or space not in SPACES:
        return 0
    return 2 ** math.ceil(math.log2(1000.0 / RANGES[space])) if space in RANGES else 1


def first_scales(reply: Polygons, truth: Polygons, declared: int, budget: int) -> Ints:
    """The scale of each sample: the declared one, else `FINE` where the truth lies within the unit square, else 1.

    Where there is no truth, the reply decides: it shares nothing, whatever its grid.
    """
    reach = _reach(truth)
    if declared:
        wanted = np.full(len(truth), declared, np.int64)
    else:
        decisive = np.where(np.isnan(reach), _reach(reply), reach)
        wanted = np.where(decisive <= UNIT, FINE, 1)
    return affordable_scales(reply, truth, wanted, budget) if (wanted > 1).any() else wanted


def finer_scales(side: Polygons, empty: NDArray[np.bool_], scale: int) -> Ints:
    """The scale on which every ring of each sample that `scale` has left empty, though it has area, gets pixels."""
    thick = np.full(len(empty), np.inf)
    hollow = np.flatnonzero(empty & (np.diff(side.rings) > 2))
    if len(hollow):
        thick[hollow] = _thickness(side, hollow)
    least = np.full(len(side), np.inf)
    np.minimum.at(least, image_of_rows(side.offsets), thick)
    wanted = np.exp2(np.ceil(np.log2(np.clip(THICK / least, 1.0, FINEST)))).astype(np.int64)
    return np.maximum(wanted, scale)


def affordable_scales(reply: Polygons, truth: Polygons, wanted: Ints, budget: int) -> Ints:
    """The wanted scales, halved until everything lies on the largest canvas and no outline is too long to draw."""
    reach = np.fmax(_reach(reply), _reach(truth))
    room = np.frexp(CANVAS[0] / np.clip(np.nan_to_num(reach), 1.0 / FINEST, CANVAS[0]))[1] - 1
    scales: Ints = np.minimum(wanted, np.left_shift(np.int64(1), room.astype(np.int64)))
    for side in (reply, truth):
        rows = np.flatnonzero(scales > 1)
        while len(rows):
            part = side.take(rows)
            part = part.scaled(np.repeat(scales[rows, None], 2, axis=1).astype(np.float64))
            rows = rows[sums(ring_costs(part.points, part.rings), part.offsets) > budget]
            scales[rows] //= 2
            rows = rows[scales[rows] > 1]
    return scales


def _reach(side: Polygons) -> Floats:
    """The largest coordinate of each sample, either way; NaN where it has none."""
    first, reach = side.rings[side.offsets], np.full(len(side), np.nan)
    filled = np.flatnonzero(np.diff(first))
    if len(filled):
        farthest = np.maximum(np.abs(side.points[:, 0]), np.abs(side.points[:, 1]))
        reach[filled] = np.maximum.reduceat(farthest, first[filled])
    return reach


def _thickness(side: Polygons, which: Ints) -> Floats:
    """Area over length of some rings; infinite where a ring is a line."""
    rings, inner = take_ragged(side.rings, which)
    ring, starts = image_of_rows(rings), rings[:-1]
    points = np.clip(side.points[inner], -1e12, 1e12)
    points = points - points[starts][ring]  # far from the origin the products would lose their digits
    after = np.arange(1, len(points) + 1)
    after[rings[1:] - 1] = starts
    turns = points[:, 0] * points[after, 1] - points[:, 1] * points[after, 0]
    area = np.abs(np.add.reduceat(turns, starts)) / 2
    size = (np.maximum.reduceat(points, starts) - np.minimum.reduceat(points, starts)).max(axis=1)
    thick: Floats = np.divide(area, size, out=np.full(len(which), np.inf), where=area > FLAT * size**2)
    return thick


class DrawnSide(NamedTuple):
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
    reply: DrawnSide
    truth: DrawnSide

    @property
    def skipped(self) -> int:
        """Rings that were too long to draw."""
        return int((~self.reply.drawn).sum() + (~self.truth.drawn).sum())


def draw_batch(reply: Polygons, truth: Polygons, canvas: tuple[int, int], declared: int = 0) -> Iterator[Piece]:
    """All samples as masks: on the grid of the space, or on a finer one where polygons would have no pixel on it."""
    scales = first_scales(reply, truth, declared, BUDGET)
    for scale in np.unique(scales).tolist():
        for piece in _pieces(reply, truth, np.flatnonzero(scales == scale), scale, canvas):
            finer = _finer_scales(piece)
            if (finer == scale).all():
                yield piece
                continue
            for other in np.unique(finer).tolist():
                yield from _pieces(reply, truth, piece.rows[finer == other], other, canvas)


def _finer_scales(piece: Piece) -> Ints:
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
    total, start = offsets_of(cost), 0
    while start < len(rows):
        stop = int(np.searchsorted(total, total[start] + BUDGET, side="right")) - 1
        stop = max(stop, start + 1)
        some = np.arange(start, stop)
        sides = (_draw(side.take(some), canvas) for side in (reply, truth))
        yield Piece(rows[some], scale, canvas, *sides)
        start = stop


def _draw(polygons: Polygons, canvas: tuple[int, int]) -> DrawnSide:
    """Draw every ring of every sample."""
    kept = select_affordable(ring_costs(polygons.points, polygons.rings, canvas), polygons.offsets, BUDGET)
    if kept.all():
        return DrawnSide(polygons, ring_masks(polygons.points, polygons.rings, canvas), kept)
    counts = np.diff(polygons.rings)
    rings = offsets_of(counts * kept)
    return DrawnSide(polygons, ring_masks(polygons.points[np.repeat(kept, counts)], rings, canvas), kept)


class MaskComparison(Struct, frozen=True):
    """The masks of a batch against the true ones."""

    values: Values
    shared: Floats
    """Of each sample, the area that both masks cover, in units of the coordinate space."""
    either: Floats
    matches: list[tuple[Ints, Matches]]
    """Polygons matched one by one, by the rows of a piece; empty unless instances are asked for."""
    skipped: int
    """Polygons too long to draw."""


def score_masks(batch: Batch, context: MetricContext | None = None) -> Values:
    """Mask IoU as the score, or F1 of single polygons at IoU 0.5 where instances are asked for; Dice and areas."""
    return compare_masks(batch, context).values


def matches_instances(context: MetricContext) -> bool:
    """Whether polygons are matched one by one."""
    return bool(context.options.get("instances") or context.metric_names & INSTANCE_METRICS)


def compare_masks(batch: Batch, context: MetricContext | None = None) -> MaskComparison:
    """See `MaskComparison`."""
    return batch.compute_once("masks", lambda: _compare(batch, context or MetricContext()))


def _compare(batch: Batch, context: MetricContext) -> MaskComparison:
    options = context.options
    width, height = (min(int(options.get(name) or CANVAS[0]), CANVAS[0]) for name in ("width", "height"))
    values: Values = {name: np.zeros(len(batch)) for name in VALUES}
    shared, either = np.zeros(len(batch)), np.zeros(len(batch))
    found: list[tuple[Ints, Matches]] = []
    skipped = 0
    for piece in draw_batch(batch.reply, batch.truth, (width, height), declared_scale(options.get("space"))):
        rows, answered = piece.rows, batch.answered[piece.rows]
        skipped += piece.skipped
        scored, shared[rows], either[rows] = _compare_unions(answered, piece)
        if matches_instances(context):
            matched = _match(piece)
            found.append((rows, matched))
            scored["score"] = score_matches(matched, answered, ap_rule(context))["score"]
        for name, column in scored.items():
            values[name][rows] = column
    return MaskComparison(values, shared, either, found, skipped)


def _match(piece: Piece) -> Matches:
    (reply, predicted, _), (truth, true, _) = piece.reply, piece.truth
    left = Side(mask_rows(predicted, piece.canvas), reply.offsets, reply.scores)
    right = Side(mask_rows(true, piece.canvas), truth.offsets)
    found = match_both_ways(left, right, mask_overlaps(predicted, true), THRESHOLDS)
    return found._replace(
        unscored=_rescale_areas(found.unscored, piece.scale),
        ranked=found.ranked and _rescale_areas(found.ranked, piece.scale),
    )


def _compare_unions(answered: NDArray[np.bool_], piece: Piece) -> tuple[Values, Floats, Floats]:
    """Values, and the areas of intersection and union. An unread reply earns 0, even where nothing was to be seen.

    Only where neither side has a polygon is saying nothing right: polygons without a pixel share none.
    """
    left, right = (union_masks(side.masks, side.polygons.offsets) for side in (piece.reply, piece.truth))
    nothing = (np.diff(piece.reply.polygons.offsets) == 0) & (np.diff(piece.truth.polygons.offsets) == 0)
    shared, predicted_area, true_area = (
        pixels / float(piece.scale) ** 2 for pixels in (shared_pixels(left, right), left.areas(), right.areas())
    )
    either, both, alike = predicted_area + true_area - shared, predicted_area + true_area, nothing.astype(np.float64)
    iou = np.where(answered, np.divide(shared, either, out=alike.copy(), where=either > 0), 0.0)
    dice = np.where(answered, np.divide(2 * shared, both, out=alike, where=both > 0), 0.0)
    values = {"score": iou, "iou": iou, "dice": dice, "true_area": true_area, "predicted_area": predicted_area}
    return values, shared, either


def _rescale_areas(matched: Matched, scale: int) -> Matched:
    """With areas in units of the space, whichever grid they were drawn on."""
    unit = float(scale) ** 2
    return matched._replace(predicted_area=matched.predicted_area / unit, true_area=matched.true_area / unit)
