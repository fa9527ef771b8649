"""Exporter of a run as an Inspect log, `.eval` or `.json`, written sample by sample."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from sightline.core.records import Remark, Sample
from sightline.data.dataset import open_dataset
from sightline.interop.exporters.inspect_layout import Question, log_header, log_sample, sample_summary
from sightline.interop.exporting import Exporter, ExportSource, GradedSample
from sightline.interop.first_prompt import first_prompt_text


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
            remarks.append(Remark("{count} invalid samples are left out.", {"count": self._invalid}))
        if self._without_question:
            remarks.append(Remark("The run's data set is not there or was scored from files: questions are left out."))
        if self._without_reply:
            remarks.append(Remark("Replies were not kept: score with --collect-sample-details to have them."))
        return remarks

    def _entries(self, run: ExportSource) -> Iterator[dict[str, Any]]:
        for grade, question in _with_questions(run):
            if grade.state == "invalid":
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
            archive.writestr(_member_name(entry["id"]), json.dumps(entry, ensure_ascii=False))
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


def _member_name(sample: str) -> str:
    """Return the archive member name of a sample; ids that allow path traversal are sanitized."""
    safe = not sample.startswith("/") and ".." not in sample.split("/") and not re.search(r'[\\\0:*?"<>|]', sample)
    return f"samples/{sample if safe else re.sub(r'[^0-9A-Za-z._-]', '_', sample).lstrip('.')}_epoch_1.json"
