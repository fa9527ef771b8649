"""Importers of tabular benchmarks: VLMEvalKit (TSV, XLSX), lmms-eval logs, Hugging Face datasets (Parquet)."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from sightline.core.errors import DataError
from sightline.core.remarks import Remark
from sightline.data.columns import ParsedColumn, TextColumn
from sightline.interop.importer import FieldMapping, Importer, ImportFaults, ImportOptions, Row, as_text
from sightline.interop.readers import (
    decode_picture,
    detect_suffix,
    list_files,
    read_json_lines,
    read_picture,
    read_table,
    read_workbook,
)
from sightline.scoring.grades.duckdb_files import connect_duckdb
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.labels import LABEL
from sightline.scoring.scorers.options import (
    LETTERS,
    NO_OPTION,
    ONLY_NEGATED,
    SEVERAL_OPTIONS,
    NamedOption,
    find_named_option,
    option_letter,
)

VLMEVALKIT_FIELDS = {
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

    def __init__(self, options: ImportOptions, faults: ImportFaults) -> None:
        super().__init__(options, faults)
        self._fields = FieldMapping(VLMEVALKIT_FIELDS, options.fields)
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
        for path in list_files(self.options.results, _SUFFIXES) if self.options.results is not None else ():
            yield from self._replies(path)

    def _replies(self, path: Path) -> Iterator[Row]:
        """Results are named `MODEL_BENCHMARK`."""
        sheet = max((name for name in self._sheets if path.stem.endswith(name)), key=len, default=None)
        if sheet is None:
            self.faults.add(path, 1, Remark("the file name matches none of the benchmarks"))
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
        task = self.options.task or self._fields.text(record, "task") or (CHOICE if options else "")
        self._has_options |= task == CHOICE
        yield Row(
            id=name,
            truth=truth,
            reply=None if self.options.results is not None else self._fields.text(record, "model_output"),
            task=task,
            question=_question_text(self._fields.text(record, "prompt") or "", as_text(record.get("hint")), options),
            source=self._fields.text(record, "source") or "",
            pictures=self._pictures(path, number, name, record) if self.options.frames else (),
            sheet=sheet,
        )

    def _is_new(self, path: Path, number: int, row: tuple[str, str, bool]) -> bool:
        if row in self._seen:
            self.faults.add(path, number, Remark("duplicate index '{name}'", {"name": row[1][:200]}))
            return False
        self._seen.add(row)
        return True

    def _pictures(self, path: Path, number: int, name: str, record: dict[str, Any]) -> tuple[bytes, ...]:
        cell, image_path = self._fields.text(record, "image"), self._fields.text(record, "source")
        if cell and len(cell) <= _MAX_REFERENCE_CHARACTERS and cell in self._recent:
            return self._recent[cell]
        folder = self.options.images or path.parent
        images = _split_cell(cell) if cell and len(cell) > _MAX_REFERENCE_CHARACTERS else []
        candidates = [decode_picture(text) for text in images]
        candidates = candidates or [read_picture(folder, text) for text in _split_cell(image_path)]
        if cell and not candidates:
            candidates = [Remark("the image refers to a row too far away")]
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


def _question_text(question: str, hint: str | None, options: Mapping[str, str | None]) -> str:
    lines = [hint] if hint else []
    lines.append(question)
    lines += [f"{letter}. {text}" for letter, text in options.items()]
    if options:
        lines.append("Answer with the option's letter.")
    return "\n".join(lines)


LMMS_EVAL_FIELDS = {
    "sample_id": ("doc_id",),
    "task": (),
    "prompt": ("input", "doc.question"),
    "gt": ("target", "doc.answer"),
    "model_output": ("filtered_resps", "resps"),
    "source": ("doc.image_path", "doc.image_id"),
}


class LmmsEvalImporter(Importer):
    """Imports filtered replies if there are any, else the raw ones."""

    title = "lmms-eval sample logs (JSON lines)"

    def rows(self, source: Path) -> Iterator[Row]:
        """Yield one row per document; each file of a folder becomes its own annotation file."""
        fields = FieldMapping(LMMS_EVAL_FIELDS, self.options.fields)
        paths = list_files(source, (".jsonl",))
        for path in paths:
            for number, record in read_json_lines(path, self.faults):
                name, truth = fields.text(record, "sample_id"), fields.text(record, "gt")
                if name is None or truth is None:
                    self.faults.add(path, number, Remark("the line has no doc_id or no target"))
                    continue
                yield Row(
                    id=name,
                    truth=truth,
                    reply=as_text(_first_reply(fields.value(record, "model_output"))),
                    task=self.options.task or fields.text(record, "task") or "",
                    question=_request_text(fields.value(record, "prompt") or record.get("arguments")),
                    source=fields.text(record, "source") or "",
                    sheet=path.stem if len(paths) > 1 else "",
                )


def _first_reply(value: Any) -> Any:
    """Return the first reply of a text, a list, or a list of lists (one per request and repetition)."""
    while isinstance(value, list):
        value = value[0] if value else None
    return value


def _request_text(value: Any) -> str:
    """Return the text of a request: itself, or the first text among its arguments."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return next((text for text in map(_request_text, value) if text), "")
    return value if isinstance(value, str) else ""


