"""Samples from annotation files: texts in batches, images by byte range in the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sightline.core.interfaces import Task
from sightline.core.records import Invalid, Media, Sample
from sightline.data.file_pairs import FilePair, find_pairs
from sightline.data.image_size import image_size_of_media
from sightline.data.lines import Fault, LineIndex, index_file
from sightline.data.media import mime_type_of_base64
from sightline.data.row_index import loses_row
from sightline.scoring.column_scorer import UNKNOWN_SIZE

if TYPE_CHECKING:
    from sightline.suites.remote_sensing import RemoteSensingSuite

FIELDS = ("gt", "task", "source", "sample_id", "prompt", "frames")
_ROWS_AT_ONCE = 256
_PREFIX = 128
"""Number of base64 characters examined for the image type."""


def read(data: Path, suite: RemoteSensingSuite) -> Iterator[Sample | Invalid]:
    """Iterate over all samples of the selected tasks, file by file, sorted by name."""
    wanted = suite.wanted
    for pair in annotation_files(data, suite):
        with index_file(pair.annotation, FIELDS, suite.rename) as index:
            yield from (invalid_row(index.path, pair.name, fault) for fault in index.faults if loses_row(fault))
            for rows in np.array_split(np.arange(len(index)), max(1, -(-len(index) // _ROWS_AT_ONCE))):
                for sample in make_samples(index, rows, pair.name, suite):
                    if not wanted or sample.task in wanted:
                        yield sample


def annotation_files(data: Path, suite: RemoteSensingSuite) -> list[FilePair]:
    """The annotation files of a dataset, sorted by name."""
    folder = data / "anno" if (data / "anno").is_dir() else data
    return find_pairs(folder, folder, suite.options.pattern, suite.options.recursive)[0]


def invalid_row(path: Path, name: str, fault: Fault) -> Invalid:
    """An unreadable row as an invalid sample."""
    location = f"{name}:{fault.line}"
    return Invalid(id=location, reason=fault.kind, source=f"{path}:{fault.line}", tags={"file": name})


def make_samples(
    index: LineIndex, rows: np.typing.NDArray[np.int64], name: str, suite: RemoteSensingSuite
) -> Iterator[Sample | Invalid]:
    """The samples of some rows of an indexed file."""
    texts = {field: list(index.texts(field, rows)) for field in FIELDS if field != "frames"}
    lines = index.lines[rows].tolist()
    for position, row in enumerate(rows.tolist()):
        fields = {field: column[position] for field, column in texts.items()}
        task_name = fields["task"] or default_task(suite)
        task, line = suite.table.get(task_name), lines[position]
        names = {"id": fields["sample_id"] or f"{name}:{line}", "source": f"{index.path}:{line}"}
        tags = {"level": task.level if task else "", "picture": fields["source"], "file": name}
        if task is None:
            yield Invalid(**names, reason=f"unknown task '{task_name}'", task=task_name, tags=tags)
        elif why := suite.reply_scorer.truth_fault(task, fields["gt"]):
            yield Invalid(**names, reason=f"bad gt: {why}", task=task.name, tags=tags)
        else:
            yield _sample(suite, task, fields, _media(index, row), {**names, "tags": tags})


def default_task(suite: RemoteSensingSuite) -> str:
    """The task of rows without a task: the only selected task, if there is exactly one."""
    return suite.wanted[0] if len(suite.wanted) == 1 else ""


def _sample(
    suite: RemoteSensingSuite, task: Task, fields: dict[str, str], media: tuple[Media, ...], names: dict[str, Any]
) -> Sample | Invalid:
    if not media:
        return Invalid(**names, reason="no picture in frames", task=task.name)
    size = None
    if suite.reading.needs_sizes and suite.reply_scorer.has_coordinates(task):
        size = image_size_of_media(media[0])
        if size is None:
            return Invalid(**names, reason=UNKNOWN_SIZE, task=task.name)
    return Sample(
        **names,
        task=task.name,
        question=fields["prompt"],
        target=fields["gt"],
        media=media,
        cluster=fields["source"],
        size=size,
    )


def _media(index: LineIndex, row: int) -> tuple[Media, ...]:
    """The images of a row: by byte range of their base64 text, or inline if compressed or escaped."""
    start, length = index.spans("frames", row)
    column = index.texts("frames", np.array([row]))
    text = column.data[column.starts[0] : column.stops[0]].tobytes()
    if not text.startswith(b"["):
        in_place = index.has_file_spans() and len(text) == length - 2
        return _picture(text, 0, len(text), (str(index.path), start + 1) if in_place else None)
    in_place = index.has_file_spans() and b"\\" not in text
    media: tuple[Media, ...] = ()
    opening = text.find(b'"')
    while opening >= 0 and (closing := text.find(b'"', opening + 1)) > 0:
        media += _picture(text, opening + 1, closing, (str(index.path), start) if in_place else None)
        opening = text.find(b'"', closing + 1)
    return media


def _picture(text: bytes, start: int, stop: int, file_offset: tuple[str, int] | None) -> tuple[Media, ...]:
    """The image whose base64 is `text[start:stop]`; `file_offset` is the file and offset at which `text` begins."""
    begin, mime = _head(text, start, min(stop, start + _PREFIX))
    if begin >= stop:
        return ()
    if file_offset is not None:
        return (Media(kind="image", path=file_offset[0], span=(file_offset[1] + begin, stop - begin), mime=mime),)
    body = text[begin:stop].replace(b"\\", b"").decode("ascii", "replace")
    return (Media(kind="image", data=f"data:{mime};base64,{body}"),)


def _head(raw: bytes, start: int, stop: int) -> tuple[int, str]:
    """Offset of the base64 text after an optional `data:…;base64,` prefix, and the MIME type."""
    head = raw[start:stop]
    if head.startswith(b"data:") and b"base64," in head:
        declared = head[5:].partition(b";")[0].decode("ascii", "replace")
        return start + head.index(b"base64,") + 7, declared
    return start, mime_type_of_base64(head.decode("latin-1")) or "image/jpeg"
