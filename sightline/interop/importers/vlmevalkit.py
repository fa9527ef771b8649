"""VLMEvalKit: the TSV of a benchmark, and the TSV or XLSX with a model's predictions."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sightline.core.records import Remark
from sightline.interop.faults import Faults
from sightline.interop.fields import Fields, as_text
from sightline.interop.pictures import from_base64, from_folder
from sightline.interop.records_in import files_of, table_rows
from sightline.interop.rows import Importer, Row, Wishes
from sightline.interop.workbook import workbook_rows

KNOWN = {
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
_REFERENCE = 64
"""An image cell that is shorter names the row whose picture it shares."""
_KEPT = 64


class VlmEvalKitImporter(Importer):
    """Rows with options A, B… belong to a task of their own unless `--task` says otherwise."""

    title = "VLMEvalKit benchmark and result tables (TSV, XLSX)"
    makes_tasks = True

    def __init__(self, wishes: Wishes, faults: Faults) -> None:
        super().__init__(wishes, faults)
        self._fields = Fields(KNOWN, wishes.fields)
        self._recent: OrderedDict[str, tuple[bytes, ...]] = OrderedDict()
        self._met_options = False
        self._sheets: list[str] = []
        self._met: set[tuple[str, str, bool]] = set()
        """Sheet and id of all rows, with a truth and with a reply alone: rows of the same id can't be told apart."""

    def tasks(self) -> Mapping[str, Any]:
        """The task of choosing an option, if rows have any."""
        return {CHOICE: CHOICE_RULE} if self._met_options else {}

    def rows(self, source: Path) -> Iterator[Row]:
        """Truths and what is asked from the source; replies from it too, or from the results."""
        paths = files_of(source, _SUFFIXES)
        self._sheets = [path.stem for path in paths] if len(paths) > 1 else [""]
        for path in paths:
            for number, record in self._records(path):
                yield from self._row(path, number, record)
        for path in files_of(self.wishes.results, _SUFFIXES) if self.wishes.results is not None else ():
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
        return workbook_rows(path) if path.suffix.lower() == ".xlsx" else table_rows(path, self.faults)

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
        self._met_options |= task == CHOICE
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
        if row in self._met:
            self.faults.add(
                path, number, Remark("the index '{name}' is that of an earlier row", {"name": row[1][:200]})
            )
            return False
        self._met.add(row)
        return True

    def _pictures(self, path: Path, number: int, name: str, record: dict[str, Any]) -> tuple[bytes, ...]:
        cell, named = self._fields.text(record, "image"), self._fields.text(record, "source")
        if cell and len(cell) <= _REFERENCE and cell in self._recent:
            return self._recent[cell]
        folder = self.wishes.images or path.parent
        wanted = [from_base64(text) for text in _several(cell)] if cell and len(cell) > _REFERENCE else []
        wanted = wanted or [from_folder(folder, text) for text in _several(named)]
        if cell and not wanted:
            wanted = [Remark("the picture is that of a row which is not near")]
        for one in wanted:
            if isinstance(one, Remark):
                self.faults.add(path, number, one)
        found = tuple(one for one in wanted if isinstance(one, bytes))
        if found and cell:
            self._recent[name] = found
            if len(self._recent) > _KEPT:
                self._recent.popitem(last=False)
        return found


def _several(cell: str | None) -> list[str]:
    """A cell with one picture, or with a list of them written as JSON or as Python writes lists."""
    if not cell:
        return []
    if not cell.lstrip().startswith("["):
        return [cell]
    try:
        found = json.loads(cell.replace("'", '"'))
    except (ValueError, RecursionError):
        return [cell]
    return [str(one) for one in found]


def _question(asked: str, hint: str | None, options: Mapping[str, str | None]) -> str:
    lines = [hint] if hint else []
    lines.append(asked)
    lines += [f"{letter}. {text}" for letter, text in options.items()]
    if options:
        lines.append("Answer with the option's letter.")
    return "\n".join(lines)
