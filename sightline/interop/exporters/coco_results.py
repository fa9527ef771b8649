"""Boxes and quads that a model gave, as a COCO results file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sightline.core.errors import DataError, UsageError
from sightline.core.interfaces import Task
from sightline.core.records import Parsed, Remark
from sightline.core.registry import find
from sightline.interop.exporting import Exporter, GradedRun, GradedSample
from sightline.scoring.grades.writer import LONGEST_DETAIL

_SHAPES = ("boxes", "one_box", "quads")


class CocoResults(Exporter):
    """`[{image_id, category_id, bbox, score}]`; quads have their corners as `segmentation` too."""

    title = "COCO results (JSON)"
    suffixes = (".json",)

    def __init__(self) -> None:
        self._kinds: dict[str, int] = {}
        self._unscored = self._cut = self._unread = 0

    def write(self, run: GradedRun, out: Path) -> list[Remark]:
        """See `Exporter`."""
        _refuse_other_spaces(run.manifest.config, run.manifest.options)
        tasks = {name: task for name, task in run.suite().tasks().items() if task.parser in _SHAPES}
        written = 0
        with out.open("w", encoding="utf-8") as file:
            file.write("[")
            for entry in self._entries(run, tasks):
                file.write((",\n" if written else "\n") + json.dumps(entry, ensure_ascii=False))
                written += 1
            file.write("\n]\n")
        if not written:
            raise DataError(
                "The run holds no boxes with their replies.",
                hint="Score again with --collect-sample-details, which keeps them.",
            )
        return self._told()

    def _entries(self, run: GradedRun, tasks: Mapping[str, Task]) -> Iterator[dict[str, Any]]:
        for grade in run.grades():
            task = tasks.get(grade.task)
            if task is None or not grade.reply:
                continue
            if len(grade.reply) >= LONGEST_DETAIL and not run.folder.journal.is_file():
                self._cut += 1
                continue
            read = find("parsers", task.parser)(grade.reply)
            if isinstance(read, Parsed):
                yield from self._shapes(grade, read.value)
            else:
                self._unread += 1

    def _shapes(self, grade: GradedSample, value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        picture, kind = self._named(grade)
        scores = value.get("scores") or [None] * len(value["shapes"])
        for shape, score in zip(value["shapes"], scores, strict=True):
            self._unscored += score is None
            across, down = shape[0::2], shape[1::2]
            left, top = min(across), min(down)
            entry: dict[str, Any] = {"image_id": picture, "category_id": kind}
            entry["bbox"] = [left, top, max(across) - left, max(down) - top]
            entry["score"] = 1.0 if score is None else score
            yield {**entry, "segmentation": [shape]} if len(shape) == 8 else entry

    def _named(self, grade: GradedSample) -> tuple[int | str, int]:
        """Picture and category: by the id that an import gave, else by source and task."""
        picture, slash, kind = grade.sample.rpartition("/")
        if not slash:
            picture, kind = grade.source or grade.sample, grade.task
        if kind.isascii() and kind.isdigit():
            return _number(picture), int(kind)
        return _number(picture), self._kinds.setdefault(kind, len(self._kinds) + 1)

    def _told(self) -> list[Remark]:
        told = []
        if self._unscored:
            told.append(Remark("{count} shapes carry no score; theirs is 1.", {"count": self._unscored}))
        if self._unread:
            told.append(Remark("{count} replies hold no shapes that can be read.", {"count": self._unread}))
        if self._cut:
            told.append(
                Remark("{count} replies are too long to be kept whole, and are left out.", {"count": self._cut})
            )
        if self._kinds:
            listed = ", ".join(f"{number} {kind}" for kind, number in self._kinds.items())
            told.append(Remark("Categories are numbered: {listed}", {"listed": listed}))
        return told


def _number(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() else text


def _refuse_other_spaces(config: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    told = {**options, **config}
    space = told.get("coords") or told.get("truth_coords") or "pixels"
    if space != "pixels":
        raise UsageError("COCO results are in pixels; these replies are in {space}.", space=space)
