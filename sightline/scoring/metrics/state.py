"""`Metric` and `MetricState`: metrics over many scores, with update, merge and compute.

Metrics that share work share a state: boxes are matched and captions tokenized once, however many metrics are computed.
States over different samples merge into the state over all of them, with the same digits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from sightline.core.records import Estimate, Unit
from sightline.data.columns import Batch
from sightline.scoring.batch import ANSWERED, FAILED, INVALID
from sightline.stats.cluster_sums import ClusterSums, column_estimate
from sightline.stats.exact import SCORE_UNIT, WEIGHT_UNIT
from sightline.stats.intervals import Floats
from sightline.stats.repeats import QuestionMeans

if TYPE_CHECKING:
    from sightline.scoring.batch import ScoreBatch

Values = dict[str, NDArray[Any]]
"""One array per name, one entry per sample: what a reader of the grades wants to see."""
Credit = Callable[[float], float]
"""What a score between 0 and 1 is worth to a metric that is a mean of scores."""


_MOST_TARGETS, _LONGEST_TARGET = 1000, 64
"""Different truths, and characters of a truth, beyond which no constant answer is looked for."""


class Breakdown(Struct, frozen=True, kw_only=True):
    """A table beside the figures: by class, by size, a confusion matrix."""

    name: str
    """Such as `per_class`."""
    head: tuple[str, ...]
    rows: tuple[tuple[str | float | int | None, ...], ...]


class TargetStatistics(ABC):
    """What must be known of all truths before the first reply can be scored: classes, document frequencies."""

    @abstractmethod
    def add(self, truth: Any, key: int) -> None:
        """Take the truths of the batch number `key`."""

    @abstractmethod
    def merge(self, other: Self) -> None:
        """Merge the state of `other`."""


class MetricContext(Struct, frozen=True, kw_only=True):
    """Parameters of a metric state: requested metrics, task options, parser."""

    metric_names: frozenset[str] = frozenset()
    """The metrics that will be computed: what costs much is left out where none needs it."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The task's own options, such as `words` = the requested range of a caption's length."""
    parser: Any = None
    """The parser of the columns: it can turn a row into a plain value (`parser.value`)."""
    target_statistics: Any = None
    """What `fit` learned of all targets; None: it was not called, or the state needs nothing of it."""


class MetricState(ABC):
    """The mergeable state of one metric or of a family of metrics.

    A subclass that is a metric by itself has a `title` and a method `compute`; the class can be registered as it is.
    """

    title: ClassVar[str] = ""
    unit: ClassVar[Unit] = "share"
    higher_is_better: ClassVar[bool] = True
    is_mean: ClassVar[bool] = False
    """As in `Metric`."""
    input_kind: ClassVar[str] = "any"
    """The kind of column: `numbers`, `labels`, `ranks`, `shapes`, `polygons`, `texts`; `any`: scores alone."""
    statistics_type: ClassVar[type[TargetStatistics] | None] = None
    takes_weights: ClassVar[bool] = False
    """Whether its figures respect sample weights; where they don't and weights differ, the report says so."""
    counts_statuses: ClassVar[bool] = False
    """Whether its estimates tell themselves how many samples were unparsed, failed or invalid, with their bounds."""
    excluded_from_state: ClassVar[tuple[str, ...]] = ("context",)
    """Attributes that are given, not counted; a subclass names its own alone. See `state_codec`."""

    @classmethod  # noqa: B027  # most states need no time to get ready
    def warm_up(cls, wanted: frozenset[str]) -> None:
        """Samples will come: what takes long to get ready may begin with it."""

    def __init__(self, context: MetricContext | None = None) -> None:
        self.context = context or MetricContext()

    @abstractmethod
    def update(self, scores: ScoreBatch) -> Values:
        """Update the state with a batch; returns values of each sample that belong into the grades."""

    @abstractmethod
    def merge(self, other: Self) -> None:
        """Merge the state of `other`."""

    def best_constant(self) -> tuple[str, float] | None:
        """The constant answer with the best accuracy on the same truths, where one makes sense, and that accuracy."""
        return None

    def blind_baseline(self, metric: Metric) -> tuple[str, float] | None:
        """The best blind strategy by a metric on the same samples, where this state knows one, and its value."""
        return self.best_constant() if metric.name == "accuracy" else None

    def breakdowns(self) -> Sequence[Breakdown]:
        """Tables beside the figures."""
        return ()

    def remarks(self) -> Mapping[str, int]:
        """What was counted on the way and should be reported, such as `count disagrees with boxes`."""
        return {}

    def close(self) -> None:  # noqa: B027  # most states hold no resources
        """Release processes."""


