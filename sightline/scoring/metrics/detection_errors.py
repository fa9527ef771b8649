"""TIDE error split of detection: what false positives and misses are due to, and the AP that each kind of error costs.

A prediction without a partner at IoU 0.5 is, by the first that holds:

- `localization`: IoU of 0.1 to 0.5 with a true shape of its class;
- `classification`: IoU of 0.5 or more with a true shape of another class;
- `duplicate`: IoU of 0.5 or more with a true shape of its class that another prediction has;
- `background`: IoU of at most 0.1 with every true shape;
- `both`: what remains, wrong in class and place.

A true shape that neither has a partner nor would get one by mending a localization or classification error is `missed`.
The cost of a kind is the AP that is gained when its errors alone are mended: the best prediction at each true shape
becomes a hit, other errors vanish, missed shapes are no longer asked for. AP is the mean over classes at IoU 0.5. The
definition is that of Bolya et al., "TIDE: A General Toolbox for Identifying Object Detection Errors" (2020).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sightline.core.records import Estimate
from sightline.data.columns import Batch
from sightline.scoring.geometry.arrays import Floats, Ints, image_of_rows
from sightline.scoring.geometry.boxes import row_order
from sightline.scoring.metrics.average_precision import POINTS, Rule, tied_average_precision, weighted_curve
from sightline.scoring.metrics.class_detection import labelled_batch
from sightline.scoring.metrics.detection import Images, ap_rule, match_shapes
from sightline.scoring.metrics.matching import PAIRS, Matched, Side, match, shape_sides, threshold_index
from sightline.scoring.metrics.shape_classes import (
    NO_LABELS,
    ClassState,
    ShapeClasses,
    group_by_class,
)
from sightline.scoring.metrics.state import Breakdown, Metric, MetricContext
from sightline.stats.exact import WEIGHT_UNIT, WeightRange, fixed_weights

FOREGROUND, BACKGROUND = 0.5, 0.1
"""IoU of a hit, and IoU up to which a prediction has nothing to do with a true shape."""
KINDS = ("classification", "localization", "both", "duplicate", "background", "missed")
HIT, CLASSIFICATION, LOCALIZATION, BOTH, DUPLICATE, OTHER_BACKGROUND = range(6)
_SPECIAL = ("all false positives", "all false negatives")


class Verdicts(NamedTuple):
    """What became of the shapes of a batch, in the order of the batch."""

    kind: Ints
    """Of each prediction: `HIT` or an error."""
    target: Ints
    """The true shape at which a classification or localization error aims; −1 for others."""
    is_mendable: NDArray[np.bool_]
    """Errors that would become hits."""
    is_found: NDArray[np.bool_]
    """True shapes with a partner."""
    is_missed: NDArray[np.bool_]
    """True shapes that no mended error would find."""


def judge(batch: Batch, classes: ShapeClasses, by_score: bool) -> Verdicts:
    """The kind of every prediction, matched by score or as many as possible."""
    is_hit, is_found = _match(batch, classes, by_score)
    truth, reply = batch.truth, batch.reply
    one, other, overlapping = shape_sides(reply, truth)
    order, true_order = row_order(one.rows, one.at), row_order(other.rows, other.at)
    found = overlapping(one.rows[order], one.at, other.rows[true_order], other.at, BACKGROUND, PAIRS)
    left, right, iou = order[found.left], true_order[found.right], found.iou
    mine, theirs = classes.index(reply), classes.index(truth)
    same = mine[left] == theirs[right]
    size = len(mine)
    # the best partner of each prediction; of equal ones the first in the order of coordinates
    falling = np.lexsort((found.right, -iou, left))
    near, near_iou = _first(left[falling], right[falling], iou[falling], same[falling], size)
    wrong, wrong_iou = _first(left[falling], right[falling], iou[falling], ~same[falling], size)
    _, taken_iou = _first(left[falling], right[falling], iou[falling], (same & is_found[right])[falling], size)
    kind = np.full(size, BOTH)
    kind[np.maximum(near_iou, wrong_iou) <= BACKGROUND] = OTHER_BACKGROUND
    kind[taken_iou >= FOREGROUND] = DUPLICATE
    kind[wrong_iou >= FOREGROUND] = CLASSIFICATION
    kind[(near_iou >= BACKGROUND) & (near_iou <= FOREGROUND)] = LOCALIZATION
    kind[is_hit] = HIT
    target = np.where(kind == LOCALIZATION, near, np.where(kind == CLASSIFICATION, wrong, -1))
    aimed = np.flatnonzero(target >= 0)
    aimed = aimed[~is_found[target[aimed]]]
    scores = reply.scores[aimed] if by_score and reply.scores is not None else np.zeros(len(aimed))
    place = np.empty(size, np.int64)
    place[order] = np.arange(size)
    best_iou = np.where(kind == LOCALIZATION, near_iou, wrong_iou)[aimed]
    ranked = aimed[np.lexsort((place[aimed], -best_iou, -scores, target[aimed]))]
    first = np.ones(len(ranked), bool)
    first[1:] = target[ranked[1:]] != target[ranked[:-1]]
    is_mendable = np.zeros(size, bool)
    is_mendable[ranked[first]] = True
    is_missed = ~is_found
    is_missed[target[aimed]] = False
    return Verdicts(kind, target, is_mendable, is_found, is_missed)


def _first(left: Ints, right: Ints, iou: Floats, chosen: NDArray[np.bool_], size: int) -> tuple[Ints, Floats]:
    """The first chosen pair of each left shape: its right shape and IoU; −1 and 0 where there is none."""
    rows = np.flatnonzero(chosen)
    is_first = np.ones(len(rows), bool)
    is_first[1:] = left[rows[1:]] != left[rows[:-1]]
    rows = rows[is_first]
    partner, best = np.full(size, -1), np.zeros(size)
    partner[left[rows]], best[left[rows]] = right[rows], iou[rows]
    return partner, best


def _match(batch: Batch, classes: ShapeClasses, by_score: bool) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which predictions and which true shapes have a partner of their class."""
    if not classes.are_labelled:  # all are of one class, and are matched already
        predicted, true, _ = shape_sides(batch.reply, batch.truth)
        matches, level = match_shapes(batch), threshold_index(FOREGROUND)
        matched = matches.ranked if by_score and matches.ranked is not None else matches.unscored
        reply_order, truth_order = np.arange(len(predicted.rows)), np.arange(len(true.rows))
    else:
        groups, level = group_by_class(batch, classes), 0
        predicted, true, overlapping = shape_sides(groups.reply, groups.truth)
        predicted = predicted if by_score else predicted._replace(scores=None)
        matched = match(predicted, true, overlapping, (FOREGROUND,))
        reply_order, truth_order = groups.reply_order, groups.truth_order
    is_hit, is_found = np.zeros(len(predicted.rows), bool), np.zeros(len(true.rows), bool)
    bit = np.uint16(1 << level)
    is_hit[reply_order[_rows_of_bits(predicted, matched)]] = matched.predicted_bits & bit > 0
    is_found[truth_order[row_order(true.rows, true.at)]] = matched.true_bits & bit > 0
    return is_hit, is_found


