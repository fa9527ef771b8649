"""A run as a log of Inspect, `.eval` or `.json`, written sample by sample."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from sightline.core.records import Remark, Sample
from sightline.interop.exporters.inspect_layout import Asked, header, logged_sample, outline
from sightline.interop.exporting import Exporter, GradedRun, GradedSample
from sightline.interop.first_prompt import first_words


class InspectLog(Exporter):
    """Words of question and reply, scores and figures; pictures stay where they are."""

    title = "Inspect log (.eval, .json)"
    suffixes = (".eval", ".json")

    def __init__(self) -> None:
        self._invalid = self._unasked = self._unsaid = 0

    def write(self, run: GradedRun, out: Path) -> list[Remark]:
        """See `Exporter`."""
        packed = Path(out.stem).suffix.lower() == ".eval"
        (_zipped if packed else _plain)(run, self._entries(run), out)
        told = []
        if self._invalid:
            told.append(Remark("{count} invalid samples are left out.", {"count": self._invalid}))
        if self._unasked:
            told.append(Remark("The run's data set is not there or was scored from files: questions are left out."))
        if self._unsaid:
            told.append(Remark("Replies were not kept: score with --collect-sample-details to have them."))
        return told

    def _entries(self, run: GradedRun) -> Iterator[dict[str, Any]]:
        for grade, asked in _with_questions(run):
            if grade.state == "invalid":
                self._invalid += 1
                continue
            self._unasked += asked is None
            self._unsaid += grade.answers is None
            yield logged_sample(run, grade, asked)


def _zipped(run: GradedRun, entries: Iterator[dict[str, Any]], out: Path) -> None:
    """An archive with a member a sample."""
    start = header(run)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, TemporaryFile("w+b") as outlines:
        archive.writestr("_journal/start.json", json.dumps({key: start[key] for key in ("version", "eval", "plan")}))
        for entry in entries:
            archive.writestr(_member(entry["id"]), json.dumps(entry, ensure_ascii=False))
            outlines.write((b",\n" if outlines.tell() else b"[") + json.dumps(outline(entry)).encode())
        outlines.write(b"]" if outlines.tell() else b"[]")
        outlines.seek(0)
        with archive.open("summaries.json", "w") as file:
            while block := outlines.read(2**20):
                file.write(block)
        archive.writestr("header.json", json.dumps(start))


def _plain(run: GradedRun, entries: Iterator[dict[str, Any]], out: Path) -> None:
    """One JSON document."""
    with out.open("w", encoding="utf-8") as file:
        file.write(json.dumps(header(run))[:-1] + ', "samples": [')
        for number, entry in enumerate(entries):
            file.write((",\n" if number else "\n") + json.dumps(entry))
        file.write("]}\n")


def _with_questions(run: GradedRun) -> Iterator[tuple[GradedSample, Asked | None]]:
    """Grades with what was asked, both read once and in step; None where the data set is not there."""
    data = Path(run.manifest.data)
    # positions of scored files are counted otherwise than a suite reads them
    suite = run.suite() if run.folder.journal.is_file() and data.exists() else None
    samples: Iterator[Any] = iter(()) if suite is None else iter(suite.read(data))
    place, current = -1, None
    for grade in run.grades():
        while place < grade.position and (current := next(samples, None)) is not None:
            place += 1
        fits = isinstance(current, Sample) and place == grade.position and current.id == grade.sample
        yield grade, Asked(first_words(suite, current), current.target) if suite and fits and current else None


def _member(sample: str) -> str:
    """The name of a sample's member; an id that would lead elsewhere when unpacked is made harmless."""
    safe = not sample.startswith("/") and ".." not in sample.split("/") and not re.search(r'[\\\0:*?"<>|]', sample)
    return f"samples/{sample if safe else re.sub(r'[^0-9A-Za-z._-]', '_', sample).lstrip('.')}_epoch_1.json"
