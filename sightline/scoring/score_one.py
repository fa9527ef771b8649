"""The metrics of a single sample: truth and reply as texts in, figures out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sightline.core.remarks import format_remark
from sightline.core.reply_formats import STRICT
from sightline.core.score_config import ScoreConfig
from sightline.core.settings import convert
from sightline.data.columns import TextColumn
from sightline.i18n import tr
from sightline.scoring.batch import ReplyBatch, SampleBatch, hash_clusters
from sightline.scoring.column_scorer import ColumnScorer
from sightline.scoring.files.suite_lookup import column_suite
from sightline.scoring.parsers.lenient.deviations import DEVIATIONS
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
    `lenient_score` is the score where the reply is read leniently, and `deviation` says in what it is not as asked;
    neither is there with `reply_format="strict"`.
    Takes the settings of scoring that matter here: coords, reply_format, label_mapping, task_config. `suite` is needed
    only where several suites have a task of that name.
    """
    rules = column_suite(convert(ScoreConfig, settings), suite, task)
    evaluator = TaskEvaluator(plan_column_task(rules.table.find(task), rules.reading))
    assert isinstance(evaluator.scorer, ColumnScorer), "annotations are scored as columns"
    evaluator.scorer.uses_vocabulary = False  # of one truth it would be its answer
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
    if rules.reading.reply_format(evaluator.task) != STRICT:
        lenient, deviations = scores.lenient_scores, scores.deviations
        figures["lenient_score"] = figures["score"] if lenient is None else float(lenient[0])
        figures["deviation"] = "" if deviations is None else tr(DEVIATIONS[deviations[0]])
    evaluator.close()
    return figures
