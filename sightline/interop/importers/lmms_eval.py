"""lmms-eval: the sample logs that `--log_samples` writes, one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sightline.core.records import Remark
from sightline.interop.fields import Fields, as_text
from sightline.interop.records_in import files_of, json_lines
from sightline.interop.rows import Importer, Row

KNOWN = {
    "sample_id": ("doc_id",),
    "task": (),
    "prompt": ("input", "doc.question"),
    "gt": ("target", "doc.answer"),
    "model_output": ("filtered_resps", "resps"),
    "source": ("doc.image_path", "doc.image_id"),
}


class LmmsEvalImporter(Importer):
    """Replies after the task's own filters where there are any, else as the model gave them."""

    title = "lmms-eval sample logs (JSON lines)"

    def rows(self, source: Path) -> Iterator[Row]:
        """One row a document; each file of a folder is a sheet of its own."""
        fields = Fields(KNOWN, self.wishes.fields)
        paths = files_of(source, (".jsonl",))
        for path in paths:
            for number, record in json_lines(path, self.faults):
                name, truth = fields.text(record, "sample_id"), fields.text(record, "gt")
                if name is None or truth is None:
                    self.faults.add(path, number, Remark("the line has no doc_id or no target"))
                    continue
                yield Row(
                    id=name,
                    truth=truth,
                    reply=as_text(_first(fields.value(record, "model_output"))),
                    task=self.wishes.task or fields.text(record, "task") or "",
                    question=_asked(fields.value(record, "prompt") or record.get("arguments")),
                    source=fields.text(record, "source") or "",
                    sheet=path.stem if len(paths) > 1 else "",
                )


def _first(value: Any) -> Any:
    """Replies come as a text, a list, or a list of lists: one for each request and repetition."""
    while isinstance(value, list):
        value = value[0] if value else None
    return value


def _asked(value: Any) -> str:
    """The words of a request: itself, or the first text among its arguments."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return next((text for text in map(_asked, value) if text), "")
    return value if isinstance(value, str) else ""
