"""Statistics of repeated questions: unbiased pass@k, agreement, and variance components of questions and sampling.

The score of a reply is s = μ + question + sampling. Repeats of a question share its part, and the questions of a
cluster are correlated; so the standard error of the mean is that over clusters, to which all repeats belong. How much
of its square comes from sampling follows from the spread within questions; the rest comes from the questions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.stats.cluster_sums import GroupSums
from sightline.stats.exact import ONE, fixed
from sightline.stats.student import quotient


def pass_at_k(n: int, passed: int, k: int) -> float:
    """Unbiased pass@k (Chen et al. 2021): the chance that one of k replies passes, drawn from n of which some did."""
    return 1 - math.comb(n - passed, k) / math.comb(n, k)


def pairwise_agreement(counts: Sequence[int], n: int) -> float:
    """The share of pairs of n replies with the same answer, where `counts` are the replies of each answer."""
    return sum(count * (count - 1) for count in counts) / (n * (n - 1))


class QuestionSpread:
    """Exact sums over questions that tell how many independent replies the repeats of all questions are worth.

    The spread over clusters may be small by chance. Replies are then taken to be worth no more than if all questions
    were independent of each other; the repeats of a question never are.
    """

    def __init__(self) -> None:
        self.questions = 0
        self._sums: NDArray[np.int64] = np.zeros(3, np.int64)
        """Over questions: right², right · replies, replies²."""

    def add(self, questions: NDArray[np.int64], right: NDArray[np.bool_]) -> None:
        """Add replies with the number of their question, whole questions at a time."""
        _, inverse = np.unique(questions, return_inverse=True)
        replies, earned = np.bincount(inverse), np.bincount(inverse, weights=right).astype(np.int64)
        self.questions += len(replies)
        self._sums += [int((earned**2).sum()), int((earned * replies).sum()), int((replies**2).sum())]

    def merge(self, other: Self) -> None:
        """Add all questions of another."""
        self.questions += other.questions
        self._sums += other._sums

    def worth(self, right: float, replies: float) -> float | None:
        """The number of independent replies with which a share would be as uncertain; None: nothing is repeated."""
        if self.questions < 2 or not 0 < right < replies:
            return None
        share = right / replies
        squares, products, sizes = (float(value) for value in self._sums)
        spread = squares - 2 * share * products + share * share * sizes
        if spread <= 0:
            return None
        return share * (1 - share) * replies**2 / spread * (self.questions - 1) / self.questions


class VarianceSplit(Struct, frozen=True, kw_only=True):
    """Variance components of a mean over repeated questions; None where the repeats can't tell."""

    error: float | None = None
    """Standard error of the mean over clusters of questions."""
    error_questions: float | None = None
    """The part of it that more questions would reduce."""
    error_sampling: float | None = None
    """The part of it that more repeats would reduce; the squares of both parts add up to that of the whole."""
    between: float | None = None
    """Variance of the questions' expected scores."""
    within: float | None = None
    """Variance of the replies to one question."""


class RepeatVariance:
    """Mergeable exact sums for the variance components of repeated questions (one-way random effects)."""

    def __init__(self) -> None:
        self._sums = GroupSums(2)
        """Columns: scores, replies."""
        self._totals = dict.fromkeys(
            ("weight", "mean", "square", "repeated", "within", "doubt", "spread", "known", "all", "replies"), 0
        )
        """Whole numbers of 2⁻⁴⁰. Over all questions: weights, weighted means and squared means, w²·n, w·n. Over those
        with two replies or more: weights, weighted variances within, their shares s²/n, w²·n·s² and w²·n."""
        self.questions = 0

    def add(self, clusters: Sequence[int], weights: Sequence[float], scores: Sequence[Sequence[float]]) -> None:
        """Add questions: the cluster, the weight and the scores of the replies of each, at least one."""
        columns = np.array([(sum(row), len(row)) for row in scores], np.float64).reshape(len(scores), 2)
        self._sums.add(np.array(clusters, np.uint64), columns, np.array(weights, np.float64))
        self.questions += len(scores)
        for weight, row in zip(weights, scores, strict=True):
            n, mean = len(row), sum(row) / len(row)
            values = {"weight": weight, "mean": weight * mean, "square": weight * mean * mean}
            values |= {"all": weight * weight * n, "replies": weight * n}
            if n > 1:
                within = sum((score - mean) ** 2 for score in row) / (n - 1)
                values |= {"repeated": weight, "within": weight * within, "doubt": weight * within / n}
                values |= {"spread": weight * weight * n * within, "known": weight * weight * n}
            for name, value in values.items():
                self._totals[name] += fixed(value)

    def merge(self, other: Self) -> None:
        """Add all questions of another."""
        self._sums.merge(other._sums)
        self.questions += other.questions
        for name, value in other._totals.items():
            self._totals[name] += value

    def split(self) -> VarianceSplit:
        """The variance components."""
        total = {name: value / ONE for name, value in self._totals.items()}
        table = self._sums.table()
        found = quotient(table[:, 0], table[:, 1]) if len(table) else None
        if found is None or not total["known"] or self.questions < 2:
            return VarianceSplit(error=None if found is None else found.error)
        # a question with a single reply tells nothing of sampling: it is taken to vary as the others do
        sampling = total["spread"] / total["known"] * total["all"] / total["replies"] ** 2
        mean = total["mean"] / total["weight"]
        among = (total["square"] / total["weight"] - mean * mean) * self.questions / (self.questions - 1)
        doubt = total["doubt"] / total["repeated"]
        return VarianceSplit(
            error=found.error,
            error_questions=math.sqrt(max(0.0, found.error**2 - sampling)),
            error_sampling=math.sqrt(min(sampling, found.error**2)),
            between=max(0.0, among - doubt),
            within=total["within"] / total["repeated"],
        )
