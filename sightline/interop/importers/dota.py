"""DOTA: a folder of text labels with oriented boxes as truths, result files by class as a model's outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sightline.core.records import Remark
from sightline.interop.detection import DetectionImporter, picture_file
from sightline.interop.detection_buffer import Spool
from sightline.interop.records_in import files_of
from sightline.interop.rows import Row
from sightline.interop.shapes_text import numbers, shape_text

_RESULT = re.compile(r"(?:Task\d_)?(?P<kind>.+)", re.IGNORECASE)
_HEAD = ("imagesource:", "gsd:")
_LONGEST_LINE = 10_000


class DotaImporter(DetectionImporter):
    """`x1 y1 … x4 y4 class difficult` a line; results as `picture score x1 y1 … x4 y4` in `Task1_CLASS.txt`."""

    title = "DOTA labels and results (text)"
    parser = "quads"

    def rows(self, source: Path) -> Iterator[Row]:
        """Truths from the source, outputs from the results."""
        spool = Spool(self.wishes.scratch)
        try:
            for path in files_of(source, (".txt",)):
                spool.name(path.stem, picture_file(self.wishes.images, path.stem))
                for number, words in self._lines(path):
                    self._truth(spool, path, number, words)
            for path in files_of(self.wishes.results, (".txt",)) if self.wishes.results is not None else ():
                named = _RESULT.fullmatch(path.stem)
                for number, words in self._lines(path):
                    self._result(spool, (path, number), words, named["kind"] if named else path.stem)
            yield from self.gathered(spool, answered=self.wishes.results is not None)
        finally:
            spool.close()

    def _lines(self, path: Path) -> Iterator[tuple[int, list[str]]]:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            number = 0
            while line := file.readline(_LONGEST_LINE):
                number += line.endswith("\n") or len(line) < _LONGEST_LINE
                words = line.replace(",", " ").split()
                if words and not line.lower().startswith(_HEAD):
                    yield number, words

    def _truth(self, spool: Spool, path: Path, number: int, words: list[str]) -> None:
        corners = numbers(words[:8], 8)
        if corners is None or len(words) < 9:
            self.faults.add(path, number, Remark("the line is no oriented box with its class"))
            return
        if len(words) > 9 and words[9] not in ("0", "0.0"):
            self.faults.note(Remark("{count} objects are marked as difficult; they count as all others."))
        self.kinds[words[8]] = words[8]
        spool.add(path.stem, words[8], shape_text("quad", corners), found=False)
        self.watch(spool.count)

    def _result(self, spool: Spool, place: tuple[Path, int], words: list[str], kind: str) -> None:
        score, corners = numbers(words[1:2], 1), numbers(words[2:10], 8)
        if len(words) == 6:  # Task2: upright boxes
            box = numbers(words[2:6], 4)
            corners = box and [box[0], box[1], box[2], box[1], box[2], box[3], box[0], box[3]]
        if score is None or corners is None:
            self.faults.add(*place, Remark("the line is no picture, score and box"))
            return
        self.take_result(spool, place, (words[0], kind), shape_text("quad", corners, score[0]))
