"""What a model's outputs came to, in the form that every report is made from."""

from __future__ import annotations

from sightline.core.interfaces import ColumnSuite
from sightline.core.records import Remark, as_remark
from sightline.core.score_config import ScoreConfig
from sightline.scoring.conclusion import add_conclusions
from sightline.scoring.evaluator import Evaluator
from sightline.scoring.files.model_results import ModelResults
from sightline.scoring.summary import Summary

MOST_FAULTS = 12


def summarise(one: ModelResults, config: ScoreConfig, suite: ColumnSuite) -> Summary:
    """All figures of a model."""
    evaluator = Evaluator(suite, auxiliary=config.calc_aux_metric)
    evaluator.tasks = one.tasks
    evaluator.unknown["invalid"] = one.invalid
    summary = evaluator.summary()
    summary.model = one.model
    summary.samples, summary.pending = one.samples + one.pending, one.pending
    summary.facts = _facts(one)
    summary.deviations = _deviations(config, suite)
    summary.notes = [*_notes(one), *summary.notes]
    return add_conclusions(suite, summary)


def _facts(one: ModelResults) -> list[Remark]:
    words = {"sample_id": "by sample_id", "order": "by the order of lines", "source": "by source"}
    return [
        Remark("{count} files were paired with their outputs {way}.", {"count": count, "way": Remark(words[way])})
        for way, count in one.ways.items()
    ]


def _deviations(config: ScoreConfig, suite: ColumnSuite) -> list[Remark]:
    told = []
    if config.limit is not None:
        told.append(Remark("only the first {count} samples", {"count": config.limit}))
    if config.limit_per_task is not None:
        told.append(Remark("only the first {count} samples of each task", {"count": config.limit_per_task}))
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


def _notes(one: ModelResults) -> list[Remark]:
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
        notes.append(Remark("{where}: {what}: {count}", {"where": where, "what": as_remark(what), "count": count}))
    return notes