def _rows_of_bits(predicted: Side, matched: Matched) -> Ints:
    """The row that each bit of a matching is about: `match` sorts rows by coordinates, then by score."""
    order = row_order(predicted.rows, predicted.at)
    if predicted.scores is None or matched.scores is None:
        return order
    scores = np.nan_to_num(predicted.scores, nan=-np.inf, posinf=np.inf, neginf=-np.inf)[order]
    rank: Ints = order[np.lexsort((order, -scores, image_of_rows(predicted.at)))]
    return rank


_COLUMNS = 12
_TRUE, _MISSED, _FOUND, _ENTERING = 8, 9, 10, 11
"""Columns of the counts of a class beside those of `HIT` … `OTHER_BACKGROUND`; 6 and 7 are mendable errors."""
_MEND = {CLASSIFICATION: 6, LOCALIZATION: 7}


class ErrorCounts:
    """Errors of each class: as counts where there are no scores, else one entry of 20 bytes per prediction."""

    excluded_from_state: ClassVar[tuple[str, ...]] = ("classes", "rule")

    def __init__(self, classes: ShapeClasses, rule: Rule) -> None:
        self.classes, self.rule = classes, rule
        self.samples = 0
        self.weights = WeightRange()
        self.table = np.zeros((len(classes) + 1, _COLUMNS), np.int64)
        """The last row has predictions of other classes than those of the truths."""
        self.masses = np.zeros((len(classes) + 1, _COLUMNS), np.int64)
        self.ranked_table = np.zeros((len(classes) + 1, _COLUMNS), np.int64)
        self.ranked_masses = np.zeros((len(classes) + 1, _COLUMNS), np.int64)
        """The same by score; of no use once a prediction had none."""
        self.scored = 0
        self.unscored = 0
        self.entries: list[NDArray[np.float64]] = []
        """Columns: score, class, kind, whether it is mendable, class of the target, weight."""

    def add(self, batch: Batch) -> None:
        """Count a batch."""
        self.samples += len(batch)
        self.weights.add(batch.weights)
        weights = np.ones(len(batch)) if batch.weights is None else batch.weights
        self._tabulate(batch, judge(batch, self.classes, False), weights, self.table, self.masses)
        scores, count = batch.reply.scores, len(image_of_rows(batch.reply.offsets))
        unscored = count if scores is None else int(np.isnan(scores).sum())
        self.unscored += unscored
        self.scored += count - unscored
        if self.unscored:
            self.entries = []
            return
        found = judge(batch, self.classes, True)
        self._tabulate(batch, found, weights, self.ranked_table, self.ranked_masses)
        if scores is not None:
            mine, theirs = self.classes.index(batch.reply), self.classes.index(batch.truth)
            aim = np.append(theirs, -1)[found.target]
            each = weights[image_of_rows(batch.reply.offsets)]
            self.entries.append(np.stack((scores, mine, found.kind, found.is_mendable, aim, each), axis=1))

    def _tabulate(self, batch: Batch, found: Verdicts, weights: Floats, table: Ints, masses: Ints) -> None:
        mine, theirs = self.classes.index(batch.reply), self.classes.index(batch.truth)
        of_reply, of_truth = image_of_rows(batch.reply.offsets), image_of_rows(batch.truth.offsets)
        parts = [(mine, found.kind, of_reply)]
        for kind, column in _MEND.items():
            rows = np.flatnonzero(found.is_mendable & (found.kind == kind))
            parts.append((mine[rows], np.full(len(rows), column), of_reply[rows]))
            if kind == CLASSIFICATION:
                parts.append((theirs[found.target[rows]], np.full(len(rows), _ENTERING), of_reply[rows]))
        for flags, column in (
            (np.ones(len(theirs), bool), _TRUE),
            (found.is_missed, _MISSED),
            (found.is_found, _FOUND),
        ):
            rows = np.flatnonzero(flags)
            parts.append((theirs[rows], np.full(len(rows), column), of_truth[rows]))
        classes, columns, images = (np.concatenate(part) for part in zip(*parts, strict=True))
        np.add.at(table, (classes, columns), 1)
        np.add.at(masses, (classes, columns), fixed_weights(weights)[images])

    def merge(self, other: ErrorCounts) -> None:
        """Merge the counts of `other`, over the same classes."""
        self.samples += other.samples
        self.weights.merge(other.weights)
        for mine, theirs in (
            (self.table, other.table),
            (self.masses, other.masses),
            (self.ranked_table, other.ranked_table),
            (self.ranked_masses, other.ranked_masses),
        ):
            mine += theirs
        self.scored += other.scored
        self.unscored += other.unscored
        self.entries = [] if self.unscored else self.entries + other.entries

    @property
    def are_ranked(self) -> bool:
        """Whether every prediction has a score."""
        return bool(self.scored) and not self.unscored

    def errors(self) -> dict[str, int]:
        """How many errors of each kind there are."""
        totals = (self.ranked_table if self.are_ranked else self.table).sum(axis=0)
        columns = (CLASSIFICATION, LOCALIZATION, BOTH, DUPLICATE, OTHER_BACKGROUND, _MISSED)
        found = dict(zip(KINDS, (int(totals[column]) for column in columns), strict=True))
        false = sum(int(totals[kind]) for kind in range(1, 6))
        return {**found, _SPECIAL[0]: false, _SPECIAL[1]: int(totals[_TRUE] - totals[_FOUND])}

    def average_precision(self, mended: str = "") -> float | None:
        """Mean AP over classes, with the errors of a kind mended; None without truths."""
        tables = (self.ranked_table, self.ranked_masses) if self.are_ranked else (self.table, self.masses)
        counts = tables[0].astype(np.float64) if self.weights.is_even else tables[1] / WEIGHT_UNIT
        values = []
        entries = np.concatenate([np.empty((0, 6)), *self.entries]) if self.are_ranked else None
        for index in np.flatnonzero(counts[:-1, _TRUE] > 0).tolist():
            row = counts[index]
            true = row[_TRUE] - {"missed": row[_MISSED], _SPECIAL[1]: row[_TRUE] - row[_FOUND]}.get(mended, 0.0)
            if entries is not None:
                value = self._ranked_ap(entries, index, true, mended)
            else:
                value = self._tied_ap(row, true, mended)
            if value is not None:
                values.append(value)
        return sum(values) / len(values) if values else None

    def _tied_ap(self, row: Floats, true: float, mended: str) -> float | None:
        hits, given = row[HIT], row[:6].sum()
        if mended == "localization":
            hits, given = hits + row[_MEND[LOCALIZATION]], given - row[LOCALIZATION] + row[_MEND[LOCALIZATION]]
        elif mended == "classification":
            hits, given = hits + row[_ENTERING], given - row[CLASSIFICATION] + row[_ENTERING]
        elif mended in KINDS[2:5]:
            given -= row[(BOTH, DUPLICATE, OTHER_BACKGROUND)[KINDS.index(mended) - 2]]
        elif mended == _SPECIAL[0]:
            given = hits
        if true <= 0:
            return 0.0 if given > 0 else None
        return float(tied_average_precision(hits, given, true, self.rule))

    def _ranked_ap(self, entries: NDArray[np.float64], index: int, true: float, mended: str) -> float | None:
        kind, mendable = entries[:, 2].astype(np.int64), entries[:, 3] > 0
        chosen, hits = entries[:, 1] == index, kind == HIT
        if mended == "localization":
            hits, chosen = hits | (mendable & (kind == LOCALIZATION)), chosen & ((kind != LOCALIZATION) | mendable)
        elif mended == "classification":
            enters = mendable & (kind == CLASSIFICATION) & (entries[:, 4] == index)
            hits, chosen = hits | enters, (chosen & (kind != CLASSIFICATION)) | enters
        elif mended in KINDS[2:5]:
            chosen = chosen & (kind != (BOTH, DUPLICATE, OTHER_BACKGROUND)[KINDS.index(mended) - 2])
        elif mended == _SPECIAL[0]:
            chosen = chosen & hits
        if true <= 0:
            return 0.0 if chosen.any() else None
        if not chosen.any():
            return 0.0
        rows = entries[chosen]
        order = np.argsort(rows[:, 0], kind="stable")
        weights = np.ones(len(rows)) if self.weights.is_even else rows[:, 5]
        read, area = weighted_curve(rows[order, 0], hits[chosen][order], weights[order], true)
        return float(area) if self.rule == "voc" else float(read.sum() / POINTS)

    def cost(self, kind: str) -> float | None:
        """The AP that mending the errors of a kind would gain, at least 0."""
        now, then = self.average_precision(), self.average_precision(kind)
        return None if now is None else max(0.0, (now if then is None else then) - now)


