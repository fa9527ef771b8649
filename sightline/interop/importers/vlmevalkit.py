"""VLMEvalKit importer: benchmark TSV, and TSV or XLSX with a model's predictions."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sightline.core.records import Remark
from sightline.interop.faults import ImportFaults
from sightline.interop.fields import FieldMapping, as_text
from sightline.interop.pictures import decode_picture, read_picture
from sightline.interop.read_records import list_files, read_table
from sightline.interop.rows import Importer, ImportOptions, Row
from sightline.interop.workbook import read_workbook

KNOWN_FIELDS = {
    "sample_id": ("index", "id"),
    "task": ("task",),
    "prompt": ("question",),
    "gt": ("answer",),
    "model_output": ("prediction",),
    "source": ("image_path",),
    "image": ("image",),
}
CHOICE = "multiple choice"
CHOICE_RULE: dict[str, Any] = {
    "level": "image",
    "parser": "option_letter",
    "core": ["accuracy"],
    "auxiliary": ["macro_f1"],
}
_SUFFIXES = (".tsv", ".csv", ".xlsx")
_LETTERS = "ABCDEFGHIJ"
_MAX_REFERENCE_CHARACTERS = 64
"""A shorter image cell refers to the row whose image it shares."""
_CACHED_PICTURES = 64


class VlmEvalKitImporter(Importer):
    """Rows with options A, B… get the multiple-choice task unless `--task` is given."""

    title = "VLMEvalKit benchmark and result tables (TSV, XLSX)"
    makes_tasks = True

    def __init__(self, wishes: ImportOptions, faults: ImportFaults) -> None:
        super().__init__(wishes, faults)
        self._fields = FieldMapping(KNOWN_FIELDS, wishes.fields)
        self._recent: OrderedDict[str, tuple[bytes, ...]] = OrderedDict()
        self._has_options = False
        self._sheets: list[str] = []
        self._seen: set[tuple[str, str, bool]] = set()
        """(Annotation file, id, has target) of all rows so far, to detect duplicate ids."""

    def tasks(self) -> Mapping[str, Any]:
        """The multiple-choice task, if any row has options."""
        return {CHOICE: CHOICE_RULE} if self._has_options else {}

    def rows(self, source: Path) -> Iterator[Row]:
        """Read targets and questions from the source; replies from the source or from the results."""
        paths = list_files(source, _SUFFIXES)
        self._sheets = [path.stem for path in paths] if len(paths) > 1 else [""]
        for path in paths:
            for number, record in self._records(path):
                yield from self._row(path, number, record)
        for path in list_files(self.wishes.results, _SUFFIXES) if self.wishes.results is not None else ():
            yield from self._replies(path)

    def _replies(self, path: Path) -> Iterator[Row]:
        """Results are named `MODEL_BENCHMARK`."""
        sheet = max((name for name in self._sheets if path.stem.endswith(name)), key=len, default=None)
        if sheet is None:
            self.faults.add(path, 1, Remark("the file is named after none of the benchmarks"))
            return
        for number, record in self._records(path):
            name, reply = self._fields.text(record, "sample_id"), self._fields.text(record, "model_output")
            if name is None or reply is None:
                self.faults.add(path, number, Remark("the row has no index or no prediction"))
            elif self._is_new(path, number, (sheet, name, False)):
                yield Row(id=name, reply=reply, sheet=sheet)

    def _records(self, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
        return read_workbook(path) if path.suffix.lower() == ".xlsx" else read_table(path, self.faults)

    def _row(self, path: Path, number: int, record: dict[str, Any]) -> Iterator[Row]:
        truth = self._fields.text(record, "gt")
        if truth is None:
            self.faults.add(path, number, Remark("the row has no answer"))
            return
        name = self._fields.text(record, "sample_id") or f"{path.stem}:{number}"
        sheet = path.stem if len(self._sheets) > 1 else ""
        if not self._is_new(path, number, (sheet, name, True)):
            return
        options = {letter: as_text(record[letter]) for letter in _LETTERS if record.get(letter) is not None}
        task = self.wishes.task or self._fields.text(record, "task") or (CHOICE if options else "")
        self._has_options |= task == CHOICE
        yield Row(
            id=name,
            truth=truth,
            reply=None if self.wishes.results is not None else self._fields.text(record, "model_output"),
            task=task,
            question=_question(self._fields.text(record, "prompt") or "", as_text(record.get("hint")), options),
            source=self._fields.text(record, "source") or "",
            pictures=self._pictures(path, number, name, record) if self.wishes.frames else (),
            sheet=sheet,
        )

    def _is_new(self, path: Path, number: int, row: tuple[str, str, bool]) -> bool:
        if row in self._seen:
            self.faults.add(
                path, number, Remark("the index '{name}' is that of an earlier row", {"name": row[1][:200]})
            )
            return False
        self._seen.add(row)
        return True

    def _pictures(self, path: Path, number: int, name: str, record: dict[str, Any]) -> tuple[bytes, ...]:
        cell, image_path = self._fields.text(record, "image"), self._fields.text(record, "source")
        if cell and len(cell) <= _MAX_REFERENCE_CHARACTERS and cell in self._recent:
            return self._recent[cell]
        folder = self.wishes.images or path.parent
        candidates = (
            [decode_picture(text) for text in _split_cell(cell)]
            if cell and len(cell) > _MAX_REFERENCE_CHARACTERS
            else []
        )
        candidates = candidates or [read_picture(folder, text) for text in _split_cell(image_path)]
        if cell and not candidates:
            candidates = [Remark("the picture is that of a row which is not near")]
        for candidate in candidates:
            if isinstance(candidate, Remark):
                self.faults.add(path, number, candidate)
        pictures = tuple(candidate for candidate in candidates if isinstance(candidate, bytes))
        if pictures and cell:
            self._recent[name] = pictures
            if len(self._recent) > _CACHED_PICTURES:
                self._recent.popitem(last=False)
        return pictures


def _split_cell(cell: str | None) -> list[str]:
    """Split a cell that holds one image, or a list of images in JSON or Python syntax."""
    if not cell:
        return []
    if not cell.lstrip().startswith("["):
        return [cell]
    try:
        items = json.loads(cell.replace("'", '"'))
    except (ValueError, RecursionError):
        return [cell]
    return [str(item) for item in items]


def _question(question: str, hint: str | None, options: Mapping[str, str | None]) -> str:
    lines = [hint] if hint else []
    lines.append(question)
    lines += [f"{letter}. {text}" for letter, text in options.items()]
    if options:
        lines.append("Answer with the option's letter.")
    return "\n".join(lines)
