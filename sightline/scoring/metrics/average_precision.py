"""Average precision (AP): COCO's 101-point interpolated AP and VOC's area under the precision-recall curve.

Detections that have scores are ranked by them; without scores all tie, and the curve is a single step.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.data.columns import Hashes
from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.geometry.arrays import Floats, Ints
from sightline.scoring.metrics.matching_kernels import Bits
from sightline.stats.exact import WEIGHT_UNIT, WeightRange, fixed_weights
from sightline.stats.state_checks import require, validate_state

POINTS = 101
"""COCO reads precision at the recalls 0, 0.01 … 1."""
Rule = Literal["coco", "voc"]
RECALLS = np.linspace(0.0, 1.0, POINTS)
GROUPS = 1 << 16
"""Of a scored detection's cluster the last bits of the hash are kept: in how many groups clusters are told apart."""
INFLUENCE_UNIT = 2**30
"""What an influence of one truth is as a whole number; thousands of millions of detections fit into 64 bits."""


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
def add_influences(
    scores: Floats, bits: Bits, level: int, masses: Ints, groups: NDArray[np.uint16], sums: Ints
) -> float:
    """Add to `sums` what each group contributes to the area under the interpolated curve, in units of a truth.

    The area is Σ steps (recall gained · precision). It moves with a detection's own gain of recall, and with every
    precision that the detection is counted in: with p = hits / n at the end of a run of steps that share the envelope,
    by (hit − p) / n. Scores ascend; `masses` are the weights of detections as whole numbers of 2⁻³², or empty. A whole
    number of units for each detection is added, so that no order of equal scores changes a digit. Returns the area
    under the curve without interpolation, in truths.
    """
    count, is_weighted = len(scores), len(masses) > 0
    found, given, starts = np.zeros(count + 1), np.zeros(count + 1), np.zeros(count + 1, np.int64)
    steps, at, hits, predicted = 0, count, 0, 0
    starts[0] = count
    while at > 0:  # from the best detections down; sums of whole numbers are exact
        score = scores[at - 1]
        while at > 0 and scores[at - 1] == score:
            at -= 1
            mass = masses[at] if is_weighted else 1
            hits += mass * ((bits[at] >> level) & 1)
            predicted += mass
        steps += 1
        unit = WEIGHT_UNIT if is_weighted else 1
        found[steps], given[steps], starts[steps] = hits / unit, predicted / unit, at
    end, gain, loss, raw = steps, 0.0, 0.0, 0.0
    for k in range(1, steps + 1):
        raw += (found[k] - found[k - 1]) * found[k] / given[k]
    while end > 0:  # runs of steps that share the precision at their end, from the worst up
        best, first = found[end] / given[end], end - 1
        while first > 0 and found[first] <= best * given[first]:
            first -= 1
        share = (found[end] - found[first]) / given[end]
        gain, loss = gain + share, loss + share * best
        for i in range(starts[end], starts[first]):
            mass = masses[i] / WEIGHT_UNIT if is_weighted else 1.0
            moved = mass * (((bits[i] >> level) & 1) * (best + gain) - loss)
            sums[groups[i]] += np.int64(np.rint(moved * INFLUENCE_UNIT))
        end = first
    return raw


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


def mean_tied_precision(totals: Floats, rule: Rule) -> Any:
    """Mean over thresholds of AP without scores, from sums in the columns (hits at each, predicted, true)."""
    hits, predicted, true = totals[..., :-2], totals[..., -2:-1], totals[..., -1:]
    return tied_average_precision(hits, predicted, true, rule).mean(axis=-1)


class Ranking:
    """Scores, hits and clusters of all scored detections, twelve bytes each: the curve needs the order of all."""

    def __init__(self) -> None:
        self._scores: list[Floats] = []
        self._bits: list[Bits] = []
        self._groups: list[NDArray[np.uint16]] = []
        self._weights: list[Floats] = []
        self.weights = WeightRange()
        self._is_sorted = True

    def __len__(self) -> int:
        return sum(map(len, self._scores))

    def add(self, scores: Floats, bits: Bits, clusters: Hashes, weights: Floats | None = None) -> None:
        """Take scored detections; `clusters` and `weights` are those of their images."""
        if len(scores):
            self._keep_weights(weights)
            self._scores.append(scores.copy())
            self._bits.append(bits.copy())
            self._groups.append(clusters.astype(np.uint16))  # the last 16 bits
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
        self._groups = self._groups + other._groups
        self._is_sorted = False

    def state_dict(self) -> dict[str, Any]:
        """All detections in arrays."""
        return {
            "scores": np.concatenate([np.empty(0), *self._scores]),
            "bits": np.concatenate([np.empty(0, np.uint16), *self._bits]),
            "clusters": np.concatenate([np.empty(0, np.uint16), *self._groups]),
            "weights": np.concatenate([np.empty(0), *self._weights]),
            **self.weights.state_dict(),
        }

    def load_state_dict(self, state: Any) -> None:
        """Restore the detections; raises `ValueError` if the data are invalid."""
        found = validate_state(state, Ranking().state_dict())
        require(len(found["scores"]) == len(found["bits"]) == len(found["clusters"]))
        self.weights.load_state_dict({name: found[name] for name in self.weights.state_dict()})
        weights = found["weights"]
        require(len(weights) == (0 if self.weights.is_unit else len(found["scores"])))
        self._scores, self._bits, self._is_sorted = [found["scores"]], [found["bits"]], False
        self._groups = [found["clusters"]]
        self._weights = [] if self.weights.is_unit else [weights]

    def curve(self, level: int, truths: int) -> tuple[Floats, float]:
        """Precision at COCO's recalls and VOC's area at the threshold of this index; there must be truths.

        It is the curve of the detections as they are, whatever their weights.
        """
        scores, bits = self._sorted()
        return interpolate_precision(scores, bits, level, truths)

    def average_precision(self, level: int, truths: float, is_weighted: bool = False) -> tuple[float, float]:
        """AP by COCO's 101 points and by VOC's area, at the threshold of this index; there must be truths.

        `is_weighted`: weights of images differ, of those without a detection too, and `truths` is the sum of weights.
        """
        if not is_weighted:
            read, area = self.curve(level, round(truths))
        else:
            scores, bits = self._sorted()
            weights = self._weights[0] if self._weights else np.ones(len(scores))
            read, area = weighted_curve(scores, bits >> level & 1 > 0, weights, truths)
        return float(read.sum() / POINTS), float(area)

    def influences(self, level: int, truths: float, is_weighted: bool = False) -> tuple[Floats, float]:
        """What the detections of each of `GROUPS` groups contribute to the area under the curve; there must be truths.

        Without the contribution of the truths, each of which takes away area / truths. Beside it the area under the
        curve without interpolation.
        """
        scores, bits = self._sorted()
        sums = np.zeros(GROUPS, np.int64)
        masses = fixed_weights(self._weights[0]) if is_weighted and self._weights else np.empty(0, np.int64)
        raw = add_influences(scores, bits, level, masses, self._groups[0], sums)
        return sums / (INFLUENCE_UNIT * truths), raw / truths

    def _sorted(self) -> tuple[Floats, Bits]:
        """By rising score. What was kept in pieces is let go at once: a million samples have a hundred megabytes."""
        if not self._is_sorted or not self._scores:
            self._scores = [np.concatenate([np.empty(0), *self._scores])]
            self._bits = [np.concatenate([np.empty(0, np.uint16), *self._bits])]
            order = np.argsort(self._scores[0])
            self._bits = [self._bits[0][order]]
            self._groups = [np.concatenate([np.empty(0, np.uint16), *self._groups])[order]]
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
