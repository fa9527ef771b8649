"""Repeats of a run: how they were sampled, for reports, and warnings where they can't differ."""

from __future__ import annotations

from msgspec.structs import replace

from sightline.core.records import Remark
from sightline.inference.repeats import repeat_seed
from sightline.runs.manifest import Manifest, recorded_repeats
from sightline.scoring.evaluator import Evaluator
from sightline.scoring.metrics.state import whole_score
from sightline.scoring.repeats import RepeatConfig, RepeatEvaluator
from sightline.scoring.resolve import find_metric
from sightline.scoring.summary import RepeatSummary


def make_repeat_evaluator(evaluator: Evaluator, manifest: Manifest) -> RepeatEvaluator:
    """The evaluator of repeats with the settings of a run; it counts what the headline metric counts."""
    credit = find_metric(evaluator.headline).credit if evaluator.headline else None
    threshold = manifest.config.get("pass_threshold")
    threshold = float(threshold) if isinstance(threshold, int | float) else 1.0
    config = RepeatConfig(recorded_repeats(manifest), threshold, credit or whole_score)
    return RepeatEvaluator(evaluator.suite, config)


def describe_repeats(summary: RepeatSummary, manifest: Manifest) -> RepeatSummary:
    """The summary with the temperature and the seeds that were sent, as the identity of the model records them."""
    temperature, seed = manifest.identity.get("temperature"), manifest.identity.get("seed")
    sent = seed if type(seed) is int and "server" in manifest.identity else None
    return replace(
        summary,
        temperature=float(temperature) if isinstance(temperature, int | float) else None,
        seeds=[] if sent is None else [repeat_seed(sent, k) for k in range(1, summary.count + 1)],
    )


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
