"""The metrics of a single sample: truth and reply as texts in, figures out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sightline.core.remarks import format_remark
from sightline.core.score_config import ScoreConfig
from sightline.core.settings import convert
from sightline.data.columns import TextColumn
from sightline.scoring.batch import ReplyBatch, SampleBatch, hash_clusters
from sightline.scoring.files.suite_lookup import column_suite
from sightline.scoring.parsers.references import format_target
from sightline.scoring.task_evaluator import TaskEvaluator, plan_column_task


def score_one(
    gt: str | Sequence[str],
    output: str,
    task: str,
    suite: str = "",
    *,
    size: tuple[float, float] | None = None,
    **settings: Any,
) -> dict[str, float | str | None]:
    """Every metric of the task on this one sample: `score_one(gt="3", output="4", task="计数")`.

    A caption may have several references: `gt` is a list of texts then.

    `error`, where it is there, says why the reply, or the truth, could not be read; with a truth that can't, `score`
    is None. A figure that needs a corpus (CIDEr) is None. `size` is the width and height of the picture, which `coords`
    other than those of the truth need where one of them is pixels.
    Takes the settings of scoring that matter here: coords, label_mapping, task_config. `suite` is needed only where
    several suites have a task of that name.
    """
    rules = column_suite(convert(ScoreConfig, settings), suite, task)
    evaluator = TaskEvaluator(plan_column_task(rules.table.find(task), rules.reading))
    positions = np.zeros(1, np.int64)
    targets = TextColumn.of([format_target(gt)])
    samples = SampleBatch(
        task=evaluator.task,
        positions=positions,
        clusters=hash_clusters([""], positions),
        targets=targets,
        key=0,
        sizes=None if size is None else np.array([size], np.float64),
    )
    if evaluator.needs_fit:
        evaluator.fit(targets, 0)
    scores = evaluator.update(samples, ReplyBatch(texts=TextColumn.of([str(output)])))
    figures: dict[str, float | str | None] = {row.metric: row.estimate.value for row in evaluator.rows()}
    status = scores.status(0)
    figures["score"] = None if status == "invalid" else float(scores.scores[0])
    if status != "answered":
        figures["error"] = format_remark(scores.message(0))
    evaluator.close()
    return figures
