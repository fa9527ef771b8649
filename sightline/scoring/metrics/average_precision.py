"""Average precision (AP): COCO's 101-point interpolated AP and VOC's area under the precision-recall curve.

Detections that have scores are ranked by them; without scores all tie, and the curve is a single step.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.geometry.arrays import Floats, Ints
from sightline.scoring.metrics.matching_kernels import Bits
from sightline.stats.exact import WEIGHT_UNIT, WeightRange, fixed_weights
from sightline.stats.state_checks import require, validate_state

POINTS = 101
"""COCO reads precision at the recalls 0, 0.01 … 1."""
Rule = Literal["coco", "voc"]
RECALLS = np.linspace(0.0, 1.0, POINTS)


@compiled
def interpolate_precision(scores: Floats, bits: Bits, level: int, truths: int) -> tuple[Floats, float]:
    """101-point interpolated precision (COCO) and the area under every step (VOC) of a ranking with ascending scores.

    Detections of one score are one step: whichever came first in a file changes nothing. There must be truths.
    """
    recalls, read = np.linspace(0.0, 1.0, POINTS), np.zeros(POINTS)
    predicted, hits = len(scores), 0
    for i in range(len(scores)):
        hits += (bits[i] >> level) & 1
    point, best, area, last, at = POINTS - 1, 0.0, 0.0, 0.0, 0
    while predicted > 0:  # from the worst detections up
        step_hits, step_predicted, score = 0, 0, scores[at]
        while at < len(scores) and scores[at] == score:
            step_hits += (bits[at] >> level) & 1
            step_predicted += 1
            at += 1
        recall = hits / truths
        while point >= 0 and recalls[point] > recall:
            read[point] = best
            point -= 1
        area += (last - recall) * best
        best, last = max(best, hits / predicted), recall
        hits -= step_hits
        predicted -= step_predicted
    read[: point + 1] = best
    return read, area + last * best


@compiled
def image_curves(at: Ints, scores: Floats, bits: Bits, level: int, truths: Ints) -> Floats:
    """AP by COCO and by VOC (columns) of each image alone, whose scores fall; NaN without truths."""
    found = np.full((len(at) - 1, 2), np.nan)
    for image in range(len(at) - 1):
        if truths[image] == 0:
            continue
        low, high = at[image], at[image + 1]
        rising, their_bits = scores[low:high][::-1].copy(), bits[low:high][::-1].copy()
        read, found[image, 1] = interpolate_precision(rising, their_bits, level, truths[image])
        found[image, 0] = read.sum() / POINTS
    return found


def tied_average_precision(hits: Any, predicted: Any, true: Any, rule: Rule = "coco") -> Any:
    """AP where all detections enter the curve together, as they do without scores; NaN without truths.

    The curve is one step: its precision holds up to its recall. COCO reads it at 101 recalls; VOC takes its area.
    """
    hits, predicted, true = np.broadcast_arrays(hits, predicted, true)
    precision = np.divide(hits, predicted, out=np.zeros(hits.shape), where=predicted > 0)
    recall = np.divide(hits, true, out=np.full(hits.shape, np.nan), where=true > 0)
    if rule == "voc":
        return precision * recall
    reached = np.searchsorted(RECALLS, recall, side="right") / POINTS
    return np.where(np.isnan(recall), np.nan, precision * reached)


class Ranking:
    """Scores and hits of every scored detection, ten bytes each, for the curve needs the order of all of them."""

    def __init__(self) -> None:
        self._scores: list[Floats] = []
        self._bits: list[Bits] = []
        self._weights: list[Floats] = []
        self.weights = WeightRange()
        self._is_sorted = True

    def __len__(self) -> int:
        return sum(map(len, self._scores))

    def add(self, scores: Floats, bits: Bits, weights: Floats | None = None) -> None:
        """Take scored detections; `weights` are those of their images."""
        if len(scores):
            self._keep_weights(weights)
            self._scores.append(scores.copy())
            self._bits.append(bits.copy())
            if not self.weights.is_unit:
                self._weights.append(np.ones(len(scores)) if weights is None else weights.copy())
            self._is_sorted = False

    def _keep_weights(self, weights: Floats | None) -> None:
        """Keep weights from the first on that is not 1: all before it are."""
        was_unit = self.weights.is_unit
        self.weights.add(weights)
        if was_unit and not self.weights.is_unit:
            self._weights = [np.ones(len(scores)) for scores in self._scores]

    def merge(self, other: Ranking) -> None:
        """Merge the state of `other`."""
        was_unit = self.weights.is_unit
        self.weights.merge(other.weights)
        if not self.weights.is_unit:
            mine = [np.ones(len(scores)) for scores in self._scores] if was_unit else self._weights
            theirs = [np.ones(len(scores)) for scores in other._scores] if other.weights.is_unit else other._weights
            self._weights = mine + theirs
        self._scores = self._scores + other._scores
        self._bits = self._bits + other._bits
        self._is_sorted = False

    def state_dict(self) -> dict[str, Any]:
        """All detections in arrays."""
        return {
            "scores": np.concatenate([np.empty(0), *self._scores]),
            "bits": np.concatenate([np.empty(0, np.uint16), *self._bits]),
            "weights": np.concatenate([np.empty(0), *self._weights]),
            **self.weights.state_dict(),
        }

    def load_state_dict(self, state: Any) -> None:
        """Restore the detections; raises `ValueError` if the data are invalid."""
        found = validate_state(state, Ranking().state_dict())
        require(len(found["scores"]) == len(found["bits"]))
        self.weights.load_state_dict({name: found[name] for name in self.weights.state_dict()})
        weights = found["weights"]
        require(len(weights) == (0 if self.weights.is_unit else len(found["scores"])))
        self._scores, self._bits, self._is_sorted = [found["scores"]], [found["bits"]], False
        self._weights = [] if self.weights.is_unit else [weights]

    def curve(self, level: int, truths: int) -> tuple[Floats, float]:
        """Precision at COCO's recalls and VOC's area at the threshold of this index; there must be truths.

        It is the curve of the detections as they are, whatever their weights.
        """
        scores, bits = self._sorted()
        return interpolate_precision(scores, bits, level, truths)

    def average_precision(self, level: int, truths: float, rule: Rule, is_weighted: bool = False) -> float | None:
        """AP at the threshold of this index; None without truths.

        `is_weighted`: weights of images differ, of those without a detection too, and `truths` is the sum of weights.
        """
        if truths == 0:
            return None
        if not is_weighted:
            read, area = self.curve(level, round(truths))
        else:
            scores, bits = self._sorted()
            weights = self._weights[0] if self._weights else np.ones(len(scores))
            read, area = weighted_curve(scores, bits >> level & 1 > 0, weights, truths)
        return float(area) if rule == "voc" else float(read.sum() / POINTS)

    def _sorted(self) -> tuple[Floats, Bits]:
        """By rising score. What was kept in pieces is let go at once: a million samples have a hundred megabytes."""
        if not self._is_sorted or not self._scores:
            self._scores = [np.concatenate([np.empty(0), *self._scores])]
            self._bits = [np.concatenate([np.empty(0, np.uint16), *self._bits])]
            order = np.argsort(self._scores[0])
            self._bits = [self._bits[0][order]]
            if self._weights:
                self._weights = [np.concatenate(self._weights)[order]]
            self._scores[0].sort()  # in place: bits of equal scores are one step, whatever their order
            self._is_sorted = True
        return self._scores[0], self._bits[0]


def weighted_curve(scores: Floats, hits: NDArray[np.bool_], weights: Floats, truths: float) -> tuple[Floats, float]:
    """101-point interpolated precision and VOC's area of a ranking with ascending scores whose detections have weights.

    Detections of one score are one step. Weights are summed as whole numbers: their order changes nothing.
    """
    mass = fixed_weights(weights)
    starts = np.flatnonzero(np.concatenate((np.ones(1, bool), scores[1:] != scores[:-1])))
    steps = [np.add.reduceat(column, starts)[::-1] for column in (mass * hits, mass)]
    found, given = (np.cumsum(step) for step in steps)  # from the best detections down
    recall = np.minimum(found / WEIGHT_UNIT / truths, 1.0)
    envelope = np.maximum.accumulate((found / given)[::-1])[::-1]
    positions = np.searchsorted(recall, RECALLS, side="left")
    read = np.where(positions < len(recall), np.append(envelope, 0.0)[positions], 0.0)
    area = float((np.diff(recall, prepend=0.0) * envelope).sum())
    return read, area
