"""Repeats of a run: how they were sampled, for reports, and warnings where they can't differ."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sightline.core.remarks import Remark, join_remarks
from sightline.core.seeds import repeat_seed
from sightline.runs.manifest import Manifest, recorded_repeats
from sightline.scoring.evaluator import Evaluator
from sightline.scoring.metrics.state import Metric, ScoreState, identity_credit
from sightline.scoring.metrics.sum_metric import MeanCredit
from sightline.scoring.repeats import RepeatConfig, RepeatEvaluator
from sightline.scoring.resolve import find_metric
from sightline.scoring.summary import RepeatSummary, Row


def make_repeat_evaluator(evaluator: Evaluator, manifest: Manifest) -> RepeatEvaluator:
    """The evaluator of repeats with the settings of a run; it counts what the headline metric counts."""
    credit = find_metric(evaluator.headline).credit if evaluator.headline else None
    threshold = manifest.config.get("pass_threshold")
    threshold = float(threshold) if isinstance(threshold, int | float) else 1.0
    config = RepeatConfig(recorded_repeats(manifest), threshold, credit or identity_credit)
    return RepeatEvaluator(evaluator.suite, config)


def describe_repeats(summary: RepeatSummary, manifest: Manifest, rows: Sequence[Row]) -> RepeatSummary:
    """The summary with the temperature and the seeds that were sent, as the identity of the model records them.

    `rows` are the figures of the evaluator, some of which pool replies.
    """
    temperature, seed = manifest.identity.get("temperature"), manifest.identity.get("seed")
    sent = seed if type(seed) is int and "server" in manifest.identity else None
    metrics = dict.fromkeys(row.metric for row in rows)
    return replace(
        summary,
        temperature=float(temperature) if isinstance(temperature, int | float) else None,
        seeds=[] if sent is None else [repeat_seed(sent, k) for k in range(1, summary.count + 1)],
        pooled=[name for name in metrics if not _averages_questions(find_metric(name))],
    )


def _averages_questions(metric: Metric) -> bool:
    """Whether a metric is the mean over questions of what their replies earn."""
    return metric.is_mean and issubclass(metric.state, ScoreState | MeanCredit)


def repeat_notes(summary: RepeatSummary) -> list[Remark]:
    """What failed repeats mean for the figures; empty where none failed."""
    if not summary.failed:
        return []
    notes = [
        Remark(
            "{count} repeats of {questions} questions failed. Figures rest on the graded replies of each question; "
            "the score bounds count failed repeats as wrong and as right.",
            {"count": summary.failed, "questions": summary.incomplete},
        )
    ]
    if summary.pooled:
        titles = join_remarks([Remark(find_metric(name).title) for name in summary.pooled], ", ")
        notes.append(
            Remark(
                "{metrics}: all graded replies are pooled, so that questions with failed repeats count less.",
                {"metrics": titles},
            )
        )
    return notes


def repeat_warnings(manifest: Manifest) -> list[Remark]:
    """Why the repeats of a run may be no new draws; empty for a run without repeats."""
    if recorded_repeats(manifest) == 1:
        return []
    warnings = []
    if manifest.identity.get("temperature") == 0:
        warnings.append(
            Remark("--repeats with temperature 0: the repeats of a question will hardly differ. Set --temperature.")
        )
    if manifest.config.get("cache"):
        warnings.append(
            Remark("--repeats with --cache: replies may come from an earlier run; each repeat has an entry of its own.")
        )
    return warnings