class DetectionErrorState(ClassState[ErrorCounts]):
    """TIDE errors."""

    input_kind: ClassVar[str] = "shapes"
    needs_labels: ClassVar[bool] = False

    def make_counts(self, classes: ShapeClasses) -> ErrorCounts:
        """See `ClassState`."""
        return ErrorCounts(classes, ap_rule(self.context))

    def cost(self, kind: str) -> Estimate:
        """The AP that errors of a kind cost."""
        counts = self.counts
        if kind in ("classification", "both") and not counts.classes.are_labelled:
            return Estimate(value=None, n=counts.samples, reason=NO_LABELS)
        return Estimate(value=counts.cost(kind), n=counts.samples)

    def breakdowns(self) -> Sequence[Breakdown]:
        """Errors of each kind, and the AP that each costs."""
        counts = self.counts
        if counts.average_precision() is None:
            return ()
        errors = counts.errors()
        rows = tuple((kind, errors[kind], counts.cost(kind)) for kind in (*KINDS, *_SPECIAL))
        return (Breakdown(name="errors", head=("error", "count", "AP lost"), rows=rows),)

    def remarks(self) -> Mapping[str, int]:
        """Nothing of its own: what is too crowded is told by the matching."""
        return {}


def _metric(name: str, title: str, kind: str) -> Metric:
    return Metric(
        name=name,
        title=title,
        state=DetectionErrorState,
        compute=lambda state: state.cost(kind),
        higher_is_better=False,
        is_optional=True,
    )


