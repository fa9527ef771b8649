"""Samples from annotation files: texts in pieces, pictures by their place in the file."""

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
"""Bytes at the head of a picture that tell its type."""


def read(data: Path, suite: RemoteSensingSuite) -> Iterator[Sample | Invalid]:
    """All samples of the wanted tasks, file by file in the order of names."""
    wanted = suite.wanted
    for one in annotation_files(data, suite):
        with index_file(one.annotation, FIELDS, suite.rename) as index:
            yield from (broken_row(index.path, one.name, fault) for fault in index.faults if loses_row(fault))
            for rows in np.array_split(np.arange(len(index)), max(1, -(-len(index) // _ROWS_AT_ONCE))):
                for sample in make_samples(index, rows, one.name, suite):
                    if not wanted or sample.task in wanted:
                        yield sample


def annotation_files(data: Path, suite: RemoteSensingSuite) -> list[FilePair]:
    """The annotation files of a data set, in the order of their names."""
    folder = data / "anno" if (data / "anno").is_dir() else data
    return find_pairs(folder, folder, suite.options.pattern, suite.options.recursive)[0]


def broken_row(path: Path, name: str, fault: Fault) -> Invalid:
    """A row that can't be read."""
    place = f"{name}:{fault.line}"
    return Invalid(id=place, reason=fault.kind, source=f"{path}:{fault.line}", tags={"file": name})


def make_samples(
    index: LineIndex, rows: np.typing.NDArray[np.int64], name: str, suite: RemoteSensingSuite
) -> Iterator[Sample | Invalid]:
    """The samples of some rows of an indexed file."""
    texts = {field: list(index.texts(field, rows)) for field in FIELDS if field != "frames"}
    lines = index.lines[rows].tolist()
    for place, row in enumerate(rows.tolist()):
        of = {field: column[place] for field, column in texts.items()}
        asked = of["task"] or default_task(suite)
        task, line = suite.table.get(asked), lines[place]
        names = {"id": of["sample_id"] or f"{name}:{line}", "source": f"{index.path}:{line}"}
        tags = {"level": task.level if task else "", "picture": of["source"], "file": name}
        if task is None:
            yield Invalid(**names, reason=f"unknown task '{asked}'", task=asked, tags=tags)
        elif why := suite.grader.truth_fault(task, of["gt"]):
            yield Invalid(**names, reason=f"bad gt: {why}", task=task.name, tags=tags)
        else:
            yield _sample(suite, task, of, _media(index, row), {**names, "tags": tags})


def default_task(suite: RemoteSensingSuite) -> str:
    """The task of rows that name none: the one task that is asked for."""
    return suite.wanted[0] if len(suite.wanted) == 1 else ""


def _sample(
    suite: RemoteSensingSuite, task: Task, of: dict[str, str], media: tuple[Media, ...], names: dict[str, Any]
) -> Sample | Invalid:
    if not media:
        return Invalid(**names, reason="no picture in frames", task=task.name)
    size = None
    if suite.reading.needs_sizes and suite.grader.has_coordinates(task):
        size = image_size_of_media(media[0])
        if size is None:
            return Invalid(**names, reason=UNKNOWN_SIZE, task=task.name)
    return Sample(
        **names,
        task=task.name,
        question=of["prompt"],
        target=of["gt"],
        media=media,
        cluster=of["source"],
        size=size,
    )


def _media(index: LineIndex, row: int) -> tuple[Media, ...]:
    """The pictures of a row: where their base64 is in the file, or itself where it is compressed or escaped."""
    start, length = index.spans("frames", row)
    column = index.texts("frames", np.array([row]))
    text = column.data[column.starts[0] : column.stops[0]].tobytes()
    if not text.startswith(b"["):
        in_place = index.has_file_spans() and len(text) == length - 2
        return _picture(text, 0, len(text), (str(index.path), start + 1) if in_place else None)
    in_place = index.has_file_spans() and b"\\" not in text
    found: tuple[Media, ...] = ()
    opening = text.find(b'"')
    while opening >= 0 and (closing := text.find(b'"', opening + 1)) > 0:
        found += _picture(text, opening + 1, closing, (str(index.path), start) if in_place else None)
        opening = text.find(b'"', closing + 1)
    return found


def _picture(text: bytes, start: int, stop: int, place: tuple[str, int] | None) -> tuple[Media, ...]:
    """The picture whose base64 is `text[start:stop]`; `place` says where `text` begins in which file."""
    begin, mime = _head(text, start, min(stop, start + _PREFIX))
    if begin >= stop:
        return ()
    if place is not None:
        return (Media(kind="image", path=place[0], span=(place[1] + begin, stop - begin), mime=mime),)
    body = text[begin:stop].replace(b"\\", b"").decode("ascii", "replace")
    return (Media(kind="image", data=f"data:{mime};base64,{body}"),)


def _head(raw: bytes, start: int, stop: int) -> tuple[int, str]:
    """Where the base64 begins behind a `data:…;base64,` that may be there, and the picture's type."""
    head = raw[start:stop]
    if head.startswith(b"data:") and b"base64," in head:
        declared = head[5:].partition(b";")[0].decode("ascii", "replace")
        return start + head.index(b"base64,") + 7, declared
    return start, mime_type_of_base64(head.decode("latin-1")) or "image/jpeg"
