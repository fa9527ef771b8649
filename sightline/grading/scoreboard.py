"""All figures of a run while its grades stream by: overall, by task, by the suite's tags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from sightline.contracts import Metric, Suite, Task
from sightline.records import ANSWERED, Estimate, Grade, Unit
from sightline.registry import find
from sightline.stats.controls import Control, Controls

MOST_SLICES = 500
"""A tag with more values than this is not broken down: the grades are in grades.parquet for whoever wants them."""


class Row(Struct, frozen=True, kw_only=True):
    """One figure: of which metric, over which samples, beside which control."""

    scope: str
    """`overall`, `task`, or the name of a tag."""
    name: str
    metric: str
    title: str
    core: bool
    estimate: Estimate
    control: Control | None = None
    higher_is_better: bool = True
    unit: Unit = "share"
    english: str = ""
    """What `name` is called in English, where it is a name in another language."""


class _Board:
    """The metrics over one set of samples."""

    def __init__(self, core: Iterable[str], auxiliary: Iterable[str]) -> None:
        self.core = tuple(core)
        self.metrics: dict[str, Metric] = {name: find("metrics", name)() for name in (*self.core, *auxiliary)}
        # controls are means of scores, so they stand beside a headline that is one
        head = self.metrics[self.core[0]] if self.core else None
        self._credit: Callable[[float], float] | None = getattr(head, "credit", None)
        self.controls = Controls()

    def add(self, grade: Grade, control_scores: Mapping[str, float]) -> None:
        for metric in self.metrics.values():
            metric.add(grade)
        if self._credit is not None and grade.state in ANSWERED:
            self.controls.add({choice: self._credit(score) for choice, score in control_scores.items()}, grade.weight)

    def merge(self, other: _Board) -> None:
        for name, metric in self.metrics.items():
            metric.merge(other.metrics[name])
        self.controls.merge(other.controls)

    def rows(self, scope: str, name: str) -> Iterable[Row]:
        for key, metric in self.metrics.items():
            estimate = metric.result()
            headline = bool(self.core) and key == self.core[0]
            yield Row(
                scope=scope,
                name=name,
                metric=key,
                title=metric.title,
                core=key in self.core,
                estimate=estimate,
                control=self.controls.best(estimate.value) if headline else None,
                higher_is_better=metric.higher_is_better,
                unit=getattr(metric, "unit", "share"),
            )


class Scoreboard:
    """Takes grades one at a time; two boards over different samples merge into the board over both."""

    def __init__(self, suite: Suite, feedback: bool = False) -> None:
        self._tasks: dict[str, Task] = suite.tasks()
        self._slices = suite.slices
        self._more = ("after_feedback", "best_attempt") if feedback else ()
        self.states: Counter[str] = Counter()
        self.crowded: set[str] = set()
        """Tags with too many values to be broken down by."""
        self._sizes: Counter[str] = Counter()
        tasks = list(self._tasks.values())
        shared = [m for m in tasks[0].metrics if all(m in t.metrics for t in tasks)] if tasks else []
        shared_more = [m for m in tasks[0].auxiliary if all(m in t.auxiliary for t in tasks)] if tasks else []
        self._shared = (tuple(shared), (*shared_more, *suite.overall, *self._more))
        self._boards: dict[tuple[str, str], _Board] = {("overall", ""): _Board(*self._shared)}

    @property
    def headline(self) -> str:
        """The metric that stands for the whole run: the first that all tasks share, if they share one."""
        return self._shared[0][0] if self._shared[0] else ""

    def add(self, grade: Grade, control_scores: Mapping[str, float]) -> None:
        """Take one grade, and what a guesser's replies would have earned on the same sample."""
        self.states[grade.state] += 1
        for key in self._keys(grade):
            if key[0] not in self.crowded:
                self._board(key).add(grade, control_scores)
        self._drop_crowded()

    def merge(self, other: Scoreboard) -> None:
        """Take all that `other` has seen."""
        self.states += other.states
        self.crowded |= other.crowded
        for key, board in other._boards.items():
            if key[0] not in self.crowded:
                self._board(key).merge(board)
        self._drop_crowded()

    def rows(self) -> list[Row]:
        """Every figure, overall first, then by task, then by tag."""
        order = ["overall", "task", *self._slices]
        keys = sorted(self._boards, key=lambda key: (order.index(key[0]), _natural(key[1])))
        return [row for key in keys for row in self._boards[key].rows(*key)]

    def controls(self) -> dict[str, float]:
        """All controls over the whole run."""
        return self._boards["overall", ""].controls.values()

    def _keys(self, grade: Grade) -> Iterable[tuple[str, str]]:
        yield "overall", ""
        if grade.task in self._tasks:
            yield "task", grade.task
        for tag in self._slices:
            if value := grade.tags.get(tag):
                yield tag, value

    def _board(self, key: tuple[str, str]) -> _Board:
        if key not in self._boards:
            self._boards[key] = self._new(*key)
            self._sizes[key[0]] += 1
        return self._boards[key]

    def _drop_crowded(self) -> None:
        """A breakdown that has outgrown its limit goes as a whole: a part of it would depend on the samples' order."""
        if not any(size > MOST_SLICES for size in self._sizes.values()):
            return
        self.crowded |= {scope for scope, size in self._sizes.items() if size > MOST_SLICES}
        self._boards = {key: board for key, board in self._boards.items() if key[0] not in self.crowded}
        self._sizes = Counter(scope for scope, _ in self._boards)

    def _new(self, scope: str, name: str) -> _Board:
        if scope == "task":
            task = self._tasks[name]
            return _Board(task.metrics, (*task.auxiliary, *self._more))
        return _Board(self._shared[0], ())


def _natural(name: str) -> list[tuple[int, str]]:
    """File_2 before File_10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
