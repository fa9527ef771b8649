"""Scorer of polygons: the masks of replies compared with the true ones, piece by piece to keep the work space small."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.data.columns import Batch
from sightline.scoring.geometry.arrays import Floats, Ints
from sightline.scoring.geometry.masks import CANVAS, mask_overlaps, mask_rows, shared_pixels, union_masks
from sightline.scoring.metrics.detection.match_state import score_matches
from sightline.scoring.metrics.detection.matching import Matched, Matches, Side, matches
from sightline.scoring.metrics.detection.state import ap_rule
from sightline.scoring.metrics.detection.thresholds import THRESHOLDS
from sightline.scoring.metrics.masks.drawing import Piece, drawn
from sightline.scoring.metrics.masks.grids import declared_scale
from sightline.scoring.metrics.state import MetricContext, Values

INSTANCE_METRICS = frozenset({"mask_ap", "mask_ap50", "mask_ap75"})
VALUES = ("score", "iou", "dice", "true_area", "predicted_area")


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
    return bool(context.options.get("instances") or context.wanted & INSTANCE_METRICS)


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
    for piece in drawn(batch.reply, batch.truth, (width, height), declared_scale(options.get("space"))):
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
    (reply, said, _), (truth, true, _) = piece.reply, piece.truth
    left = Side(mask_rows(said, piece.canvas), reply.offsets, reply.scores)
    right = Side(mask_rows(true, piece.canvas), truth.offsets)
    found = matches(left, right, mask_overlaps(said, true), THRESHOLDS)
    return found._replace(
        plain=_unscaled(found.plain, piece.scale), ranked=found.ranked and _unscaled(found.ranked, piece.scale)
    )


def _compare_unions(answered: NDArray[np.bool_], piece: Piece) -> tuple[Values, Floats, Floats]:
    """Values, and the areas of intersection and union. An unread reply earns 0, even where nothing was to be seen.

    Only where neither side has a polygon is saying nothing right: polygons without a pixel share none.
    """
    left, right = (union_masks(side.masks, side.polygons.offsets) for side in (piece.reply, piece.truth))
    nothing = (np.diff(piece.reply.polygons.offsets) == 0) & (np.diff(piece.truth.polygons.offsets) == 0)
    shared, said_area, true_area = (
        pixels / float(piece.scale) ** 2 for pixels in (shared_pixels(left, right), left.areas(), right.areas())
    )
    either, both, alike = said_area + true_area - shared, said_area + true_area, nothing.astype(np.float64)
    iou = np.where(answered, np.divide(shared, either, out=alike.copy(), where=either > 0), 0.0)
    dice = np.where(answered, np.divide(2 * shared, both, out=alike, where=both > 0), 0.0)
    values = {"score": iou, "iou": iou, "dice": dice, "true_area": true_area, "predicted_area": said_area}
    return values, shared, either


def _unscaled(matched: Matched, scale: int) -> Matched:
    """With areas in units of the space, whichever grid they were drawn on."""
    unit = float(scale) ** 2
    return matched._replace(predicted_area=matched.predicted_area / unit, true_area=matched.true_area / unit)
