"""Evaluator: batches of samples and replies in, figures out.

    samples, replies ─► scorer ─► ScoreBatch ─► metric states ─► estimates ─► rows of the summary

One `TaskEvaluator` per task scores its batches and keeps the states of its metrics, for the task as a whole and for
each slice. Overall figures, those of levels and of tags are merged from the tasks' states. Evaluators over different
samples merge into the evaluator over all of them; no split, order or number of workers changes a digit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import UnsetType
from msgspec.structs import replace

from sightline.core.interfaces import ColumnSuite, GradeAttempt, Suite, Task
from sightline.core.records import Grade, Invalid
from sightline.core.remarks import Remark, as_remark
from sightline.core.reply_formats import STRICT
from sightline.scoring.batch import STATUSES, ReplyBatch, SampleBatch, ScoreBatch, batch_grades
from sightline.scoring.format_notes import format_notes
from sightline.scoring.metric_group import Influences, MetricGroup, Scope
from sightline.scoring.metrics.state import MEAN_SCORE, Metric, MetricState, ScoreState
from sightline.scoring.resolve import find_metric
from sightline.scoring.sample_scorer import SampleScorer, grade_invalid
from sightline.scoring.summary import Row, Summary, TaskBreakdown, TaskFormat
from sightline.scoring.task_evaluator import (
    MOST_SLICES,
    OVERALL,
    TaskEvaluator,
    TaskPlan,
    find_metrics,
    plan_column_task,
)
from sightline.stats.blind_baselines import BlindBaselines
from sightline.stats.influence import plain_estimate


class Evaluator:
    """All tasks of a suite; two evaluators over different samples merge into the evaluator over both."""

    def __init__(
        self, suite: Suite, *, auxiliary: bool = True, feedback: bool = False, grade: GradeAttempt | None = None
    ) -> None:
        self.suite = suite
        self._tasks = suite.tasks()
        self._auxiliary = auxiliary
        self._feedback = ("after_feedback", "best_attempt") if feedback else ()
        self.tasks: dict[str, TaskEvaluator] = {}
        self.unknown: Counter[str] = Counter()
        """Counts by status of samples with an unknown task."""
        self.model = ""
        """The model whose replies are scored, by which a reply format may be declared."""
        self.influences: Influences = {}
        """By scope, name and metric; of the figures of the last `summary`."""
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
            self.tasks[name] = TaskEvaluator(self._plan(self.declared_task(name)))
        return self.tasks[name]

    def declared_task(self, name: str) -> Task:
        """The suite's task of that name; one that it does not declare has no figures but counts in the overall ones."""
        return self._tasks.get(name) or Task(name=name, parser="text", metrics=())

    def _plan(self, task: Task) -> TaskPlan:
        if isinstance(self.suite, ColumnSuite):
            return plan_column_task(task, self.suite.reading, self._auxiliary)
        metrics = find_metrics(task, self._auxiliary, self._feedback)
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
            some = [grades[row] for row in rows]
            self.task(task).add_scores(batch_grades(some, [blind[row] for row in rows] if blind else (), rows))

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
        """Samples by status, in the order of `STATUSES`, so that the order of batches does not show."""
        total = Counter(self.unknown)
        for task in self.tasks.values():
            total.update(task.counts)
        return {status: total[status] for status in STATUSES if total[status]}

    @property
    def crowded(self) -> set[str]:
        """Tags with too many values to be broken down by."""
        found = set[str]().union(*(task.crowded for task in self.tasks.values()))
        values: dict[str, set[str]] = {}
        for task in self.tasks.values():
            for tag, value in task.slices:
                values.setdefault(tag, set()).add(value)
        return found | {tag for tag, named in values.items() if len(named) > MOST_SLICES}

    def active_tasks(self) -> list[TaskEvaluator]:
        """The evaluators of tasks that have samples, in the order of the suite."""
        order = {name: number for number, name in enumerate(self._tasks)}
        found = [task for task in self.tasks.values() if task.counts]
        return sorted(found, key=lambda task: order.get(task.task.name, len(order)))

    def rows(self, influences: Influences | None = None) -> list[Row]:
        """Every figure: overall first, then by task, by level and by tag.

        What each cluster moves the figures overall and by task is added to `influences`.
        """
        tasks = self.active_tasks()
        by_name = tasks if self.scores_columns else sorted(tasks, key=lambda one: natural_key(one.task.name))
        return [
            *self._rows_of(OVERALL, tasks, influences=influences),
            *(row for task in by_name for row in task.rows(influences)),
            *self._level_rows(tasks),
            *self._tag_rows(tasks),
        ]

    def _rows_of(
        self,
        scope: Scope,
        tasks: Sequence[TaskEvaluator],
        key: Scope = OVERALL,
        influences: Influences | None = None,
    ) -> list[Row]:
        """The figures of a scope over several tasks, with lenient ones where some task has them."""
        rows = self._merge_tasks(scope, tasks, key).rows(scope, influences=influences)
        if not any(task.lenient_groups for task in tasks):
            return rows
        lenient = self._merge_tasks(scope, tasks, key, is_lenient=True)
        by_name = {metric.name: metric for metric in lenient.metrics}
        return [replace(row, lenient=plain_estimate(lenient.estimate(by_name[row.metric]))) for row in rows]

    def _merge_tasks(
        self, scope: Scope, tasks: Sequence[TaskEvaluator], key: Scope = OVERALL, is_lenient: bool = False
    ) -> MetricGroup:
        """The group of a scope over several tasks."""
        group = MetricGroup.of(self._shared, self._overall if scope == OVERALL else ())
        for task in tasks:
            if key in task.slices:
                group.merge(task.slices[key])
            elif key == OVERALL:
                for part in (task.lenient_groups if is_lenient else ()) or task.strict_groups:
                    group.merge(part)
        if scope == OVERALL:
            group.counts.update(self.unknown)
        return group

    def _level_rows(self, tasks: Sequence[TaskEvaluator]) -> list[Row]:
        levels = dict.fromkeys(task.task.level for task in tasks if task.task.level)
        if len(levels) < 2:
            return []
        members = {level: [task for task in tasks if task.task.level == level] for level in levels}
        return [row for level, some in members.items() for row in self._rows_of(("level", level), some)]

    def _tag_rows(self, tasks: Sequence[TaskEvaluator]) -> list[Row]:
        crowded, order = self.crowded, list(self.suite.slices)
        keys = {key for task in tasks for key in task.slices if key != OVERALL and key[0] not in crowded}
        found = sorted(keys, key=lambda key: (order.index(key[0]), natural_key(key[1])))
        return [row for key in found for row in self._rows_of(key, tasks, key)]

    def baselines(self) -> dict[str, float]:
        """All blind baselines over the whole run."""
        total = BlindBaselines()
        for task in self.active_tasks():
            total.merge(task.slices.get(OVERALL, task.strict).baselines)
        return total.values()

    def notes(self, rows: Sequence[Row]) -> list[Remark]:
        """What was counted on the way, which figures do not respect weights, and why a figure has no value."""
        tasks = self.active_tasks()
        notes = [
            Remark("{where}: {what}: {count}", {"where": task.display_name, "what": Remark(what), "count": count})
            for task in tasks
            for what, count in task.remarks().items()
        ]
        for row in rows:
            if row.estimate.reason and row.scope == "task" and self.scores_columns:
                facts = {
                    "where": Remark(row.english or row.name),
                    "what": Remark(row.title),
                    "why": as_remark(row.estimate.reason),
                }
                notes.append(Remark("{where}: {what}: {why}", facts))
        for tag in sorted(self.crowded):
            notes.append(
                Remark("The tag '{tag}' has too many values for a table; grades.parquet has them all.", {"tag": tag})
            )
        if not self.scores_columns:
            return notes
        return [*notes, *_weight_notes(tasks), *format_notes(rows, self.formats(rows))]

    def formats(self, rows: Sequence[Row]) -> list[TaskFormat]:
        """How the replies to each task keep to the asked form."""
        if not isinstance(self.suite, ColumnSuite):
            return []
        found = []
        heads = {row.name: row for row in reversed(rows) if row.scope == "task"}
        for task in self.active_tasks():
            form, row = self.suite.reading.reply_format(task.task, self.model), heads.get(task.task.name)
            if form == STRICT or row is None:
                continue
            counts = task.format_counts
            space = counts.propose_space(self.suite.reading.reply_space(form))
            found.append(
                TaskFormat(
                    task=task.task.name,
                    reply_format=form,
                    replies=sum(count for status, count in task.counts.items() if status not in ("invalid", "failed")),
                    rescued=dict(sorted(counts.deviations.items(), key=lambda pair: (-pair[1], pair[0]))),
                    metric=row.metric,
                    strict=row.estimate.value,
                    lenient=row.estimate.value if isinstance(row.lenient, UnsetType) else row.lenient.value,
                    proposed_space=space[0] if space else "",
                    proposed_share=space[1] if space else 0.0,
                    declared_space=self.suite.reading.reply_space(form) if space else "",
                    unsized=counts.unsized,
                )
            )
        return found

    def summary(self) -> Summary:
        """All figures, with what was noticed on the way; `influences` are those of its figures from then on."""
        self.influences = {}
        rows, counts = self.rows(self.influences), self.counts
        return Summary(
            suite=self.suite.name,
            title=self.suite.title,
            model="",
            headline=self.headline,
            samples=sum(counts.values()),
            statuses=counts,
            baselines=self.baselines(),
            rows=rows,
            breakdowns=[
                TaskBreakdown(task=task.task.name, name=table.name, head=table.head, rows=table.rows)
                for task in self.active_tasks()
                for table in task.breakdowns()
            ],
            formats=self.formats(rows),
            notes=self.notes(rows),
        )

    def close(self) -> None:
        """Release processes."""
        for task in self.tasks.values():
            task.close()


def _weight_notes(tasks: Sequence[TaskEvaluator]) -> list[Remark]:
    uneven = [task for task in tasks if task.is_unevenly_weighted]
    notes = [
        Remark("{where}: {what} does not use sample weights.", {"where": task.task.name, "what": Remark(metric.title)})
        for task in uneven
        for metric in task.metrics_without_weights()
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


def add_conclusions(suite: Suite, summary: Summary) -> Summary:
    """The summary with what `Suite.summarize` and `Suite.plot_tables` make of its figures."""
    figures = {(row.scope, row.name, row.metric): row.estimate for row in summary.rows}
    summary.digest, sentences = suite.summarize(figures)
    panels = [
        TaskBreakdown(task="", name=name, head=tuple(head), rows=tuple(map(tuple, rows)))
        for name, (head, rows) in suite.plot_tables(figures).items()
    ]
    summary.breakdowns = [*panels, *summary.breakdowns]
    summary.notes = [*sentences, *summary.notes]
    return summary


def natural_key(name: str) -> list[tuple[int, str]]:
    """Sort key that puts File_2 before File_10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
