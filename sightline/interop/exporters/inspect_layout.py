"""The parts of an Inspect log as plain values, by its documented layout (version 2)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from sightline.core.records import ANSWERED
from sightline.interop.exporting import GradedRun, GradedSample

LAYOUT = 2
SCORER = "sightline"
_STOPS = {"truncated": "max_tokens", "refused": "content_filter"}


class Asked(Struct, frozen=True):
    """The words of a question and the truth it has."""

    words: str
    target: Any


def header(run: GradedRun) -> dict[str, Any]:
    """All but the samples."""
    manifest, summary = run.manifest, run.summary
    name = hashlib.sha256(f"{manifest.key}{manifest.started}{manifest.model}".encode()).hexdigest()[:22]
    usage = {"input_tokens": summary.usage.tokens_in, "output_tokens": summary.usage.tokens_out}
    return {
        "version": LAYOUT,
        "status": "success" if summary.complete else "error",
        "eval": {
            "run_id": name,
            "created": manifest.started,
            "task": f"sightline/{manifest.suite}",
            "task_id": name,
            "task_version": 0,
            "task_args": dict(manifest.options),
            "dataset": {"name": manifest.suite, "samples": summary.samples, "shuffled": False},
            "model": manifest.model,
            "config": {},
            "packages": {"sightline": manifest.versions.get("sightline", "")},
            "metadata": {"data_sha256": manifest.grading_fingerprint[1], "suite_version": manifest.suite_version},
        },
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": _results(run),
        "stats": {
            "started_at": manifest.started,
            "completed_at": manifest.ended or manifest.started,
            "model_usage": {manifest.model: {**usage, "total_tokens": sum(usage.values())}},
        },
    }


def _results(run: GradedRun) -> dict[str, Any]:
    """Every figure over all samples, with the interval of each; Inspect wants numbers only."""
    metrics: dict[str, Any] = {}
    for row in run.summary.rows_of("overall"):
        for name, value in (
            (row.metric, row.estimate.value),
            (f"{row.metric}_low", row.estimate.low),
            (f"{row.metric}_high", row.estimate.high),
        ):
            if value is not None:
                metrics[name] = {"name": name, "value": value, "params": {}}
    completed = sum(run.summary.states.get(state, 0) for state in ANSWERED)
    return {
        "total_samples": run.summary.samples,
        "completed_samples": completed,
        "scores": [{"name": SCORER, "scorer": SCORER, "params": {}, "metrics": metrics}],
    }


def logged_sample(run: GradedRun, grade: GradedSample, question: Asked | None) -> dict[str, Any]:
    """A sample with what was asked, what was answered and what that earned."""
    asked, model = question.words if question is not None else grade.sample, run.manifest.model
    replies = grade.answers or ()
    said = {"role": "assistant", "content": grade.reply or "", "source": "generate"}
    entry: dict[str, Any] = {
        "id": grade.sample,
        "epoch": 1,
        "input": asked,
        "target": _target(grade, question),
        "messages": [{"role": "user", "content": asked, "source": "input"}]
        + [{"role": "assistant", "content": reply, "source": "generate"} for reply in replies],
        "output": {"model": model, "choices": [{"message": said, "stop_reason": _STOPS.get(grade.state, "stop")}]},
        "metadata": {**grade.tags, "task": grade.task, "cluster": grade.cluster, "source": grade.source},
    }
    if grade.state == "failed":
        return {**entry, "error": {"message": grade.note, "traceback": "", "traceback_ansi": ""}}
    return {**entry, "scores": {SCORER: _score(grade)}}


def _score(grade: GradedSample) -> dict[str, Any]:
    return {
        "value": grade.score,
        "answer": grade.reply or "",
        "explanation": grade.note or grade.state,
        "metadata": {"state": grade.state, "weight": grade.weight, "values": grade.values},
    }


def _target(grade: GradedSample, question: Asked | None) -> str:
    if question is None:
        return grade.truth or ""
    return question.target if isinstance(question.target, str) else msgspec.json.encode(question.target).decode()


def outline(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What a list of samples shows."""
    shown = {key: entry[key] for key in ("id", "epoch", "input", "target", "scores") if key in entry}
    return {**shown, "error": entry["error"]["message"]} if "error" in entry else shown
