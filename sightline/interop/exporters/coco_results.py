"""Exporter of boxes and quads in replies as a COCO results file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sightline.core.errors import DataError, UsageError
from sightline.core.interfaces import Task
from sightline.core.records import Parsed
from sightline.core.registry import find
from sightline.core.remarks import Remark
from sightline.interop.exporting import Exporter, ExportSource, GradedSample
from sightline.scoring.grades.writer import LONGEST_DETAIL

_SHAPES = ("boxes", "one_box", "quads")


class CocoResults(Exporter):
    """`[{image_id, category_id, bbox, score}]`; quads have their corners as `segmentation` too."""

    title = "COCO results (JSON)"
    suffixes = (".json",)

    def __init__(self) -> None:
        self._category_ids: dict[str, int] = {}
        self._unscored = self._truncated = self._unparsed = 0

    def write(self, run: ExportSource, out: Path) -> list[Remark]:
        """See `Exporter`."""
        _require_pixel_coordinates(run.manifest.config, run.manifest.options)
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
                "The run contains no replies with boxes.", hint="Score again with --collect-sample-details."
            )
        if run.summary.repeat_count > 1:
            return [*self._remarks(), Remark("Only the first repeat of each question is exported.")]
        return self._remarks()

    def _entries(self, run: ExportSource, tasks: Mapping[str, Task]) -> Iterator[dict[str, Any]]:
        for grade in run.grades():
            task = tasks.get(grade.task)
            if task is None or not grade.reply or grade.repeat > 1:
                continue
            if len(grade.reply) >= LONGEST_DETAIL and not run.folder.journal.is_file():
                self._truncated += 1
                continue
            parsed = find("parsers", task.parser)(grade.reply)
            if isinstance(parsed, Parsed):
                yield from self._shapes(grade, parsed.value)
            else:
                self._unparsed += 1

    def _shapes(self, grade: GradedSample, value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        image_id, category_id = self._image_and_category(grade)
        scores = value.get("scores") or [None] * len(value["shapes"])
        for shape, score in zip(value["shapes"], scores, strict=True):
            self._unscored += score is None
            xs, ys = shape[0::2], shape[1::2]
            left, top = min(xs), min(ys)
            entry: dict[str, Any] = {"image_id": image_id, "category_id": category_id}
            entry["bbox"] = [left, top, max(xs) - left, max(ys) - top]
            entry["score"] = 1.0 if score is None else score
            yield {**entry, "segmentation": [shape]} if len(shape) == 8 else entry

    def _image_and_category(self, grade: GradedSample) -> tuple[int | str, int]:
        """Return image id and category id: from the sample id that an import created, else from source and task."""
        image, slash, category = grade.sample.rpartition("/")
        if not slash:
            image, category = grade.source or grade.sample, grade.task
        if category.isascii() and category.isdigit():
            return _number(image), int(category)
        return _number(image), self._category_ids.setdefault(category, len(self._category_ids) + 1)

    def _remarks(self) -> list[Remark]:
        remarks = []
        if self._unscored:
            remarks.append(Remark("{count} shapes have no score; 1 is assumed.", {"count": self._unscored}))
        if self._unparsed:
            remarks.append(Remark("{count} replies contain no parsable shapes.", {"count": self._unparsed}))
        if self._truncated:
            remarks.append(
                Remark("{count} replies exceed the stored length and are omitted.", {"count": self._truncated})
            )
        if self._category_ids:
            listed = ", ".join(f"{number} {kind}" for kind, number in self._category_ids.items())
            remarks.append(Remark("Categories are numbered: {listed}", {"listed": listed}))
        return remarks


def _number(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() else text


def _require_pixel_coordinates(config: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    settings = {**options, **config}
    space = settings.get("coords") or settings.get("truth_coords") or "pixels"
    if space != "pixels":
        raise UsageError("COCO results are in pixels; these replies are in {space}.", space=space)
