"""lmms-eval importer: sample logs written by `--log_samples`, one JSON object per line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sightline.core.records import Remark
from sightline.interop.fields import FieldMapping, as_text
from sightline.interop.read_records import list_files, read_json_lines
from sightline.interop.rows import Importer, Row

KNOWN_FIELDS = {
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
        fields = FieldMapping(KNOWN_FIELDS, self.wishes.fields)
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
                    task=self.wishes.task or fields.text(record, "task") or "",
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
