"""The metrics of a single sample: truth and reply as texts in, figures out."""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.books.book import TaskBook
from sightline.books.rows import INVALID, OK, TaskRows
from sightline.columns import TextColumn
from sightline.score_config import ScoreConfig
from sightline.scoring.rules import column_suite
from sightline.settings import convert


def score_one(
    gt: str, output: str, task: str, suite: str = "", *, size: tuple[float, float] | None = None, **settings: Any
) -> dict[str, float | str | None]:
    """Every metric of the task on this one sample: `score_one(gt="3", output="4", task="计数")`.

    `error`, where it is there, says why the reply, or the truth, could not be read; with a truth that can't, `score`
    is None. A figure that needs a corpus (CIDEr) is None. `size` is the width and height of the picture, which `coords`
    other than those of the truth need where one of them is pixels.
    Takes the settings of scoring that matter here: coords, label_mapping, task_config. `suite` is needed only where
    several suites have a task of that name.
    """
    rules = column_suite(convert(ScoreConfig, settings), suite, task)
    found = rules.table.find(task)
    book = TaskBook(found, rules.reading)
    rows = TaskRows(
        truth=TextColumn.of([str(gt)]),
        reply=TextColumn.of([str(output)]),
        replied=np.ones(1, bool),
        clusters=np.ones(1, np.uint64),
        key=0,
        sizes=None if size is None else np.array([size], np.float64),
    )
    if book.needs_survey:
        book.survey(rows.truth, rows.key)
    graded = book.grade(rows)
    figures: dict[str, float | str | None] = {found.figure.name: found.estimate.value for found in book.findings()}
    figures["score"] = None if graded.states[0] == INVALID else float(graded.scores[0])
    if graded.states[0] != OK:
        figures["error"] = graded.reasons[graded.notes[0]]
    book.close()
    return figures
