"""COCO importer: instances as targets, a results file as model outputs. One sample per image and category."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sightline.core.errors import DataError
from sightline.core.records import Remark
from sightline.interop.detection import DetectionImporter
from sightline.interop.detection_buffer import DetectionBuffer
from sightline.interop.fields import as_text
from sightline.interop.json_stream import stream_json
from sightline.interop.rows import Row
from sightline.interop.shape_format import format_shape, parse_numbers


class CocoImporter(DetectionImporter):
    """Converts boxes [x, y, width, height] to corners. Each image and category with a box becomes a sample."""

    title = "COCO instances and results (JSON)"
    parser = "boxes"

    def rows(self, source: Path) -> Iterator[Row]:
        """Read targets from the source and outputs from the results."""
        buffer = DetectionBuffer(self.wishes.scratch)
        try:
            self._read_truths(source, buffer)
            if self.wishes.results is not None:
                for number, (_, result) in enumerate(stream_json(self.wishes.results), 1):
                    self._result(buffer, result, (self.wishes.results, number))
            yield from self.grouped_rows(buffer, answered=self.wishes.results is not None)
        finally:
            buffer.close()

    def _read_truths(self, source: Path, buffer: DetectionBuffer) -> None:
        counts: dict[str, int] = {}
        for key, entry in stream_json(source):
            counts[key] = number = counts.get(key, 0) + 1
            if key not in ("images", "categories", "annotations"):
                continue
            location = source, f"{key}[{number - 1}]"
            if key == "annotations":
                self._truth(buffer, entry, location)
            elif not isinstance(entry, dict) or "id" not in entry:
                self.faults.add(*location, Remark("the entry has no id"))
            elif key == "images":
                buffer.name(_text(entry["id"]), _text(entry.get("file_name") or entry["id"]))
            else:
                self.class_names[_text(entry["id"])] = _text(entry.get("name") or entry["id"])
        if "annotations" not in counts:
            raise DataError("{path} holds no annotations: is it a COCO instances file?", path=source)

    def _truth(self, buffer: DetectionBuffer, entry: Any, location: tuple[Path, str]) -> None:
        if (image_and_class := self._about(entry, location)) is None:
            return
        buffer.ensure_name(image_and_class[0])
        self.class_names.setdefault(image_and_class[1], image_and_class[1])
        if entry.get("iscrowd"):
            self.faults.note(Remark("{count} crowd regions are left out: what is found in them counts as false."))
        elif (text := self._shape(entry, location, is_detection=False)) is not None:
            buffer.add(*image_and_class, text, found=False)
            self.watch(buffer.count)

    def _result(self, buffer: DetectionBuffer, entry: Any, location: tuple[Path, int]) -> None:
        image_and_class = self._about(entry, location)
        if image_and_class is not None and (text := self._shape(entry, location, is_detection=True)) is not None:
            self.add_result(buffer, location, image_and_class, text)

    def _about(self, entry: Any, location: tuple[Path, int | str]) -> tuple[str, str] | None:
        """Return image id and category id."""
        if isinstance(entry, dict) and "image_id" in entry and "category_id" in entry:
            return _text(entry["image_id"]), _text(entry["category_id"])
        self.faults.add(*location, Remark("the entry names no picture or no category"))
        return None

    def _shape(self, entry: Any, location: tuple[Path, int | str], is_detection: bool) -> str | None:
        box = parse_numbers(entry.get("bbox"), 4)
        score = parse_numbers([entry.get("score")], 1) if is_detection else [0.0]
        if box is None or min(box[2:]) < 0 or score is None:
            self.faults.add(*location, Remark("the entry's bbox or score is no number"))
            return None
        corners = [box[0], box[1], box[0] + box[2], box[1] + box[3]]
        return format_shape("box", corners, score[0] if is_detection else None)


def _text(value: Any) -> str:
    return as_text(value) or ""
