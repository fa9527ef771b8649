"""Average precision: of detections that all tie, and of a ranking by scores."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from sightline.geometry.arrays import Floats, Ints
from sightline.metrics.detection.curve_kernels import POINTS, image_curves, interpolated
from sightline.metrics.detection.matching_kernels import Bits

Rule = Literal["coco", "voc"]
RECALLS = np.linspace(0.0, 1.0, POINTS)


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
        self._is_sorted = True

    def __len__(self) -> int:
        return sum(map(len, self._scores))

    def add(self, scores: Floats, bits: Bits) -> None:
        """Take scored detections."""
        if len(scores):
            self._scores.append(scores.copy())
            self._bits.append(bits.copy())
            self._is_sorted = False

    def merge(self, other: Ranking) -> None:
        """Take all that `other` has."""
        self._scores += other._scores
        self._bits += other._bits
        self._is_sorted = False

    def curve(self, level: int, truths: int) -> tuple[Floats, float]:
        """Precision at COCO's recalls and VOC's area at the threshold of this place; there must be truths."""
        scores, bits = self._sorted()
        return interpolated(scores, bits, level, truths)

    def average_precision(self, level: int, truths: int, rule: Rule) -> float | None:
        """AP at the threshold of this place; None without truths."""
        if truths == 0:
            return None
        read, area = self.curve(level, truths)
        return float(area) if rule == "voc" else float(read.sum() / POINTS)

    def _sorted(self) -> tuple[Floats, Bits]:
        """By rising score. What was kept in pieces is let go at once: a million samples have a hundred megabytes."""
        if not self._is_sorted or not self._scores:
            self._scores = [np.concatenate([np.empty(0), *self._scores])]
            self._bits = [np.concatenate([np.empty(0, np.uint16), *self._bits])]
            self._bits = [self._bits[0][np.argsort(self._scores[0])]]
            self._scores[0].sort()  # in place: bits of equal scores are one step, whatever their order
            self._is_sorted = True
        return self._scores[0], self._bits[0]


def average_precision_of_images(at: Ints, scores: Floats, bits: Bits, level: int, truths: Ints, rule: Rule) -> Floats:
    """AP of each image alone, its detections ranked by falling scores; NaN without truths."""
    return image_curves(at, scores, bits, level, truths)[:, 1 if rule == "voc" else 0]
