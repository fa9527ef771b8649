"""Evaluator: batches of samples and replies in, figures out.

    samples, replies ─► scorer ─► ScoreBatch ─► metric states ─► estimates ─► rows of the summary

One `TaskEvaluator` per task scores its batches and keeps the states of its metrics, for the task as a whole and for
each slice. Overall figures, those of levels and of tags are merged from the tasks' states. Evaluators over different
samples merge into the evaluator over all of them; no split, order or number of workers changes a digit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.columns import TextColumn
from sightline.contracts import ColumnSuite, Reading, Suite, Task
from sightline.metrics.state import MEAN_SCORE, Breakdown, Metric, MetricContext, MetricState, ScoreState, Survey
from sightline.records import Estimate, Grade, Invalid, Remark
from sightline.scoring.batch import INVALID, STATES, ReplyBatch, SampleBatch, ScoreBatch, batch_grades
from sightline.scoring.column_scorer import ColumnScorer, spread_column
from sightline.scoring.plugin_adapters import PluginError, UnfitError, estimated, is_own
from sightline.scoring.resolve import find_metric, kind_state
from sightline.scoring.sample_scorer import GradeAttempt, SampleScorer, grade_invalid
from sightline.scoring.summary import Row, Summary, TaskBreakdown
from sightline.stats.bounds import with_bounds, with_states
from sightline.stats.controls import Control, Controls, control_of
from sightline.stats.weights import WeightRange, fixed_weights

MOST_SLICES = 500
"""A tag with more values than this is not broken down: the grades are in grades.parquet for whoever wants them."""
Scope = tuple[str, str]
"""`overall`, `task`, `level` or the name of a tag, and the name within it."""
OVERALL: Scope = ("overall", "")


class MetricGroup:
    """The states of some metrics over one set of samples."""

    def __init__(self, metrics: Sequence[Metric], core: Sequence[str], states: Iterable[MetricState]) -> None:
        self.metrics = list(metrics)
        self.core = tuple(core)
        self.states = {type(state): state for state in states}
        self.counts: Counter[str] = Counter()
        """Samples by state."""
        self.masses: Counter[str] = Counter()
        """The samples of each state by their weights, as `fixed_weights` has them."""
        self.weights = WeightRange()
        self.baselines = Controls()

    @classmethod
    def of(cls, core: Sequence[Metric], auxiliary: Sequence[Metric] = ()) -> MetricGroup:
        """A group of metrics over scores, each with a state of its own class."""
        metrics = list(dict.fromkeys([*core, *auxiliary]))
        types: dict[type[Any], None] = dict.fromkeys([ScoreState, *(metric.state for metric in metrics)])
        return cls(metrics, [metric.name for metric in core], [kind() for kind in types])

    @property
    def headline(self) -> Metric | None:
        """The first core metric."""
        return next((metric for metric in self.metrics if self.core and metric.name == self.core[0]), None)

    def count_states(self, scores: ScoreBatch) -> None:
        """Count samples and weights by state, and what guessing would have earned."""
        weights = scores.samples.weights
        mass = fixed_weights(np.ones(len(scores)) if weights is None else weights)
        self.weights.add(weights if weights is None else weights[scores.states != INVALID])
        for place, count in enumerate(np.bincount(scores.states, minlength=len(STATES)).tolist()):
            if count:
                self.counts[STATES[place]] += count
                self.masses[STATES[place]] += int(mass[scores.states == place].sum())
        credit = self.headline.credit if self.headline is not None else None
        if credit is not None and scores.blind:
            for row in scores.counted.tolist():
                earned = {choice: credit(score) for choice, score in scores.blind[row].items()}
                self.baselines.add(earned, 1.0 if weights is None else float(weights[row]))

    def update(self, scores: ScoreBatch) -> dict[str, NDArray[Any]]:
        """Take a batch into account; returns values of each sample that belong into the grades."""
        values: dict[str, NDArray[Any]] = {}
        for state in self.states.values():
            values = {**state.update(scores), **values}
        self.count_states(scores)
        return values

    def merge(self, other: MetricGroup) -> None:
        """Take all that `other` has seen of the metrics that both have."""
        for kind, state in self.states.items():
            if kind in other.states:
                state.merge(other.states[kind])
        self.merge_counts(other)

    def merge_counts(self, other: MetricGroup) -> None:
        """Take the counts of samples that `other` has seen."""
        self.counts.update(other.counts)
        self.masses.update(other.masses)
        self.weights.merge(other.weights)
        self.baselines.merge(other.baselines)

    def estimate(self, metric: Metric) -> Estimate:
        """The figure of one metric, with the samples that could not be read or scored beside it."""
        state = self.states[metric.state]
        samples = self.states[ScoreState].sums.samples  # type: ignore[attr-defined]
        found = estimated(metric.compute, state, samples) if is_own(metric.state) else metric.compute(state)
        if state.counts_states:
            return found
        counted = with_states(found, self.counts)
        return with_bounds(counted, self.masses) if metric.is_mean else counted

    def rows(self, scope: Scope, english: str = "") -> list[Row]:
        """All figures of the group, core ones first."""
        found = []
        for metric in self.metrics:
            estimate = self.estimate(metric)
            is_headline = bool(self.core) and metric.name == self.core[0]
            found.append(
                Row(
                    scope=scope[0],
                    name=scope[1],
                    metric=metric.name,
                    title=metric.title,
                    core=metric.name in self.core,
                    estimate=estimate,
                    control=self._baseline(metric, estimate) if is_headline else None,
                    higher_is_better=metric.higher_is_better,
                    unit=metric.unit,
                    english=english,
                )
            )
        return found

    def _baseline(self, metric: Metric, estimate: Estimate) -> Control | None:
        """The best blind baseline: of the replies a guesser could give, or the most frequent truth."""
        if (best := self.baselines.best(estimate.value)) is not None:
            return best
        if metric.name != "accuracy":  # a constant answer's share of right answers
            return None
        constants = [found for state in self.states.values() if (found := state.best_constant()) is not None]
        return control_of(*constants[0], estimate.value) if constants else None

    def close(self) -> None:
        """Release processes."""
        for state in self.states.values():
            state.close()


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
    has_titles: bool = False
    """Whether the tasks' titles are English names for reports."""


