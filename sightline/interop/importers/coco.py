"""COCO: instances as truths, a results file as a model's outputs. One sample a picture and category."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sightline.core.errors import DataError
from sightline.core.records import Remark
from sightline.interop.detection import DetectionImporter
from sightline.interop.detection_buffer import Spool
from sightline.interop.fields import as_text
from sightline.interop.json_stream import stream_json
from sightline.interop.rows import Row
from sightline.interop.shapes_text import numbers, shape_text


class CocoImporter(DetectionImporter):
    """Boxes [x, y, width, height] become corners. A category met in a picture by truth or result makes a sample."""

    title = "COCO instances and results (JSON)"
    parser = "boxes"

    def rows(self, source: Path) -> Iterator[Row]:
        """Truths from the source, outputs from the results."""
        spool = Spool(self.wishes.scratch)
        try:
            self._read_truths(source, spool)
            if self.wishes.results is not None:
                for number, (_, result) in enumerate(stream_json(self.wishes.results), 1):
                    self._result(spool, result, (self.wishes.results, number))
            yield from self.gathered(spool, answered=self.wishes.results is not None)
        finally:
            spool.close()

    def _read_truths(self, source: Path, spool: Spool) -> None:
        numbers_of: dict[str, int] = {}
        for key, entry in stream_json(source):
            numbers_of[key] = number = numbers_of.get(key, 0) + 1
            if key not in ("images", "categories", "annotations"):
                continue
            place = source, f"{key}[{number - 1}]"
            if key == "annotations":
                self._truth(spool, entry, place)
            elif not isinstance(entry, dict) or "id" not in entry:
                self.faults.add(*place, Remark("the entry has no id"))
            elif key == "images":
                spool.name(_text(entry["id"]), _text(entry.get("file_name") or entry["id"]))
            else:
                self.kinds[_text(entry["id"])] = _text(entry.get("name") or entry["id"])
        if "annotations" not in numbers_of:
            raise DataError("{path} holds no annotations: is it a COCO instances file?", path=source)

    def _truth(self, spool: Spool, entry: Any, place: tuple[Path, str]) -> None:
        if (about := self._about(entry, place)) is None:
            return
        spool.meet(about[0])
        self.kinds.setdefault(about[1], about[1])
        if entry.get("iscrowd"):
            self.faults.note(Remark("{count} crowd regions are left out: what is found in them counts as false."))
        elif (text := self._shape(entry, place, found=False)) is not None:
            spool.add(*about, text, found=False)
            self.watch(spool.count)

    def _result(self, spool: Spool, entry: Any, place: tuple[Path, int]) -> None:
        about = self._about(entry, place)
        if about is not None and (text := self._shape(entry, place, found=True)) is not None:
            self.take_result(spool, place, about, text)

    def _about(self, entry: Any, place: tuple[Path, int | str]) -> tuple[str, str] | None:
        """The picture and the category."""
        if isinstance(entry, dict) and "image_id" in entry and "category_id" in entry:
            return _text(entry["image_id"]), _text(entry["category_id"])
        self.faults.add(*place, Remark("the entry names no picture or no category"))
        return None

    def _shape(self, entry: Any, place: tuple[Path, int | str], found: bool) -> str | None:
        box = numbers(entry.get("bbox"), 4)
        score = numbers([entry.get("score")], 1) if found else [0.0]
        if box is None or min(box[2:]) < 0 or score is None:
            self.faults.add(*place, Remark("the entry's bbox or score is no number"))
            return None
        corners = [box[0], box[1], box[0] + box[2], box[1] + box[3]]
        return shape_text("box", corners, score[0] if found else None)


def _text(value: Any) -> str:
    return as_text(value) or ""
