"""Evaluator of one task: scores its batches and keeps the states of its metrics, for the task and for each slice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.core.interfaces import Reading, Task
from sightline.core.records import Grade
from sightline.core.remarks import Remark
from sightline.data.columns import TextColumn
from sightline.scoring.batch import INVALID, LenientScores, ReplyBatch, SampleBatch, ScoreBatch
from sightline.scoring.column_scorer import ColumnScorer, join_columns, spread_column
from sightline.scoring.format_counts import FormatCounts
from sightline.scoring.metric_group import Influences, MetricGroup, Scope
from sightline.scoring.metrics.constant_replies import constant_reply_state
from sightline.scoring.metrics.state import MEAN_SCORE, Breakdown, Metric, MetricContext, MetricState, ScoreState
from sightline.scoring.plugin_adapters import NotAScoreError, is_plugin, not_a_score_error
from sightline.scoring.resolve import find_metric, kind_state
from sightline.scoring.sample_scorer import SampleScorer
from sightline.scoring.summary import Row
from sightline.stats.influence import plain_estimate

MOST_SLICES = 500
"""A tag with more values than this is not broken down: grades.parquet has the grades of each value."""
OVERALL: Scope = ("overall", "")


class TaskPlan(Struct, frozen=True, kw_only=True):
    """What an evaluator of a task is made from."""

    task: Task
    scorer: ColumnScorer | SampleScorer
    metrics: list[Metric]
    state_types: list[type[MetricState]]
    slices: tuple[str, ...] = ()
    shared: tuple[Metric, ...] = ()
    """Core metrics that all tasks of the suite have."""
    overall: tuple[Metric, ...] = ()
    """Metrics that make sense over all samples only."""


def plan_column_task(task: Task, reading: Reading, auxiliary: bool = True) -> TaskPlan:
    """The plan of a task whose replies are scored as columns."""
    metrics = find_metrics(task, auxiliary)
    scorer = ColumnScorer(task, reading, metrics)
    kind = kind_state(scorer.parser)
    types = dict.fromkeys([ScoreState, *([kind] if kind is not None else ()), *(metric.state for metric in metrics)])
    if (blind := constant_reply_state(metrics[0] if metrics else None)) is not None:
        types[blind] = None
    return TaskPlan(task=task, scorer=scorer, metrics=metrics, state_types=list(types), shared=(MEAN_SCORE,))


def find_metrics(task: Task, auxiliary: bool, more: Sequence[str] = ()) -> list[Metric]:
    """The metrics of a task, core ones first, each once."""
    names = (*task.metrics, *(task.auxiliary if auxiliary else ()), *more)
    return [find_metric(name) for name in dict.fromkeys(names)]


class TaskEvaluator:
    """Scores the batches of one task and keeps the states of its metrics.

    Where a metric must know all truths first, they are shown by `fit` before the first `update`.
    """

    def __init__(self, plan: TaskPlan) -> None:
        self.plan = plan
        self.task = plan.task
        self.scorer = plan.scorer
        # the truths of records are known as they come
        kinds = [kind.statistics_type if self.scores_columns else None for kind in plan.state_types]
        self.target_statistics = [None if kind is None else kind() for kind in kinds]
        """What is known of all truths, by state."""
        self.group: MetricGroup = MetricGroup([], (), ())
        """Samples whose reply is read the same strictly and leniently."""
        self.strict_rest: MetricGroup | None = None
        """The other samples, read as asked."""
        self.lenient_rest: MetricGroup | None = None
        """The other samples, read leniently."""
        self.format_counts = FormatCounts()
        self.slices: dict[Scope, MetricGroup] = {}
        """Figures that all tasks share, by tag and value, and suite-wide ones under `OVERALL`; without that entry the
        suite-wide figures are those of `group`."""
        self.crowded: set[str] = set()
        """Tags with too many values to be broken down by."""
        self.off_scale = 0
        self._context = MetricContext()
        self._strict: MetricGroup | None = None
        """The merged strict groups, until more samples come."""
        self.is_open = False
        self.is_corrupt = False
        """A batch was counted in part only: the states are of no use."""

    @property
    def scores_columns(self) -> bool:
        """Whether replies are scored as columns, not as records."""
        return isinstance(self.scorer, ColumnScorer)

    def warm_up(self) -> None:
        """Prepare metrics that take long to get ready."""
        for kind in self.plan.state_types:
            kind.warm_up(frozenset(metric.name for metric in self.plan.metrics))

    @property
    def needs_fit(self) -> bool:
        """Whether all truths must be seen first."""
        return any(statistics is not None for statistics in self.target_statistics)

    def fit(self, targets: TextColumn, key: int) -> None:
        """See the truths of the batch number `key`."""
        assert isinstance(self.scorer, ColumnScorer), "only columns are fitted"
        read = self.scorer.read_truths(targets)
        valid = read.values.take(np.flatnonzero(read.errors == 0))
        for statistics in self.target_statistics:
            if statistics is not None:
                statistics.add(valid, key)

    def merge_fit(self, other: TaskEvaluator) -> None:
        """See all that `other` has seen of the truths."""
        for mine, theirs in zip(self.target_statistics, other.target_statistics, strict=True):
            if mine is not None and theirs is not None:
                mine.merge(theirs)

    def empty_copy(self) -> TaskEvaluator:
        """An evaluator of the same task with the same fit that has seen no sample, for another worker."""
        made = TaskEvaluator(self.plan)
        made.target_statistics = self.target_statistics
        return made

    def open(self) -> TaskEvaluator:
        """Make the states, when the fit is over."""
        if self.is_open:
            return self
        self.is_open = True
        context = MetricContext()
        if isinstance(self.scorer, ColumnScorer):
            names = [name for seen in self.target_statistics for name in getattr(seen, "names", {}).values()]
            self.scorer.allow_classes(frozenset(names))  # the labels that truths have
            context = self.scorer.context
        self._context = context
        self.group = self._make_group()
        if not self.scores_columns:
            self.slices = {OVERALL: MetricGroup.of(self.plan.shared, self.plan.overall)}
        return self

    def _make_group(self) -> MetricGroup:
        """A group of all metrics of the task that has seen no sample."""
        pairs = zip(self.plan.state_types, self.target_statistics, strict=True)
        states = [kind(replace(self._context, target_statistics=statistics)) for kind, statistics in pairs]
        return MetricGroup(self.plan.metrics, self.task.metrics, states)

    def rest_groups(self) -> tuple[MetricGroup, MetricGroup]:
        """The groups of samples that are read differently, made when first wanted."""
        self.open()
        if self.strict_rest is None or self.lenient_rest is None:
            self.strict_rest, self.lenient_rest = self._make_group(), self._make_group()
        return self.strict_rest, self.lenient_rest

    @property
    def strict_groups(self) -> list[MetricGroup]:
        """The groups that make up the strict figures."""
        return [group for group in (self.open().group, self.strict_rest) if group is not None]

    @property
    def lenient_groups(self) -> list[MetricGroup]:
        """The groups that make up the lenient figures; empty where these are the strict ones."""
        return [self.open().group, self.lenient_rest] if self.lenient_rest is not None else []

    def _merge_groups(self, groups: Sequence[MetricGroup]) -> MetricGroup:
        if len(groups) == 1:
            return groups[0]
        merged = self._make_group()
        for group in groups:
            merged.merge(group)
        return merged

    @property
    def strict(self) -> MetricGroup:
        """All samples with replies read as asked."""
        if self.strict_rest is None:
            return self.open().group
        if self._strict is None:
            self._strict = self._merge_groups(self.strict_groups)
        return self._strict

    def update(self, samples: SampleBatch, replies: ReplyBatch) -> ScoreBatch:
        """Score a batch and take it into account.

        Where code of the user's own fails, it raises and has counted nothing.
        """
        self.open()
        scores = self.scorer.score(samples, replies)
        values = self.add_scores(scores)
        if scores.parsed is None and scores.lenient is None:
            return scores
        values.pop("score", None)
        return replace(scores, details={**scores.details, **values})

    def add_scores(self, scores: ScoreBatch) -> dict[str, NDArray[Any]]:
        """Take a scored batch into account; returns values of each sample that belong into the grades."""
        self.open()
        was_corrupt = self.is_corrupt
        self._strict = None
        if scores.lenient is None:
            values = self._spread(scores, self._count(self.group, scores))
            self.format_counts.add_reaches(scores.reaches)
        else:
            values = self._count_parts(scores, scores.lenient)
        if scores.off_scale is not None:
            self.off_scale += int(scores.off_scale.sum())
        self.format_counts.unsized += scores.unsized
        self.is_corrupt = was_corrupt
        return values

    def _count_parts(self, scores: ScoreBatch, parts: LenientScores) -> dict[str, NDArray[Any]]:
        groups = (self.group, *self.rest_groups())
        same, strict, _ = (
            self._spread(part, self._count(group, part)) if len(part) else {}
            for group, part in zip(groups, parts.parts, strict=True)
        )
        self.format_counts.add(scores.deviations)
        self.format_counts.add_reaches(parts.same.reaches)
        self.format_counts.add_reaches(parts.rescued.reaches)
        return join_columns(parts, same, strict, len(scores))

    @staticmethod
    def _spread(scores: ScoreBatch, values: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Values of samples that count as columns of all samples of the batch."""
        if scores.parsed is None:
            return values
        return {name: spread_column(column, scores.counted, len(scores)) for name, column in values.items()}

    def _count(self, group: MetricGroup, scores: ScoreBatch) -> dict[str, NDArray[Any]]:
        """What every state of a group makes of a batch."""
        # the user's own first, and apart: where they fail, all states are as they were
        parts = {kind: kind(state.context) for kind, state in group.states.items() if is_plugin(kind)}
        own = {kind: self._count_own(part, scores) for kind, part in parts.items()}
        values: dict[str, NDArray[Any]] = {}
        self.is_corrupt = True
        for kind, state in group.states.items():
            if kind in parts:
                state.merge(parts[kind])
                parts[kind].close()
                values = {**own[kind], **values}
            else:
                values = {**state.update(scores), **values}
        group.count_statuses(scores)
        for scope, rows in self._slice_rows(scores):
            self._slice(scope).update(scores if rows is None else scores.take(rows))
        self._drop_crowded()
        return values

    def _count_own(self, part: MetricState, scores: ScoreBatch) -> dict[str, NDArray[Any]]:
        try:
            return part.update(scores)
        except NotAScoreError as error:
            raise not_a_score_error(error, self.task.name, self.plan.metrics, type(part)) from None

    def count_invalid(self, grade: Grade) -> None:
        """Count a sample that could not be asked because its data are invalid."""
        self.open()
        samples = SampleBatch(task=self.task, positions=np.array([grade.position]), clusters=np.zeros(1, np.uint64))
        scores = ScoreBatch(samples=samples, statuses=np.array([INVALID], np.uint8), scores=np.zeros(1), grades=[grade])
        for state in self.group.states.values():
            if state.counts_statuses:
                state.update(scores)
        self.group.count_statuses(scores)
        for scope, _ in self._slice_rows(scores):
            self._slice(scope).update(scores)
        self._drop_crowded()

    def _slice_rows(self, scores: ScoreBatch) -> Iterable[tuple[Scope, NDArray[np.int64] | None]]:
        """The slices of a batch, and which of its samples belong to each; None: all."""
        if OVERALL in self.slices:
            yield OVERALL, None
        for tag in self.plan.slices if scores.grades else ():
            if tag in self.crowded:
                continue
            found: dict[str, list[int]] = {}
            for row, grade in enumerate(scores.grades):
                if value := grade.tags.get(tag):
                    found.setdefault(value, []).append(row)
            for value, rows in found.items():
                yield (tag, value), np.array(rows, np.int64)

    def _slice(self, scope: Scope) -> MetricGroup:
        if scope not in self.slices:
            self.slices[scope] = MetricGroup.of(self.plan.shared)
        return self.slices[scope]

    def _drop_crowded(self) -> None:
        """A breakdown that has outgrown its limit goes as a whole: a part of it would depend on the samples' order."""
        sizes = Counter(scope for scope, _ in self.slices)
        crowded = {scope for scope, size in sizes.items() if size > MOST_SLICES}
        if crowded:
            self.crowded |= crowded
            self.slices = {scope: group for scope, group in self.slices.items() if scope[0] not in crowded}

    def merge(self, other: TaskEvaluator) -> None:
        """Take all that `other` has seen."""
        self.open().group.merge(other.open().group)
        self._strict = None
        if other.strict_rest is not None and other.lenient_rest is not None:
            strict, lenient = self.rest_groups()
            strict.merge(other.strict_rest)
            lenient.merge(other.lenient_rest)
        self.format_counts.merge(other.format_counts)
        self.crowded |= other.crowded
        for scope, group in other.slices.items():
            if scope[0] not in self.crowded:
                self._slice(scope).merge(group)
        self.off_scale += other.off_scale
        self._drop_crowded()

    def rows(self, influences: Influences | None = None) -> list[Row]:
        """Every figure of the task, core ones first; what each cluster moves them is added to `influences`."""
        scope, english = ("task", self.task.name), self.task.title if self.scores_columns else ""
        rows = self.strict.rows(scope, english, influences)
        if not (groups := self.lenient_groups):
            return rows
        lenient = self._merge_groups(groups)
        by_name = {metric.name: metric for metric in lenient.metrics}
        return [replace(row, lenient=plain_estimate(lenient.estimate(by_name[row.metric]))) for row in rows]

    @property
    def display_name(self) -> Remark:
        """The name of the task in notes: as in tables, in the reader's language."""
        return Remark(self.task.title if self.scores_columns and self.task.title else self.task.name)

    def breakdowns(self) -> list[Breakdown]:
        """Tables beside the figures."""
        return [table for state in self.strict.states.values() for table in state.breakdowns()]

    def remarks(self) -> Counter[str]:
        """What was counted on the way."""
        found: Counter[str] = Counter()
        for state in self.strict.states.values():
            found.update(state.remarks())
        if self.off_scale:
            found["shapes far out of range: another coordinate space was probably meant"] += self.off_scale
        return found

    @property
    def is_unevenly_weighted(self) -> bool:
        """Whether samples count differently."""
        return not self.strict.weights.is_even

    def metrics_without_weights(self) -> list[Metric]:
        """Metrics that count every sample once although weights differ."""
        if not self.is_unevenly_weighted:
            return []
        return [metric for metric in self.plan.metrics if not metric.state.takes_weights]

    @property
    def counts(self) -> Counter[str]:
        """Samples by status."""
        return sum((group.counts for group in self.strict_groups), Counter())

    def close(self) -> None:
        """Release processes."""
        rest = [group for group in (self.strict_rest, self.lenient_rest, self._strict) if group is not None]
        for group in (self.group, *rest, *self.slices.values()):
            group.close()
