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


def score_one(gt: str, output: str, task: str, **settings: Any) -> dict[str, float | str | None]:
    """Every metric of the task on this one sample: `score_one(gt="3", output="4", task="计数")`.

    `error`, where it is there, says why the reply, or the truth, could not be read; with a truth that can't, `score`
    is None. A figure that needs a corpus (CIDEr) is None.
    Takes the settings of scoring that matter here: coords, label_mapping, task_config.
    """
    suite = column_suite(convert(ScoreConfig, settings))
    found = suite.table.find(task)
    book = TaskBook(found, suite.reading)
    rows = TaskRows(
        truth=TextColumn.of([str(gt)]),
        reply=TextColumn.of([str(output)]),
        replied=np.ones(1, bool),
        clusters=np.ones(1, np.uint64),
    )
    graded = book.grade(rows)
    figures: dict[str, float | str | None] = {found.figure.name: found.estimate.value for found in book.findings()}
    figures["score"] = None if graded.states[0] == INVALID else float(graded.scores[0])
    if graded.states[0] != OK:
        figures["error"] = graded.reasons[graded.notes[0]]
    book.close()
    return figures