class ColumnState(MetricState):
    """A state over parsed columns: a subclass takes a batch of truths and replies of its `input_kind`."""

    def update(self, scores: ScoreBatch) -> Values:
        """See `MetricState`."""
        assert scores.parsed is not None, "tasks are checked when their metrics are looked up"
        return self.count(scores.parsed)

    @abstractmethod
    def count(self, batch: Batch) -> Values:
        """Update the state with a batch; returns values of each sample that belong into the grades."""


class ScoreState(MetricState):
    """Sums of the samples' own scores by cluster: accuracy and mean score of any task."""

    takes_weights: ClassVar[bool] = True
    excluded_from_state: ClassVar[tuple[str, ...]] = ("context", "questions")

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self.questions = {"accuracy": QuestionMeans(), "mean_score": QuestionMeans()}
        """Filled where questions are repeated, which only live runs do: they are never sent to another process."""
        self.sums = ClusterSums(3)
        """Columns: samples with full marks, samples, their scores."""
        self.targets: dict[str, int] = {}
        """The weight of each short truth of samples that are records, as `fixed_weights` has it."""
        self.has_many_targets = False
        """Truths are long, or too different for a constant answer to be worth a line."""

    def update(self, scores: ScoreBatch) -> Values:
        """See `MetricState`."""
        self._count_targets(scores)
        samples, score = scores.samples, scores.of_counted(scores.scores)
        weights = None if samples.weights is None else scores.of_counted(samples.weights)
        columns = np.stack((score >= 1, np.ones(len(score)), score), axis=1)
        self.sums.add(scores.of_counted(samples.clusters), columns, weights)
        if samples.repeats is not None:
            asked = np.flatnonzero(scores.statuses != INVALID)
            weights = None if samples.weights is None else samples.weights[asked]
            add_questions(self.questions["accuracy"], scores, asked, scores.scores[asked] >= 1, weights)
            add_questions(self.questions["mean_score"], scores, asked, scores.scores[asked], weights)
        return {}

    def _count_targets(self, scores: ScoreBatch) -> None:
        samples = scores.samples
        if not samples.records or self.has_many_targets or any(scores.blind):
            return
        for row in scores.questions.tolist():
            target = samples.records[row].target
            if not isinstance(target, str | int | float) or len(str(target)) > _LONGEST_TARGET:
                self._drop_targets()
                return
            mass = WEIGHT_UNIT if samples.weights is None else round(float(samples.weights[row]) * WEIGHT_UNIT)
            self.targets[str(target)] = self.targets.get(str(target), 0) + mass
        if len(self.targets) > _MOST_TARGETS:
            self._drop_targets()

    def _drop_targets(self) -> None:
        self.targets, self.has_many_targets = {}, True

    def best_constant(self) -> tuple[str, float] | None:
        """The most frequent truth, given as the answer to everything; where scorers know choices, those count."""
        if not self.targets:
            return None
        target, mass = min(self.targets.items(), key=lambda pair: (-pair[1], pair[0]))
        return f"always {target}", mass / sum(self.targets.values())

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        self.sums.merge(other.sums)
        for name, means in self.questions.items():
            means.merge(other.questions[name])
        for target, mass in other.targets.items():
            self.targets[target] = self.targets.get(target, 0) + mass
        if self.has_many_targets or other.has_many_targets or len(self.targets) > _MOST_TARGETS:
            self._drop_targets()

    def accuracy(self) -> Estimate:
        """Share of samples with full marks; with repeats, the mean over questions of this share of their replies."""
        if self.questions["accuracy"].questions:
            return self.questions["accuracy"].estimate()
        return column_estimate(self.sums, [0, 1], ratio, "share", is_binary=True)

    def mean_score(self) -> Estimate:
        """Mean of the samples' scores; with repeats, the mean over questions of the mean score of their replies."""
        if self.questions["mean_score"].questions:
            return self.questions["mean_score"].estimate()
        return column_estimate(self.sums, [2, 1], ratio, "share", is_binary=self.sums.binary)


