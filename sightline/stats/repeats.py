"""Statistics of repeated questions: unbiased pass@k, agreement, and variance components of questions and sampling.

The question is the unit: each counts with its sampling weight and with the mean over its graded replies. The score of a
reply is s = μ + question + sampling. Repeats of a question share its part, and the questions of a cluster are
correlated; so the standard error of the mean is that over clusters. How much of its square comes from sampling follows
from the spread within questions; the rest comes from the questions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.records import Estimate
from sightline.stats.cluster_sums import ClusterSums, column_estimate
from sightline.stats.exact import SCORE_UNIT
from sightline.stats.influence import Hashes
from sightline.stats.student import Floats, quotient

FEW_CLUSTERS = 30
"""With fewer clusters a split of the variance is rough: the standard error itself is uncertain by more than 13 %."""
_WEIGHT_SQUARE_UNIT = 2**120
"""A weighted sum of 1 as a whole number: squares of small weights, as of those whose sum is 1, need many digits."""
_NO_SPREAD = 1e-9
"""Variance of questions' values below which they are equal: rounding leaves about 10⁻¹²."""


def pass_at_k(n: int, passed: int, k: int) -> float:
    """Unbiased pass@k (Chen et al. 2021): the chance that one of k replies passes, drawn from n of which some did."""
    choices = math.comb(n, k)
    return (choices - math.comb(n - passed, k)) / choices  # rounded once: pass@1 is passed / n to the last digit


def pairwise_agreement(counts: Sequence[int], n: int) -> float:
    """The share of pairs of n replies with the same answer, where `counts` are the replies of each answer."""
    return sum(count * (count - 1) for count in counts) / (n * (n - 1))


class QuestionMeans:
    """A figure with one value per question: exact sums by cluster, its mean with interval, and bounds for failures.

    Questions without a graded reply have no value, but they have bounds.
    """

    def __init__(self) -> None:
        self._sums = ClusterSums(2)
        """Columns: values, questions."""
        self._bounds = ClusterSums(3)
        """Columns: lowest values, highest values, questions."""
        self._squares = self._values = 0
        """Sums over questions without weights, as whole numbers of 2⁻⁴⁰."""

    @property
    def questions(self) -> int:
        """Questions that have a value."""
        return self._sums.samples

    def add(self, clusters: Hashes, values: Floats, weights: Floats | None = None) -> None:
        """Add questions with a value."""
        self._sums.add(clusters, np.stack((values, np.ones(len(values))), axis=1), weights)
        self._squares += int(np.rint(values * values * SCORE_UNIT).astype(np.int64).sum())
        self._values += int(np.rint(values * SCORE_UNIT).astype(np.int64).sum())

    def add_bounds(self, clusters: Hashes, lowest: Floats, highest: Floats, weights: Floats | None = None) -> None:
        """Add the values of questions if all failed replies were wrong, and if all failed and unread ones were right.

        Every question that was asked has them.
        """
        self._bounds.add(clusters, np.stack((lowest, highest, np.ones(len(lowest))), axis=1), weights)

    def merge(self, other: Self) -> None:
        """Add all questions of another."""
        self._sums.merge(other._sums)
        self._bounds.merge(other._bounds)
        self._squares += other._squares
        self._values += other._values

    def estimate(self) -> Estimate:
        """The mean over questions; its interval is that of a share over clusters, as for questions asked once."""
        found = column_estimate(
            self._sums,
            [0, 1],
            _ratio,
            "share",
            is_binary=self._sums.binary,
            max_effective_samples=self._effective_size(),
        )
        if found.value is None or not self._bounds.samples:
            return found
        value = self._sums.totals().tolist()
        lowest, highest, questions = self._bounds.totals().tolist()
        # where nothing failed, the bounds are the value to the last digit
        floor = found.value if [lowest, questions] == value else lowest / questions
        ceiling = found.value if [highest, questions] == value else highest / questions
        return replace(found, floor=floor, ceiling=ceiling)

    def _effective_size(self) -> float | None:
        """The number of right or wrong replies whose share would be as uncertain, were all questions independent.

        The spread over clusters may be small by chance: the interval assumes no more replies than these.
        """
        n = self._sums.samples
        share = self._values / SCORE_UNIT / n if n else 0.0
        spread = self._squares / SCORE_UNIT - n * share * share
        if n < 2 or not 0 < share < 1 or spread <= _NO_SPREAD * n:
            return None
        return share * (1 - share) * n * (n - 1) / spread