class TaskEvaluator:
    """Scores the batches of one task and keeps the states of its metrics.

    Where a metric must know all truths first, they are shown by `fit` before the first `update`.
    """

    def __init__(self, plan: TaskPlan) -> None:
        self.plan = plan
        self.task = plan.task
        self.scorer = plan.scorer
        self.surveys = [None if kind.survey_type is None else kind.survey_type() for kind in plan.state_types]
        """What is known of all truths, by state."""
        self.group: MetricGroup = MetricGroup([], (), ())
        self.slices: dict[Scope, MetricGroup] = {}
        """Figures that all tasks share, by tag and value, and suite-wide ones under `OVERALL`; without that entry the
        suite-wide figures are those of `group`."""
        self.crowded: set[str] = set()
        """Tags with too many values to be broken down by."""
        self.off_scale = 0
        self.is_open = False
        self.is_torn = False
        """A batch was counted in part only: the states are of no use."""

    def expect(self) -> None:
        """Samples will come."""
        for kind in self.plan.state_types:
            kind.expect(frozenset(metric.name for metric in self.plan.metrics))

    @property
    def needs_fit(self) -> bool:
        """Whether all truths must be seen first."""
        return any(survey is not None for survey in self.surveys)

    def fit(self, targets: TextColumn, key: int) -> None:
        """See the truths of the batch number `key`."""
        assert isinstance(self.scorer, ColumnScorer), "only columns are fitted"
        read = self.scorer.parser.read(targets)
        valid = read.values.take(np.flatnonzero(read.errors == 0))
        for survey in self.surveys:
            if survey is not None:
                survey.add(valid, key)

    def merge_fit(self, other: TaskEvaluator) -> None:
        """See all that `other` has seen of the truths."""
        for mine, theirs in zip(self.surveys, other.surveys, strict=True):
            if mine is not None and theirs is not None:
                mine.merge(theirs)

    def empty_copy(self) -> TaskEvaluator:
        """An evaluator of the same task with the same fit that has seen no sample, for another worker."""
        made = TaskEvaluator(self.plan)
        made.surveys = self.surveys
        return made

    def open(self) -> TaskEvaluator:
        """Make the states, when the fit is over."""
        if self.is_open:
            return self
        self.is_open = True
        context = MetricContext()
        if isinstance(self.scorer, ColumnScorer):
            self.scorer.allow_classes(_classes(self.surveys))
            context = self.scorer.context
        pairs = zip(self.plan.state_types, self.surveys, strict=True)
        states = [kind(replace(context, survey=survey)) for kind, survey in pairs]
        self.group = MetricGroup(self.plan.metrics, self.task.metrics, states)
        if not isinstance(self.scorer, ColumnScorer):
            self.slices = {OVERALL: MetricGroup.of(self.plan.shared, self.plan.overall)}
        return self

    def update(self, samples: SampleBatch, replies: ReplyBatch) -> ScoreBatch:
        """Score a batch and take it into account.

        Where code of the user's own fails, it raises and has counted nothing.
        """
        self.open()
        scores = self.scorer.score(samples, replies)
        values = self.add_scores(scores)
        if scores.parsed is None:
            return scores
        whole = {name: spread_column(column, scores.counted, len(scores)) for name, column in values.items()}
        whole.pop("score", None)
        return replace(scores, details={**scores.details, **whole})

    def add_scores(self, scores: ScoreBatch) -> dict[str, NDArray[Any]]:
        """Take a scored batch into account; returns values of each sample that belong into the grades."""
        self.open()
        was_torn = self.is_torn
        values = self._count(scores)
        if scores.off_scale is not None:
            self.off_scale += int(scores.off_scale.sum())
        self.is_torn = was_torn
        return values

    def _count(self, scores: ScoreBatch) -> dict[str, NDArray[Any]]:
        """What every state makes of a batch."""
        # the user's own first, and apart: where they fail, all states are as they were
        parts = {kind: kind(state.context) for kind, state in self.group.states.items() if is_own(kind)}
        own = {kind: self._count_own(part, scores) for kind, part in parts.items()}
        values: dict[str, NDArray[Any]] = {}
        self.is_torn = True
        for kind, state in self.group.states.items():
            if kind in parts:
                state.merge(parts[kind])
                parts[kind].close()
                values = {**own[kind], **values}
            else:
                values = {**state.update(scores), **values}
        self.group.count_states(scores)
        for scope, rows in self._slice_rows(scores):
            self._slice(scope).update(scores if rows is None else scores.take(rows))
        self._drop_crowded()
        return values

    def _count_own(self, part: MetricState, scores: ScoreBatch) -> dict[str, NDArray[Any]]:
        try:
            return part.update(scores)
        except UnfitError as error:
            raise PluginError(
                "The metric '{metric}' of the task '{task}' returned {value}, not a number from 0 to 1.",
                metric=", ".join(metric.name for metric in self.plan.metrics if metric.state is type(part)),
                task=self.task.name,
                value=error.shown,
            ) from None

    def count_invalid(self, grade: Grade) -> None:
        """Take a sample into account that could not be asked because its data are at fault."""
        self.open()
        samples = SampleBatch(task=self.task, positions=np.array([grade.position]), clusters=np.zeros(1, np.uint64))
        scores = ScoreBatch(samples=samples, states=np.array([INVALID], np.uint8), scores=np.zeros(1), grades=[grade])
        for state in self.group.states.values():
            if state.counts_states:
                state.update(scores)
        self.group.count_states(scores)
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
        self.crowded |= other.crowded
        for scope, group in other.slices.items():
            if scope[0] not in self.crowded:
                self._slice(scope).merge(group)
        self.off_scale += other.off_scale
        self._drop_crowded()

    def rows(self) -> list[Row]:
        """Every figure of the task, core ones first."""
        return self.open().group.rows(("task", self.task.name), self.task.title if self.plan.has_titles else "")

    def breakdowns(self) -> list[Breakdown]:
        """Tables beside the figures."""
        return [table for state in self.open().group.states.values() for table in state.breakdowns()]

    def remarks(self) -> Counter[str]:
        """What was counted on the way."""
        found: Counter[str] = Counter()
        for state in self.open().group.states.values():
            found.update(state.remarks())
        if self.off_scale:
            found["shapes far out of range: another coordinate space was probably meant"] += self.off_scale
        return found

    @property
    def is_unevenly_weighted(self) -> bool:
        """Whether samples count differently."""
        return not self.open().group.weights.is_even

    def unweighted(self) -> list[Metric]:
        """Metrics that count every sample once although weights differ."""
        if not self.is_unevenly_weighted:
            return []
        return [metric for metric in self.plan.metrics if not metric.state.takes_weights]

    @property
    def counts(self) -> Counter[str]:
        """Samples by state."""
        return self.open().group.counts

    def close(self) -> None:
        """Release processes."""
        for group in (self.group, *self.slices.values()):
            group.close()


