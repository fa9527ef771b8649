"""Inspect log format (version 2): header and samples as plain values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from sightline.core.records import COUNTED
from sightline.interop.exporting import ExportSource, GradedSample

LAYOUT = 2
SCORER = "sightline"
_STOPS = {"truncated": "max_tokens", "refused": "content_filter"}


class Question(Struct, frozen=True):
    """Text and target of a sample."""

    text: str
    target: Any


def log_header(run: ExportSource) -> dict[str, Any]:
    """Build the log header: everything except the samples."""
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


def _results(run: ExportSource) -> dict[str, Any]:
    """Overall metrics and interval bounds, as numbers."""
    metrics: dict[str, Any] = {}
    for row in run.summary.rows_of("overall"):
        for metric_name, value in (
            (row.metric, row.estimate.value),
            (f"{row.metric}_low", row.estimate.low),
            (f"{row.metric}_high", row.estimate.high),
        ):
            if value is not None:
                metrics[metric_name] = {"name": metric_name, "value": value, "params": {}}
    completed = sum(run.summary.statuses.get(state, 0) for state in COUNTED)
    return {
        "total_samples": run.summary.samples,
        "completed_samples": completed,
        "scores": [{"name": SCORER, "scorer": SCORER, "params": {}, "metrics": metrics}],
    }


def log_sample(run: ExportSource, grade: GradedSample, question: Question | None) -> dict[str, Any]:
    """Build the log entry of a sample: input, messages, output and score."""
    text, model = question.text if question is not None else grade.sample, run.manifest.model
    replies = grade.answers or ()
    message = {"role": "assistant", "content": grade.reply or "", "source": "generate"}
    entry: dict[str, Any] = {
        "id": grade.sample,
        "epoch": 1,
        "input": text,
        "target": _target(grade, question),
        "messages": [{"role": "user", "content": text, "source": "input"}]
        + [{"role": "assistant", "content": reply, "source": "generate"} for reply in replies],
        "output": {"model": model, "choices": [{"message": message, "stop_reason": _STOPS.get(grade.status, "stop")}]},
        "metadata": {**grade.tags, "task": grade.task, "cluster": grade.cluster, "source": grade.source},
    }
    if grade.status == "failed":
        return {**entry, "error": {"message": grade.message, "traceback": "", "traceback_ansi": ""}}
    return {**entry, "scores": {SCORER: _score(grade)}}


def _score(grade: GradedSample) -> dict[str, Any]:
    return {
        "value": grade.score,
        "answer": grade.reply or "",
        "explanation": grade.message or grade.status,
        "metadata": {"status": grade.status, "weight": grade.weight, "values": grade.values},
    }


def _target(grade: GradedSample, question: Question | None) -> str:
    if question is None:
        return grade.truth or ""
    return question.target if isinstance(question.target, str) else msgspec.json.encode(question.target).decode()


def sample_summary(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Build the summary entry of a sample for `summaries.json`."""
    summary = {key: entry[key] for key in ("id", "epoch", "input", "target", "scores") if key in entry}
    return {**summary, "error": entry["error"]["message"]} if "error" in entry else summary
