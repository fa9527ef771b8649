"""Samples from annotation files: texts in pieces, pictures by their place in the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sightline.contracts import Task
from sightline.records import Invalid, Media, Sample
from sightline.sources.file_pairs import find_pairs
from sightline.sources.lines import LineIndex, index_file
from sightline.sources.media import mime_of_base64

if TYPE_CHECKING:
    from sightline.suites.remote_sensing import RemoteSensingSuite

_FIELDS = ("gt", "task", "source", "sample_id", "prompt", "frames")
_ROWS_AT_ONCE = 256
_PREFIX = 128
"""Bytes at the head of a picture that tell its type."""


def read(data: Path, suite: RemoteSensingSuite) -> Iterator[Sample | Invalid]:
    """All samples of the wanted tasks, file by file in the order of names."""
    folder = data / "anno" if (data / "anno").is_dir() else data
    options, wanted = suite.options, suite.wanted
    files, _ = find_pairs(folder, folder, options.pattern, options.recursive)
    for one in files:
        with index_file(one.annotation, _FIELDS, suite.rename) as index:
            yield from _broken(index, one.name)
            for rows in np.array_split(np.arange(len(index)), max(1, -(-len(index) // _ROWS_AT_ONCE))):
                for sample in _samples(index, rows, one.name, suite):
                    if not wanted or sample.task in wanted:
                        yield sample


def _broken(index: LineIndex, name: str) -> Iterator[Invalid]:
    for fault in index.faults:
        if fault.kind != "invalid UTF-8":
            yield Invalid(id=f"{name}:{fault.line}", reason=fault.kind, source=f"{index.path}:{fault.line}")


def _samples(
    index: LineIndex, rows: np.typing.NDArray[np.int64], name: str, suite: RemoteSensingSuite
) -> Iterator[Sample | Invalid]:
    texts = {field: list(index.texts(field, rows)) for field in _FIELDS if field != "frames"}
    lines = index.lines[rows].tolist()
    for place, row in enumerate(rows.tolist()):
        of = {field: column[place] for field, column in texts.items()}
        asked = of["task"] or (suite.wanted[0] if len(suite.wanted) == 1 else "")
        task, line = suite.table.get(asked), lines[place]
        sample_id, source = of["sample_id"] or f"{name}:{line}", f"{index.path}:{line}"
        if task is None:
            yield Invalid(id=sample_id, reason=f"unknown task '{asked}'", task=asked, source=source)
        elif why := suite.grader.truth_fault(task, of["gt"]):
            yield Invalid(id=sample_id, reason=f"bad gt: {why}", task=task.name, source=source)
        else:
            yield _sample(of, task, _media(index, row), sample_id, source)


def _sample(of: dict[str, str], task: Task, media: tuple[Media, ...], sample_id: str, source: str) -> Sample | Invalid:
    if not media:
        return Invalid(id=sample_id, reason="no picture in frames", task=task.name, source=source)
    return Sample(
        id=sample_id,
        task=task.name,
        question=of["prompt"],
        target=of["gt"],
        media=media,
        tags={"level": task.level, "picture": of["source"]},
        cluster=of["source"],
        source=source,
    )


def _media(index: LineIndex, row: int) -> tuple[Media, ...]:
    """The pictures of a row: where their base64 is in the file, or itself where it is compressed or escaped."""
    start, length = index.spans("frames", row)
    column = index.texts("frames", np.array([row]))
    text = column.data[column.starts[0] : column.stops[0]].tobytes()
    if not text.startswith(b"["):
        in_place = index.is_plain() and len(text) == length - 2
        return _picture(text, 0, len(text), (str(index.path), start + 1) if in_place else None)
    in_place = index.is_plain() and b"\\" not in text
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
    return start, mime_of_base64(head.decode("latin-1")) or "image/jpeg"