def plan_column_task(task: Task, reading: Reading, auxiliary: bool = True) -> TaskPlan:
    """The plan of a task whose replies are scored as columns."""
    metrics = _find_metrics(task, auxiliary)
    scorer = ColumnScorer(task, reading, metrics)
    kind = kind_state(scorer.parser)
    types = [ScoreState, *([kind] if kind is not None else ()), *(metric.state for metric in metrics)]
    return TaskPlan(
        task=task,
        scorer=scorer,
        metrics=metrics,
        state_types=list(dict.fromkeys(types)),
        shared=(MEAN_SCORE,),
        has_titles=True,
    )


def _find_metrics(task: Task, auxiliary: bool, more: Sequence[str] = ()) -> list[Metric]:
    names = (*task.metrics, *(task.auxiliary if auxiliary else ()), *more)
    return [find_metric(name) for name in dict.fromkeys(names)]


class Evaluator:
    """All tasks of a suite; two evaluators over different samples merge into the evaluator over both."""

    def __init__(
        self, suite: Suite, *, auxiliary: bool = True, feedback: bool = False, grade: GradeAttempt | None = None
    ) -> None:
        self.suite = suite
        self._tasks = suite.tasks()
        self._auxiliary, self._grade = auxiliary, grade
        self._feedback = ("after_feedback", "best_attempt") if feedback else ()
        self.tasks: dict[str, TaskEvaluator] = {}
        self.unknown: Counter[str] = Counter()
        """Samples by state whose task nobody knows."""
        self._sample_scorer = SampleScorer(suite, grade)
        self._shared, self._overall = self._shared_metrics()

    def _shared_metrics(self) -> tuple[tuple[Metric, ...], tuple[Metric, ...]]:
        """Core metrics that all tasks have, and the others of the whole suite."""
        if isinstance(self.suite, ColumnSuite):
            return (MEAN_SCORE,), ()
        tasks = list(self._tasks.values())
        shared = [name for name in tasks[0].metrics if all(name in task.metrics for task in tasks)] if tasks else []
        more = [name for name in tasks[0].auxiliary if all(name in task.auxiliary for task in tasks)] if tasks else []
        overall = (*more, *self.suite.overall, *self._feedback)
        return tuple(map(find_metric, shared)), tuple(map(find_metric, overall))

    @property
    def headline(self) -> str:
        """The metric that stands for the whole run: the first that all tasks share, if they share one."""
        return self._shared[0].name if self._shared else ""

    @property
    def scores_columns(self) -> bool:
        """Whether batches are scored as columns."""
        return isinstance(self.suite, ColumnSuite)

    def task(self, name: str) -> TaskEvaluator:
        """The evaluator of a task."""
        if name not in self.tasks:
            self.tasks[name] = TaskEvaluator(self._plan(self._tasks[name]))
        return self.tasks[name]

    def _plan(self, task: Task) -> TaskPlan:
        if isinstance(self.suite, ColumnSuite):
            return plan_column_task(task, self.suite.reading, self._auxiliary)
        metrics = _find_metrics(task, self._auxiliary, self._feedback)
        types: list[type[MetricState]] = [ScoreState, *(metric.state for metric in metrics)]
        return TaskPlan(
            task=task,
            scorer=self._sample_scorer,
            metrics=metrics,
            state_types=list(dict.fromkeys(types)),
            slices=self.suite.slices,
            shared=self._shared,
            overall=self._overall,
        )

    def update(self, samples: SampleBatch, replies: ReplyBatch) -> ScoreBatch:
        """Score a batch and take it into account."""
        return self.task(samples.task.name).update(samples, replies)

    def add_grades(self, grades: Sequence[Grade], blind: Sequence[Mapping[str, float]] = ()) -> None:
        """Take grades into account that were given elsewhere, and what guessing would have earned."""
        by_task: dict[str, list[int]] = {}
        for row, grade in enumerate(grades):
            by_task.setdefault(grade.task, []).append(row)
        for task, rows in by_task.items():
            if task in self._tasks:
                some = [grades[row] for row in rows]
                self.task(task).add_scores(batch_grades(some, [blind[row] for row in rows] if blind else ()))

    def count_invalid(self, position: int, sample: Invalid) -> Grade:
        """Take a sample into account that could not be asked."""
        grade = grade_invalid(position, sample)
        if sample.task in self._tasks:
            self.task(sample.task).count_invalid(grade)
        else:
            self.unknown["invalid"] += 1
        return grade

    def merge(self, other: Evaluator) -> None:
        """Take all that `other` has seen."""
        for name, task in other.tasks.items():
            self.task(name).merge(task)
        self.unknown.update(other.unknown)

    @property
    def counts(self) -> dict[str, int]:
        """Samples by state."""
        total = Counter(self.unknown)
        for task in self.tasks.values():
            total.update(task.counts)
        return {state: count for state, count in total.items() if count}

    @property
    def crowded(self) -> set[str]:
        """Tags with too many values to be broken down by."""
        found = set[str]().union(*(task.crowded for task in self.tasks.values()))
        values: dict[str, set[str]] = {}
        for task in self.tasks.values():
            for tag, value in task.slices:
                values.setdefault(tag, set()).add(value)
        return found | {tag for tag, named in values.items() if len(named) > MOST_SLICES}

    def seen(self) -> list[TaskEvaluator]:
        """The evaluators of tasks that have samples, in the order of the suite."""
        order = list(self._tasks)
        return sorted((task for task in self.tasks.values() if task.counts), key=lambda one: order.index(one.task.name))

    def rows(self) -> list[Row]:
        """Every figure: overall first, then by task, by level and by tag."""
        tasks = self.seen()
        by_name = tasks if self.scores_columns else sorted(tasks, key=lambda one: natural_key(one.task.name))
        return [
            *self._merged(OVERALL, tasks).rows(OVERALL),
            *(row for task in by_name for row in task.rows()),
            *self._level_rows(tasks),
            *self._tag_rows(tasks),
        ]

    def _merged(self, scope: Scope, tasks: Sequence[TaskEvaluator], key: Scope = OVERALL) -> MetricGroup:
        """The group of a scope over several tasks."""
        group = MetricGroup.of(self._shared, self._overall if scope == OVERALL else ())
        for task in tasks:
            if key in task.slices:
                group.merge(task.slices[key])
            elif key == OVERALL:
                group.merge(task.group)
        if scope == OVERALL:
            group.counts.update(self.unknown)
        return group

    def _level_rows(self, tasks: Sequence[TaskEvaluator]) -> list[Row]:
        levels = dict.fromkeys(task.task.level for task in tasks if task.task.level)
        if len(levels) < 2:
            return []
        members = {level: [task for task in tasks if task.task.level == level] for level in levels}
        return [
            row
            for level, some in members.items()
            for row in self._merged(("level", level), some).rows(("level", level))
        ]

    def _tag_rows(self, tasks: Sequence[TaskEvaluator]) -> list[Row]:
        crowded, order = self.crowded, list(self.suite.slices)
        keys = {key for task in tasks for key in task.slices if key != OVERALL and key[0] not in crowded}
        found = sorted(keys, key=lambda key: (order.index(key[0]), natural_key(key[1])))
        return [row for key in found for row in self._merged(key, tasks, key).rows(key)]

    def baselines(self) -> dict[str, float]:
        """All blind baselines over the whole run."""
        return self._merged(OVERALL, self.seen()).baselines.values()

    def notes(self, rows: Sequence[Row]) -> list[Remark]:
        """What was counted on the way, which figures do not respect weights, and why a figure has no value."""
        tasks = self.seen()
        notes = [
            Remark("{where}: {what}: {count}", {"where": task.task.name, "what": what, "count": count})
            for task in tasks
            for what, count in task.remarks().items()
        ]
        for row in rows:
            if row.estimate.why and row.scope == "task" and self.scores_columns:
                facts = {"where": row.name, "what": row.title, "why": row.estimate.why}
                notes.append(Remark("{where}: {what}: {why}", facts))
        for tag in sorted(self.crowded):
            notes.append(
                Remark("The tag '{tag}' has too many values for a table; grades.parquet has them all.", {"tag": tag})
            )
        return [*notes, *_weight_notes(tasks)] if self.scores_columns else notes

    def summary(self) -> Summary:
        """All figures, with what was noticed on the way."""
        rows = self.rows()
        return Summary(
            suite=self.suite.name,
            title=self.suite.title,
            model="",
            headline=self.headline,
            samples=sum(self.counts.values()),
            states=self.counts,
            controls=self.baselines(),
            rows=rows,
            breakdowns=[
                TaskBreakdown(task=task.task.name, name=table.name, head=table.head, rows=table.rows)
                for task in self.seen()
                for table in task.breakdowns()
            ],
            notes=self.notes(rows),
        )

    def close(self) -> None:
        """Release processes."""
        for task in self.tasks.values():
            task.close()


def _weight_notes(tasks: Sequence[TaskEvaluator]) -> list[Remark]:
    uneven = [task for task in tasks if task.is_unevenly_weighted]
    notes = [
        Remark("{where}: {what} does not use sample weights.", {"where": task.task.name, "what": metric.title})
        for task in uneven
        for metric in task.unweighted()
    ]
    if corpora := [task.task.name for task in uneven if any(metric.name == "cider" for metric in task.plan.metrics)]:
        facts = {"tasks": ", ".join(corpora)}
        notes.append(
            Remark("{tasks}: the document frequencies of CIDEr are those of the drawn samples, without weights.", facts)
        )
    if uneven:
        names = ", ".join(task.task.name for task in uneven)
        notes.append(Remark("{tasks}: breakdowns count each drawn sample once, without weights.", {"tasks": names}))
    return notes


def _classes(surveys: Sequence[Survey | None]) -> frozenset[str]:
    """The labels that truths have, where a survey has collected them."""
    return frozenset(name for survey in surveys for name in getattr(survey, "names", {}).values())


def natural_key(name: str) -> list[tuple[int, str]]:
    """Sort key that puts File_2 before File_10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
