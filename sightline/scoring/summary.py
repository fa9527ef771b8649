"""What a model's outputs came to, in the form that every report is made from."""

from __future__ import annotations

from collections import Counter

from sightline.books.book import TaskBook
from sightline.contracts import ColumnSuite
from sightline.grading.columns.figures import breakdowns_of, notes_of, rows_of, shared_rows
from sightline.grading.conclusion import concluded
from sightline.grading.scoreboard import Row
from sightline.grading.summary import Summary
from sightline.metrics.tally import MEAN_SCORE
from sightline.records import Remark
from sightline.score_config import ScoreConfig
from sightline.scoring.tallied import Tallied

MOST_FAULTS = 12


def summarise(one: Tallied, config: ScoreConfig, suite: ColumnSuite) -> Summary:
    """All figures of a model."""
    order = [task.name for task in suite.table]
    books = {name: one.books[name] for name in sorted(one.books, key=order.index) if one.books[name].states}
    figures = [row for book in books.values() for row in rows_of(book)]
    overall, *levels = shared_rows(list(books.values()))
    states: Counter[str] = Counter(invalid=one.invalid)
    for book in books.values():
        states.update(book.states)
    summary = Summary(
        suite=suite.name,
        title=suite.title,
        model=one.model,
        headline=MEAN_SCORE.name,
        samples=one.samples + one.pending,
        pending=one.pending,
        states={state: count for state, count in states.items() if count},
        rows=[overall, *figures, *levels],
        breakdowns=[table for book in books.values() for table in breakdowns_of(book)],
        facts=_facts(one),
        deviations=_deviations(config, suite),
        notes=_notes(one, list(books.values()), figures),
    )
    return concluded(suite, summary)


def _facts(one: Tallied) -> list[Remark]:
    words = {"sample_id": "by sample_id", "order": "by the order of lines", "source": "by source"}
    return [
        Remark("{count} files were paired with their outputs {way}.", {"count": count, "way": words[way]})
        for way, count in one.ways.items()
    ]


def _deviations(config: ScoreConfig, suite: ColumnSuite) -> list[Remark]:
    told = []
    if config.limit is not None:
        told.append(Remark("only the first {count} samples of each task", {"count": config.limit}))
    if suite.wanted:
        told.append(Remark("only the tasks {tasks}", {"tasks": ", ".join(suite.wanted)}))
    if suite.reading.labels:
        told.append(Remark("labels unified by a mapping of {count} words", {"count": len(suite.reading.labels)}))
    if config.task_config or config.defaults:
        told.append(Remark("tasks of the user's own"))
    if suite.reading.coords != suite.reading.truth_coords:
        told.append(
            Remark(
                "coordinates converted from {source} to {target}",
                {"source": suite.reading.coords, "target": suite.reading.truth_coords},
            )
        )
    return told


def _notes(one: Tallied, books: list[TaskBook], figures: list[Row]) -> list[Remark]:
    notes = []
    if one.absent:
        files = ", ".join(list(one.absent)[:5]) + (" …" if len(one.absent) > 5 else "")
        facts = {"files": files, "count": sum(one.absent.values())}
        notes.append(Remark("No outputs for {files}: {count} samples are not scored.", facts))
    for file, count in one.torn.items():
        facts = {"file": file, "count": count}
        notes.append(Remark("{file} is damaged: {count} samples behind the damage are not scored.", facts))
    for why, count in one.lost.items():
        notes.append(
            Remark("{count} samples could not be graded, tried three times: {why}", {"count": count, "why": why})
        )
    for (where, what), count in one.faults.most_common(MOST_FAULTS):
        notes.append(Remark("{where}: {what}: {count}", {"where": where, "what": what, "count": count}))
    return [*notes, *notes_of(books, figures)]
