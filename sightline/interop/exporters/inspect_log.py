"""Exporter of a run as an Inspect log (format version 2), `.eval` or `.json`, written sample by sample."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import msgspec
from msgspec import Struct

from sightline.core.records import COUNTED, Sample
from sightline.core.remarks import Remark
from sightline.data.dataset import open_dataset
from sightline.interop.exporting import Exporter, ExportSource, GradedSample, first_prompt_text

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
            "config": {"epochs": summary.repeat_count} if summary.repeat_count > 1 else {},
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
        "total_samples": run.summary.samples * run.summary.repeat_count,
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
        "epoch": grade.repeat,
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


class InspectLog(Exporter):
    """Exports question and reply texts, scores and metrics, but no media."""

    title = "Inspect log (.eval, .json)"
    suffixes = (".eval", ".json")

    def __init__(self) -> None:
        self._invalid = self._without_question = self._without_reply = 0

    def write(self, run: ExportSource, out: Path) -> list[Remark]:
        """See `Exporter`."""
        is_archive = Path(out.stem).suffix.lower() == ".eval"
        (_write_archive if is_archive else _write_json)(run, self._entries(run), out)
        remarks = []
        if self._invalid:
            remarks.append(Remark("{count} invalid samples are omitted.", {"count": self._invalid}))
        if self._without_question:
            remarks.append(Remark("The data set is missing, or the run was scored from files: questions are omitted."))
        if self._without_reply:
            remarks.append(Remark("Replies were not kept; score with --collect-sample-details to keep them."))
        return remarks

    def _entries(self, run: ExportSource) -> Iterator[dict[str, Any]]:
        for grade, question in _with_questions(run):
            if grade.status == "invalid":
                self._invalid += 1
                continue
            self._without_question += question is None
            self._without_reply += grade.answers is None
            yield log_sample(run, grade, question)


def _write_archive(run: ExportSource, entries: Iterator[dict[str, Any]], out: Path) -> None:
    """Write a zip archive with one member per sample."""
    header = log_header(run)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, TemporaryFile("w+b") as summaries:
        archive.writestr("_journal/start.json", json.dumps({key: header[key] for key in ("version", "eval", "plan")}))
        for entry in entries:
            archive.writestr(_member_name(entry["id"], entry["epoch"]), json.dumps(entry, ensure_ascii=False))
            summaries.write((b",\n" if summaries.tell() else b"[") + json.dumps(sample_summary(entry)).encode())
        summaries.write(b"]" if summaries.tell() else b"[]")
        summaries.seek(0)
        with archive.open("summaries.json", "w") as file:
            while block := summaries.read(2**20):
                file.write(block)
        archive.writestr("header.json", json.dumps(header))


def _write_json(run: ExportSource, entries: Iterator[dict[str, Any]], out: Path) -> None:
    """Write one JSON document."""
    with out.open("w", encoding="utf-8") as file:
        file.write(json.dumps(log_header(run))[:-1] + ', "samples": [')
        for number, entry in enumerate(entries):
            file.write((",\n" if number else "\n") + json.dumps(entry))
        file.write("]}\n")


def _with_questions(run: ExportSource) -> Iterator[tuple[GradedSample, Question | None]]:
    """Merge grades with their questions in one pass over both; None if the dataset is not available."""
    data = Path(run.manifest.data)
    # positions of scored files differ from the order in which a suite reads samples
    suite = run.suite() if run.folder.journal.is_file() and data.exists() else None
    samples: Iterator[Any] = iter(()) if suite is None else iter(open_dataset(suite, data))
    position, current = -1, None
    for grade in run.grades():
        while position < grade.position and (current := next(samples, None)) is not None:
            position += 1
        matches = isinstance(current, Sample) and position == grade.position and current.id == grade.sample
        yield (
            grade,
            Question(first_prompt_text(suite, current), current.target) if suite and matches and current else None,
        )


def _member_name(sample: str, epoch: int) -> str:
    """Return the archive member name of a sample; ids that allow path traversal are sanitized."""
    safe = not sample.startswith("/") and ".." not in sample.split("/") and not re.search(r'[\\\0:*?"<>|]', sample)
    return f"samples/{sample if safe else re.sub(r'[^0-9A-Za-z._-]', '_', sample).lstrip('.')}_epoch_{epoch}.json"