def add_questions(
    means: QuestionMeans,
    scores: ScoreBatch,
    asked: NDArray[np.int64],
    credit: NDArray[Any],
    row_weights: Floats | None = None,
) -> None:
    """Add the questions of a batch with repeats, each with the mean credit of its graded replies.

    `asked` are the rows that the figure is about. `credit` has what each of them earned, whatever it is for failed
    ones, and `row_weights` how much each counts; None: all the same.
    """
    samples, statuses = scores.samples, scores.statuses[asked]
    _, first, question = np.unique(samples.positions[asked], return_index=True, return_inverse=True)
    has_failed = statuses == FAILED
    replies, failed = np.bincount(question), np.bincount(question, has_failed)
    unread = np.bincount(question, ~has_failed & (statuses != ANSWERED))
    # sums of whole numbers: the order of replies changes no digit
    earned = np.bincount(question, np.where(has_failed, 0.0, np.rint(credit * SCORE_UNIT)))
    graded = replies - failed
    is_graded = graded > 0
    clusters = samples.clusters[asked][first]
    weights = None if row_weights is None else row_weights[first]
    means.add(
        clusters[is_graded],
        earned[is_graded] / (SCORE_UNIT * graded[is_graded]),
        None if weights is None else weights[is_graded],
    )
    highest = np.minimum(1.0, (earned + SCORE_UNIT * (unread + failed)) / (SCORE_UNIT * replies))
    means.add_bounds(clusters, earned / (SCORE_UNIT * replies), highest, weights)


def ratio(totals: Floats) -> Any:
    """The first column over the second."""
    return totals[..., 0] / totals[..., 1]


class Metric(Struct, frozen=True, kw_only=True):
    """A figure over many scores, by name: which state it needs, and how it is computed from it."""

    name: str
    title: str
    state: type[Any]
    """A subclass of `MetricState`."""
    compute: Callable[[Any], Estimate]
    higher_is_better: bool = True
    unit: Unit = "share"
    is_mean: bool = False
    """Whether it is the mean of what each sample earns, from 0 to 1 and 0 for an unread reply: it has bounds then."""
    credit: Credit | None = None
    """What a score is worth, where the metric is a mean of scores: blind baselines can be computed for it then."""
    is_optional: bool = False
    """Whether reports leave it out where it has no value, as it is about something that the data need not have."""
    perfect: float = 1.0
    """The best value there is, from which the skill above a baseline is reckoned."""


def full_marks(score: float) -> float:
    """Credit 1 for a score of 1, else 0."""
    return float(score >= 1)


def identity_credit(score: float) -> float:
    """The score itself."""
    return score


ACCURACY = Metric(
    name="accuracy", title="Accuracy", state=ScoreState, compute=ScoreState.accuracy, is_mean=True, credit=full_marks
)
MEAN_SCORE = Metric(
    name="mean_score",
    title="Mean score",
    state=ScoreState,
    compute=ScoreState.mean_score,
    is_mean=True,
    credit=identity_credit,
)