TIDE_CLS = _metric("tide_cls", "AP lost to classification", "classification")
TIDE_LOC = _metric("tide_loc", "AP lost to localization", "localization")
TIDE_BOTH = _metric("tide_both", "AP lost to class and place", "both")
TIDE_DUPE = _metric("tide_dupe", "AP lost to duplicates", "duplicate")
TIDE_BKG = _metric("tide_bkg", "AP lost to background", "background")
TIDE_MISS = _metric("tide_miss", "AP lost to missed objects", "missed")


class DetectionErrors(NamedTuple):
    """AP at IoU 0.5, and of each kind of error the number and the AP that it costs."""

    average_precision: float | None
    errors: dict[str, int]
    costs: dict[str, float | None]


def calculate_detection_errors(
    truths: Images,
    predictions: Images,
    truth_labels: Sequence[Sequence[str]] | None = None,
    labels: Sequence[Sequence[str]] | None = None,
    *,
    scores: Sequence[ArrayLike] | None = None,
    rule: Rule = "coco",
) -> DetectionErrors:
    """The TIDE error split of boxes or quads, one entry per image; without labels all are of one class."""
    sides = [[[""] * len(np.asarray(image)) for image in side] for side in (truths, predictions)]
    batch = labelled_batch(truths, predictions, truth_labels or sides[0], labels or sides[1], scores)
    state = DetectionErrorState(MetricContext(options={"ap": rule}))
    state.count(batch)
    counts = state.counts
    kinds = (*KINDS, *_SPECIAL)
    return DetectionErrors(counts.average_precision(), counts.errors(), {kind: counts.cost(kind) for kind in kinds})
