"""What a book found, as rows of a report."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from sightline.books.book import TaskBook
from sightline.grading.scoreboard import Row
from sightline.grading.summary import TaskBreakdown
from sightline.metrics.tally import MEAN_SCORE
from sightline.records import ANSWERED
from sightline.stats.groups import GroupSums


def rows_of(book: TaskBook) -> list[Row]:
    """Every figure of a task, core ones first."""
    return [
        Row(
            scope="task",
            name=book.task.name,
            metric=found.figure.name,
            title=found.figure.title,
            core=found.figure.name in book.task.metrics,
            estimate=found.estimate,
            control=found.control,
            higher_is_better=found.figure.higher_is_better,
            unit=found.figure.unit,
            english=book.task.title,
        )
        for found in book.findings()
    ]


def breakdowns_of(book: TaskBook) -> list[TaskBreakdown]:
    """The tables beside a task's figures."""
    return [
        TaskBreakdown(task=book.task.name, name=table.name, head=table.head, rows=table.rows)
        for table in book.breakdowns()
    ]


def shared_rows(books: list[TaskBook]) -> list[Row]:
    """The mean of the samples' own scores over all tasks, and by level: the one figure that all tasks share."""
    levels = dict.fromkeys(book.task.level for book in books if book.task.level)
    by_level = [_mean("level", level, [book for book in books if book.task.level == level]) for level in levels]
    return [_mean("overall", "", books), *(by_level if len(by_level) > 1 else ())]


def _mean(scope: str, name: str, books: list[TaskBook]) -> Row:
    sums = GroupSums(3)
    states: Counter[str] = Counter()
    for book in books:
        sums.merge(book.scores)
        states.update(book.states)
    found = sums.estimate(lambda totals: totals[..., 2] / totals[..., 1], "bounded")
    unread = sum(states[state] for state in ANSWERED if state != "ok")
    return Row(
        scope=scope,
        name=name,
        metric=MEAN_SCORE.name,
        title=MEAN_SCORE.title,
        core=True,
        estimate=replace(
            found,
            unparsed=unread,
            invalid=states["invalid"],
            floor=found.value,
            ceiling=None if found.value is None else min(1.0, found.value + unread / found.n),
        ),
    )