def _ratio(totals: Floats) -> Any:
    return totals[..., 0] / totals[..., 1]


class VarianceSplit(Struct, frozen=True, kw_only=True):
    """Variance components of a mean over repeated questions; None where the repeats can't tell."""

    error: float | None = None
    """Standard error of the mean over clusters of questions."""
    error_questions: float | None = None
    """The part of it that more questions would reduce: √(error² − error_sampling²), or 0 where that is negative."""
    error_sampling: float | None = None
    """The part of it that more repeats would reduce. It may exceed `error`: each is estimated by itself."""
    between: float | None = None
    """Variance of the questions' expected scores."""
    within: float | None = None
    """Variance of the replies to one question."""
    clusters: int = 0
    """Clusters of questions from which `error` was estimated."""

    @property
    def is_rough(self) -> bool:
        """Whether there are too few clusters for more than a rough split."""
        return self.clusters < FEW_CLUSTERS

    @property
    def sampling_share(self) -> float | None:
        """Share of the variance that comes from sampling; None where it can't be distinguished from all of it."""
        if self.error is None or self.error_sampling is None or self.error_sampling > self.error:
            return None
        return self.error_sampling**2 / self.error**2 if self.error else 0.0


class RepeatVariance:
    """Mergeable exact sums for the variance components of repeated questions (one-way random effects)."""

    def __init__(self) -> None:
        self._sums = ClusterSums(2)
        """Columns: mean scores of questions, questions."""
        self._totals = dict.fromkeys(
            ("weight", "mean", "square", "repeated", "within", "doubt", "error", "single", "single_square"), 0
        )
        """Whole numbers of 2⁻¹²⁰. Over all questions: weights w, weighted means and squared means. Over those with n ≥
        2 replies: weights, weighted variances s² within, w·s²/n and w²·s²/n. Over those with one: w and w²."""
        self.questions = 0

    def add(self, clusters: Sequence[int], weights: Sequence[float], scores: Sequence[Sequence[float]]) -> None:
        """Add questions: the cluster, the weight and the scores of the replies of each, at least one."""
        means = np.array([sum(row) / len(row) for row in scores], np.float64)
        columns = np.stack((means, np.ones(len(means))), axis=1)
        self._sums.add(np.array(clusters, np.uint64), columns, np.array(weights, np.float64))
        self.questions += len(scores)
        for weight, row, mean in zip(weights, scores, means.tolist(), strict=True):
            values = {"weight": weight, "mean": weight * mean, "square": weight * mean * mean}
            if (n := len(row)) > 1:
                within = sum((score - mean) ** 2 for score in row) / (n - 1)
                values |= {"repeated": weight, "within": weight * within, "doubt": weight * within / n}
                values |= {"error": weight * weight * within / n}
            else:
                values |= {"single": weight, "single_square": weight * weight}
            for name, value in values.items():
                self._totals[name] += round(value * _WEIGHT_SQUARE_UNIT)

    def merge(self, other: Self) -> None:
        """Add all questions of another."""
        self._sums.merge(other._sums)
        self.questions += other.questions
        for name, value in other._totals.items():
            self._totals[name] += value

    def split(self) -> VarianceSplit:
        """The variance components."""
        total = {name: value / _WEIGHT_SQUARE_UNIT for name, value in self._totals.items()}
        table = self._sums.table()
        found = quotient(table[:, 0], table[:, 1]) if len(table) else None
        if found is None:
            return VarianceSplit()
        if not total["repeated"] or self.questions < 2:
            return VarianceSplit(error=found.error, clusters=found.clusters)
        # a question with a single reply tells nothing of sampling: it is taken to vary as the others do
        within = total["within"] / total["repeated"]
        sampling = (total["error"] + within * total["single_square"]) / total["weight"] ** 2
        mean = total["mean"] / total["weight"]
        among = (total["square"] / total["weight"] - mean * mean) * self.questions / (self.questions - 1)
        doubt = (total["doubt"] + within * total["single"]) / total["weight"]
        return VarianceSplit(
            error=found.error,
            error_questions=math.sqrt(max(0.0, found.error**2 - sampling)),
            error_sampling=math.sqrt(sampling),
            between=max(0.0, among - doubt),
            within=within,
            clusters=found.clusters,
        )
