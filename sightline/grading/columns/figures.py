"""What a book found, as rows of a report."""

from __future__ import annotations

from collections import Counter

from sightline.books.book import TaskBook
from sightline.books.bounds import with_bounds, with_states
from sightline.grading.scoreboard import Row
from sightline.grading.summary import TaskBreakdown
from sightline.metrics.tally import MEAN_SCORE
from sightline.records import Remark
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


def notes_of(books: list[TaskBook], figures: list[Row]) -> list[Remark]:
    """What was counted on the way, which figures do not respect weights, and why a figure has no value."""
    notes = [
        Remark("{where}: {what}: {count}", {"where": book.task.name, "what": what, "count": count})
        for book in books
        for what, count in book.remarks().items()
    ]
    for row in figures:
        if row.estimate.why:
            facts = {"where": row.name, "what": row.title, "why": row.estimate.why}
            notes.append(Remark("{where}: {what}: {why}", facts))
    return [*notes, *_weight_notes(books)]


def _weight_notes(books: list[TaskBook]) -> list[Remark]:
    uneven = [book for book in books if not book.weights.is_even]
    notes = [
        Remark("{where}: {what} does not use sample weights.", {"where": book.task.name, "what": figure.title})
        for book in uneven
        for figure in book.unweighted()
    ]
    if corpora := [book.task.name for book in uneven if any(figure.name == "cider" for figure in book.figures)]:
        facts = {"tasks": ", ".join(corpora)}
        notes.append(
            Remark("{tasks}: the document frequencies of CIDEr are those of the drawn samples, without weights.", facts)
        )
    if uneven:
        names = ", ".join(book.task.name for book in uneven)
        notes.append(Remark("{tasks}: breakdowns count each drawn sample once, without weights.", {"tasks": names}))
    return notes


def shared_rows(books: list[TaskBook]) -> list[Row]:
    """The mean of the samples' own scores over all tasks, and by level: the one figure that all tasks share."""
    levels = dict.fromkeys(book.task.level for book in books if book.task.level)
    by_level = [_mean("level", level, [book for book in books if book.task.level == level]) for level in levels]
    return [_mean("overall", "", books), *(by_level if len(by_level) > 1 else ())]


def _mean(scope: str, name: str, books: list[TaskBook]) -> Row:
    sums = GroupSums(3)
    states: Counter[str] = Counter()
    masses: Counter[str] = Counter()
    for book in books:
        sums.merge(book.scores)
        states.update(book.states)
        masses.update(book.masses)
    found = sums.estimate(lambda totals: totals[..., 2] / totals[..., 1], "bounded")
    return Row(
        scope=scope,
        name=name,
        metric=MEAN_SCORE.name,
        title=MEAN_SCORE.title,
        core=True,
        estimate=with_bounds(with_states(found, states), masses),
    )
