"""DOTA importer: text labels with oriented boxes as targets, result files by class as model outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sightline.core.records import Remark
from sightline.interop.detection import DetectionImporter, find_picture_name
from sightline.interop.detection_buffer import DetectionBuffer
from sightline.interop.read_records import list_files
from sightline.interop.rows import Row
from sightline.interop.shape_format import format_shape, parse_numbers

_RESULT_NAME = re.compile(r"(?:Task\d_)?(?P<kind>.+)", re.IGNORECASE)
_HEADER_PREFIXES = ("imagesource:", "gsd:")
_MAX_LINE_CHARACTERS = 10_000


class DotaImporter(DetectionImporter):
    """Lines `x1 y1 … x4 y4 class difficult`; results `picture score x1 y1 … x4 y4` in `Task1_CLASS.txt`."""

    title = "DOTA labels and results (text)"
    parser = "quads"

    def rows(self, source: Path) -> Iterator[Row]:
        """Read targets from the source and outputs from the results."""
        buffer = DetectionBuffer(self.wishes.scratch)
        try:
            for path in list_files(source, (".txt",)):
                buffer.name(path.stem, find_picture_name(self.wishes.images, path.stem))
                for number, words in self._lines(path):
                    self._truth(buffer, path, number, words)
            for path in list_files(self.wishes.results, (".txt",)) if self.wishes.results is not None else ():
                match = _RESULT_NAME.fullmatch(path.stem)
                for number, words in self._lines(path):
                    self._result(buffer, (path, number), words, match["kind"] if match else path.stem)
            yield from self.grouped_rows(buffer, answered=self.wishes.results is not None)
        finally:
            buffer.close()

    def _lines(self, path: Path) -> Iterator[tuple[int, list[str]]]:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            number = 0
            while line := file.readline(_MAX_LINE_CHARACTERS):
                number += line.endswith("\n") or len(line) < _MAX_LINE_CHARACTERS
                words = line.replace(",", " ").split()
                if words and not line.lower().startswith(_HEADER_PREFIXES):
                    yield number, words

    def _truth(self, buffer: DetectionBuffer, path: Path, number: int, words: list[str]) -> None:
        corners = parse_numbers(words[:8], 8)
        if corners is None or len(words) < 9:
            self.faults.add(path, number, Remark("the line is no oriented box with its class"))
            return
        if len(words) > 9 and words[9] not in ("0", "0.0"):
            self.faults.note(Remark("{count} objects are marked as difficult; they count as all others."))
        self.class_names[words[8]] = words[8]
        buffer.add(path.stem, words[8], format_shape("quad", corners), found=False)
        self.watch(buffer.count)

    def _result(self, buffer: DetectionBuffer, location: tuple[Path, int], words: list[str], class_name: str) -> None:
        score, corners = parse_numbers(words[1:2], 1), parse_numbers(words[2:10], 8)
        if len(words) == 6:  # Task2: upright boxes
            box = parse_numbers(words[2:6], 4)
            corners = box and [box[0], box[1], box[2], box[1], box[2], box[3], box[0], box[3]]
        if score is None or corners is None:
            self.faults.add(*location, Remark("the line is no picture, score and box"))
            return
        self.add_result(buffer, location, (words[0], class_name), format_shape("quad", corners, score[0]))
