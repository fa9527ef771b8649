"""Random access after scoring: byte offsets of samples and replies in the files, kept with the results.

Neither texts nor pictures are copied; a page that shows a sample finds them again in the files that were scored.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sightline.core.errors import JournalError
from sightline.data.lines.row_access import file_entry, join_index, records_by_row
from sightline.data.position_index import (
    IndexedFile,
    Records,
    absent_records,
    describe_file,
    make_records,
)
from sightline.data.storage import AnyPath, is_remote, redact
from sightline.scoring.files.annotation_file import AnnotationFile
from sightline.scoring.files.model_results import FilePairIndex, ModelResults


def locate_replies(turn: FilePairIndex, folder: Path) -> tuple[IndexedFile, Records]:
    """Where the reply to each row of an annotation file is; in a packed output file, the number of its row."""
    output, index = turn.output, turn.sheet.index
    records = absent_records(index.row_count)
    has_reply = turn.pairing.partner >= 0
    rows = turn.pairing.partner[has_reply]
    column = output.column("model_output").take(rows)
    offsets = column.offsets if output.has_file_spans() else rows
    records[index.row_numbers[has_reply]] = make_records(offsets, column.lengths, column.flags)
    path, count = output.path, index.row_count
    if is_remote(path):
        return IndexedFile(name=path.name, path=redact(path.url), size=-1, mtime_ns=0, count=count), records
    return describe_file(path, path.name, count, folder, output.has_file_spans()), records


def without_replies(name: str, count: int) -> tuple[IndexedFile, Records]:
    """The positions of an annotation file that has no outputs."""
    return IndexedFile(name=name, path="", size=0, mtime_ns=0, count=count), absent_records(count)


def save_indexes(sheets: list[AnnotationFile], data: AnyPath, models: Iterable[ModelResults]) -> None:
    """Write where samples and replies are into the folder of each model."""
    samples = None
    if not is_remote(data) and all(sheet.index.has_file_spans() for sheet in sheets):
        base = data.parent if data.is_file() else data
        samples = join_index(
            (file_entry(sheet.index, sheet.name, sheet.index.row_count, base), records_by_row(sheet.index))
            for sheet in sheets
        )
    for one in models:
        try:
            one.folder.sample_index.unlink(missing_ok=True)
            join_index(one.replies).save(one.folder.reply_index)
            if samples is not None:
                samples.save(one.folder.sample_index)
        except OSError as error:
            raise JournalError("Can't write into {folder}: {why}", folder=one.folder.path, why=error.strerror) from None
