"""Importer of Hugging Face datasets: Parquet files whose images are structs of bytes and path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sightline.core.errors import DataError
from sightline.core.records import Remark
from sightline.interop.fields import FieldMapping
from sightline.interop.pictures import decode_picture, detect_suffix, read_picture
from sightline.interop.rows import Importer, Row
from sightline.scoring.grades.duckdb_files import quiet_base

KNOWN_FIELDS = {
    "sample_id": ("sample_id", "id", "index", "question_id"),
    "task": ("task",),
    "prompt": ("prompt", "question", "query"),
    "gt": ("gt", "answer", "ground_truth", "label", "target"),
    "model_output": ("model_output", "prediction", "response"),
    "source": ("source", "image_path"),
    "image": ("image", "images"),
}
BATCH = 32
"""Rows that are held at once: each may bring pictures of megabytes."""


class ParquetImporter(Importer):
    """Reads with DuckDB, a few rows at a time."""

    title = "Hugging Face datasets (Parquet)"
    keeps_pictures = True

    def rows(self, source: Path) -> Iterator[Row]:
        """Yield all rows of a file, or of all files below a folder in name order."""
        fields = FieldMapping(KNOWN_FIELDS, self.wishes.fields)
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
                    task=self.wishes.task or fields.text(record, "task") or "",
                    question=fields.text(record, "prompt") or "",
                    source=fields.text(record, "source") or "",
                    pictures=tuple(self._pictures(path, number, fields.value(record, "image"))),
                )

    def _records(self, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
        import duckdb

        try:
            with quiet_base(self.wishes.scratch, preserve_insertion_order=True) as base:
                cursor = base.execute("SELECT * FROM read_parquet(?)", [str(path)])
                head = [column[0] for column in cursor.description]
                number = 0
                while rows := cursor.fetchmany(BATCH):
                    for row in rows:
                        number += 1
                        yield number, dict(zip(head, row, strict=True))
        except duckdb.Error as error:
            why = str(error).partition("\n")[0]  # DuckDB appends the query, which is of no use to the user
            raise DataError("{path} can't be read: {why}", path=path, why=why) from None

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
            return data if detect_suffix(data) else Remark("what should be a picture is none")
        if isinstance(value, str):
            looks_packed = value.startswith("data:") or len(value) > 512
            return decode_picture(value) if looks_packed else read_picture(self.wishes.images or path.parent, value)
        return Remark("what should be a picture is none")
