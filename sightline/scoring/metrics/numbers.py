"""Metrics of numbers such as counts: exact answers, MAE, RMSE, and the best constant answer as a baseline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.core.records import Estimate
from sightline.data.columns import Batch
from sightline.scoring.metrics.state import Breakdown, ColumnState, Metric, MetricContext, Values, ratio
from sightline.stats.cluster_sums import ClusterSums
from sightline.stats.exact import fixed_weights
from sightline.stats.intervals import Floats

_EDGES = np.array([0.0, 1.0, 5.0, 20.0, 100.0])
BINS = ("0", "1", "2–5", "6–20", "21–100", ">100")
"""The ranges of the truth by which errors are told apart."""
_STEPS = np.unique(np.round(np.concatenate((np.arange(21.0), 20 * 1.1 ** np.arange(1.0, 66.0)))))
"""Where truth and reply are counted together: every number up to 20, then in steps of a tenth up to 9,808."""
Predictions = Sequence[float | None]
"""None stands for a reply that could not be read."""


def score_numbers(batch: Batch, context: MetricContext | None = None) -> Values:
    """Full marks for the exact number; `error` is how far it is off."""
    error = np.where(batch.answered, batch.reply.values - batch.truth.values, np.nan)
    return {"score": (error == 0).astype(np.float64), "error": error}


class NumberState(ColumnState):
    """Errors of numbers. A reply that could not be read is wrong, but has no error: MAE and RMSE leave it out."""

    input_kind: ClassVar[str] = "numbers"
    takes_weights: ClassVar[bool] = True

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.errors = ClusterSums(3)
        self.near = ClusterSums(2)
        self.bins = ClusterSums(6)
        self.unread = 0
        self.truths: dict[float, int] = {}
        """The weight of each truth, as `fixed_weights` has it."""
        self.together = np.zeros((len(_STEPS), len(_STEPS)), np.int64)
        """How often each truth and each reply met, both by their nearest steps."""

    def count(self, batch: Batch) -> Values:
        """See `ColumnState`."""
        scored = score_numbers(batch)
        score, error = scored["score"], scored["error"]
        truth, read = batch.truth.values, batch.answered
        size, one = np.nan_to_num(np.abs(error)), np.ones(len(batch))
        self.unread += int(np.count_nonzero(~read))
        weights = batch.weights
        self.errors.add(
            batch.clusters[read],
            np.stack((size, size * size, one), axis=1)[read],
            None if weights is None else weights[read],
        )
        self.near.add(batch.clusters, np.stack((read & (size <= 1), one), axis=1), weights)
        position = np.searchsorted(_EDGES, truth)
        columns = (position, one, score, read, size, np.nan_to_num(error))
        self.bins.add(position.astype(np.uint64), np.stack(columns, axis=1))
        values, positions = np.unique(truth, return_inverse=True)
        mass = np.zeros(len(values), np.int64)
        np.add.at(mass, positions, fixed_weights(one if weights is None else weights))
        for value, times in zip(values.tolist(), mass.tolist(), strict=True):
            self.truths[value] = self.truths.get(value, 0) + times
        cells = _step(truth[read]) * len(_STEPS) + _step(batch.reply.values[read])
        self.together += np.bincount(cells, minlength=self.together.size).reshape(self.together.shape)
        return scored

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        self.errors.merge(other.errors)
        self.near.merge(other.near)
        self.bins.merge(other.bins)
        self.unread += other.unread
        for value, times in other.truths.items():
            self.truths[value] = self.truths.get(value, 0) + times
        self.together += other.together

    def mae(self) -> Estimate:
        """Mean absolute error of the replies that could be read."""
        estimate = self.errors.estimate(lambda totals: totals[..., 0] / totals[..., 2], "positive")
        return replace(estimate, unparsed=self.unread)

    def rmse(self) -> Estimate:
        """Root of the mean squared error of the replies that could be read."""
        estimate = self.errors.estimate(lambda totals: np.sqrt(totals[..., 1] / totals[..., 2]), "positive")
        return replace(estimate, unparsed=self.unread)

    def within_one(self) -> Estimate:
        """Share of all samples whose number is off by one at most."""
        estimate = self.near.estimate(ratio, "share")
        return replace(estimate, unparsed=self.unread)

    def best_constant(self) -> tuple[str, float] | None:
        """The most frequent truth, given as the answer to everything."""
        if not self.truths:
            return None
        value, times = max(self.truths.items(), key=lambda pair: (pair[1], -pair[0]))
        return f"always {value:.12g}", times / sum(self.truths.values())

    def breakdowns(self) -> Sequence[Breakdown]:
        """Errors by the size of the truth, and replies against truths."""
        rows = []
        for position, n, right, read, size, signed in self.bins.table().tolist():
            means = (size / read, signed / read) if read else (None, None)
            rows.append((BINS[round(position / n)], round(n), right / n, *means))
        head = ("truth", "n", "accuracy", "mae", "mean_error")
        found = [Breakdown(name="by_truth", head=head, rows=tuple(rows))] if rows else []
        if self.together.any():
            steps = _STEPS.astype(int).tolist()
            positions = np.argwhere(self.together).tolist()
            counted = tuple((steps[one], steps[other], int(self.together[one, other])) for one, other in positions)
            found.append(Breakdown(name="calibration", head=("truth", "predicted", "n"), rows=counted))
        return tuple(found)


def _step(values: Floats) -> NDArray[np.intp]:
    """The nearest of the steps."""
    return np.searchsorted((_STEPS[1:] + _STEPS[:-1]) / 2, values)


def _metric(name: str, title: str, **more: Any) -> Metric:
    return Metric(name=name, title=title, state=NumberState, compute=lambda state: getattr(state, name)(), **more)


MAE = _metric("mae", "MAE", higher_is_better=False, unit="number")
RMSE = _metric("rmse", "RMSE", higher_is_better=False, unit="number")
WITHIN_ONE = _metric("within_one", "Within one", is_mean=True)


def calculate_mae(truths: Sequence[float], predictions: Predictions) -> float | None:
    """Mean absolute error of what could be read; None where nothing could."""
    errors = _errors(truths, predictions)
    return math.fsum(map(abs, errors)) / len(errors) if errors else None


def calculate_rmse(truths: Sequence[float], predictions: Predictions) -> float | None:
    """Root of the mean squared error of what could be read; None where nothing could."""
    errors = _errors(truths, predictions)
    return math.sqrt(math.fsum(error * error for error in errors) / len(errors)) if errors else None


def calculate_within_one(truths: Sequence[float], predictions: Predictions) -> float | None:
    """Share of samples off by one at most; None where there are none."""
    near = sum(abs(error) <= 1 for error in _errors(truths, predictions))
    return near / len(truths) if truths else None


def calculate_accuracy(truths: Sequence[Any], predictions: Sequence[Any]) -> float | None:
    """Share of samples whose prediction equals the truth; None where there are none."""
    right = sum(truth == given for truth, given in zip(truths, predictions, strict=True))
    return right / len(truths) if truths else None


def _errors(truths: Sequence[float], predictions: Predictions) -> list[float]:
    pairs = zip(truths, predictions, strict=True)
    return [given - truth for truth, given in pairs if given is not None]