PARQUET_FIELDS = {
    "sample_id": ("sample_id", "id", "index", "question_id"),
    "task": ("task",),
    "prompt": ("prompt", "question", "query"),
    "gt": ("gt", "answer", "ground_truth", "label", "target"),
    "model_output": ("model_output", "prediction", "response"),
    "source": ("source", "image_path"),
    "image": ("image", "images"),
}
_ROWS_PER_BATCH = 32
"""Rows that are held at once: each may bring pictures of megabytes."""


class ParquetImporter(Importer):
    """Reads with DuckDB, a few rows at a time."""

    title = "Hugging Face datasets (Parquet)"
    keeps_pictures = True

    def rows(self, source: Path) -> Iterator[Row]:
        """Yield all rows of a file, or of all files below a folder in name order."""
        fields = FieldMapping(PARQUET_FIELDS, self.options.fields)
        paths = [source] if source.is_file() else sorted(p for p in source.rglob("*.parquet") if p.is_file())
        if not paths:
            raise DataError("There is no Parquet file in {path}.", path=source)
        for path in paths:
            for number, record in self._records(path):
                truth = fields.text(record, "gt")
                if truth is None:
                    self.faults.add(path, number, Remark("the row has no answer"))
                    continue
                yield Row(
                    id=fields.text(record, "sample_id") or f"{path.stem}:{number}",
                    truth=truth,
                    reply=fields.text(record, "model_output"),
                    task=self.options.task or fields.text(record, "task") or "",
                    question=fields.text(record, "prompt") or "",
                    source=fields.text(record, "source") or "",
                    pictures=tuple(self._pictures(path, number, fields.value(record, "image"))),
                )

    def _records(self, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
        import duckdb

        try:
            with connect_duckdb(self.options.scratch, preserve_insertion_order=True) as base:
                cursor = base.execute("SELECT * FROM read_parquet(?)", [str(path)])
                head = [column[0] for column in cursor.description]
                number = 0
                while rows := cursor.fetchmany(_ROWS_PER_BATCH):
                    for row in rows:
                        number += 1
                        yield number, dict(zip(head, row, strict=True))
        except duckdb.Error as error:
            why = str(error).partition("\n")[0]  # DuckDB appends the query, which is of no use to the user
            raise DataError("Cannot read {path}: {why}", path=path, why=why) from None

    def _pictures(self, path: Path, number: int, value: Any) -> Iterator[bytes]:
        for cell in value if isinstance(value, list) else [] if value is None else [value]:
            picture = self._picture(path, cell)
            if isinstance(picture, Remark):
                self.faults.add(path, number, picture)
            else:
                yield picture

    def _picture(self, path: Path, value: Any) -> bytes | Remark:
        if isinstance(value, Mapping):
            value = value.get("bytes") or value.get("path")
        if isinstance(value, bytes | bytearray | memoryview):
            data = bytes(value)
            return data if detect_suffix(data) else Remark("not a supported image")
        if isinstance(value, str):
            looks_packed = value.startswith("data:") or len(value) > 512
            return decode_picture(value) if looks_packed else read_picture(self.options.images or path.parent, value)
        return Remark("not a supported image")


_REASONS = ("", NO_OPTION, SEVERAL_OPTIONS, ONLY_NEGATED)


class OptionLetterParser(ColumnParser, frozen=True, kw_only=True):
    """Parses the single letter that a reply chooses: `B`, `(B)`, `B. ship`, `The answer is B.`"""

    kind: ClassVar[str] = "labels"

    def read(self, texts: TextColumn) -> ParsedColumn:
        """See `ColumnParser`."""
        choices = [find_named_option(text, [""] * len(LETTERS)) for text in texts]
        read = LABEL.read(
            TextColumn.of([option_letter(choice.index) if choice.index >= 0 else "" for choice in choices])
        )
        reasons = (*read.reasons, *_REASONS[1:])
        for row, choice in enumerate(choices):
            if choice.index < 0 and texts[row].strip():
                read.errors[row] = len(read.reasons) + _REASONS.index(_reason(choice)) - 1
        return ParsedColumn(read.values, read.errors, reasons)

    def value(self, values: Any) -> Any:
        """The letter, as labels are folded."""
        return LABEL.value(values)


def _reason(choice: NamedOption) -> str:
    return choice.reason if choice.reason in _REASONS else NO_OPTION


OPTION_LETTER = OptionLetterParser()
