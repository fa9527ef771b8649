"""Dataset of annotation files: texts in batches, images by byte range in the file, single rows by a position index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sightline.core.interfaces import Task
from sightline.core.records import Invalid, Media, Sample
from sightline.core.remarks import Remark
from sightline.data.dataset import IndexedDataset
from sightline.data.lines import Fault, LineIndex, index_file
from sightline.data.lines.row_access import (
    fault_at,
    file_entry,
    find_file,
    is_current,
    join_index,
    loses_row,
    open_row,
    records_by_position,
    records_by_row,
)
from sightline.data.media import image_size_of_media, mime_type_of_base64
from sightline.data.pairing import FilePair, find_pairs
from sightline.data.position_index import IndexedFile, PositionIndex, Records
from sightline.data.storage import is_remote
from sightline.scoring.column_scorer import UNKNOWN_SIZE
from sightline.scoring.files.annotation_file import parse_size, read_size_table

if TYPE_CHECKING:
    from sightline.suites.remote_sensing import RemoteSensingSuite

FIELDS = ("gt", "task", "source", "sample_id", "prompt", "frames", "width", "height")
_ROWS_AT_ONCE = 256
_PREFIX = 128
"""Number of base64 characters examined for the image type."""


class RemoteSensingDataset(IndexedDataset):
    """All samples of the selected tasks, file by file, sorted by name; unreadable rows of a file come first."""

    def __init__(self, path: Path, suite: RemoteSensingSuite) -> None:
        self._path, self._suite = path, suite

    def __iter__(self) -> Iterator[Sample | Invalid]:
        wanted = self._suite.wanted
        for pair in annotation_files(self._path, self._suite):
            with index_file(pair.annotation, FIELDS, self._suite.rename, encoding=self._suite.encoding) as index:
                yield from (_invalid_row(index.path, pair.name, fault) for fault in index.faults if loses_row(fault))
                for rows in np.array_split(np.arange(len(index)), max(1, -(-len(index) // _ROWS_AT_ONCE))):
                    for sample in _make_samples(index, rows, pair.name, self._suite):
                        if not wanted or sample.task in wanted:
                            yield sample

    def make_index(self, progress: Callable[[int], None], all_rows: bool = False) -> PositionIndex | None:
        """Index the byte offsets of all annotation rows; see `IndexedDataset`."""
        if is_remote(self._path):
            return None
        base = self._path.parent if self._path.is_file() else self._path
        files: list[tuple[IndexedFile, Records]] = []
        bytes_before = 0
        for pair in annotation_files(self._path, self._suite):
            report = partial(_report_progress, progress, bytes_before)
            with index_file(
                pair.annotation, ("task",), self._suite.rename, report, hashed=("task",), encoding=self._suite.encoding
            ) as index:
                if not index.has_file_spans():
                    return None
                if all_rows:
                    records = records_by_row(index)
                else:
                    records = records_by_position(index, _wanted_rows(index, self._suite))
                files.append((file_entry(index, pair.name, len(records), base), records))
            bytes_before += pair.annotation.stat().st_size
        return join_index(files)

    def load_sample(self, index: PositionIndex, position: int) -> Sample | Invalid | None:
        """Read one row; see `IndexedDataset`."""
        entry = index.find(position)
        path = None if entry is None else find_file(entry.file, self._path)
        if entry is None or path is None or not is_current(PositionIndex([entry.file], None), self._path):
            return None
        if (fault := fault_at(entry)) is not None:
            return _invalid_row(path, entry.file.name, fault)
        with open_row(entry, path, FIELDS, self._suite.rename) as row:
            return next(_make_samples(row, np.arange(1), entry.file.name, self._suite)) if len(row) else None

    def find(self, sample_id: str) -> int | None:
        """The position of the first sample with an id, by a pass that reads ids and tasks only."""
        start = 0
        for pair in annotation_files(self._path, self._suite):
            fields = ("task", "sample_id")
            with index_file(
                pair.annotation, fields, self._suite.rename, hashed=("task",), encoding=self._suite.encoding
            ) as index:
                rows = _wanted_rows(index, self._suite)
                lines = [fault.line for fault in index.faults if loses_row(fault)]
                names = ["" for _ in lines] + list(index.texts("sample_id", rows))
                lines += index.lines[rows].tolist()
            ids = [name or f"{pair.name}:{line}" for name, line in zip(names, lines, strict=True)]
            if sample_id in ids:
                return start + ids.index(sample_id)
            start += len(ids)
        return None


def _report_progress(progress: Callable[[int], None], bytes_before: int, size: int) -> None:
    progress(bytes_before + size)


def _wanted_rows(index: LineIndex, suite: RemoteSensingSuite) -> NDArray[np.int64]:
    """The rows of the wanted tasks; the name of each task is read once."""
    if not suite.wanted:
        return np.arange(len(index))
    hashes = index.hashes("task")
    codes, first, groups = np.unique(hashes, return_index=True, return_inverse=True)
    is_wanted = np.zeros(len(codes), bool)
    for code, row in enumerate(first.tolist()):
        task = suite.table.get(index.texts("task", np.array([row]))[0] or _default_task(suite))
        is_wanted[code] = task is not None and task.name in suite.wanted
    return np.flatnonzero(is_wanted[groups])


def annotation_files(data: Path, suite: RemoteSensingSuite) -> list[FilePair]:
    """The annotation files of a dataset, sorted by name."""
    folder = data / "anno" if (data / "anno").is_dir() else data
    return find_pairs(folder, folder, suite.options.pattern, suite.options.recursive)[0]


def _invalid_row(path: Path, name: str, fault: Fault) -> Invalid:
    """An unreadable row as an invalid sample."""
    location = f"{name}:{fault.line}"
    return Invalid(id=location, reason=fault.kind, source=f"{path}:{fault.line}", tags={"file": name})


def _make_samples(
    index: LineIndex, rows: NDArray[np.int64], name: str, suite: RemoteSensingSuite
) -> Iterator[Sample | Invalid]:
    """The samples of some rows of an indexed file."""
    texts = {field: list(index.texts(field, rows)) for field in FIELDS if field != "frames"}
    lines, lacks_gt = index.lines[rows].tolist(), index.is_missing("gt")
    for position, row in enumerate(rows.tolist()):
        fields = {field: column[position] for field, column in texts.items()}
        task_name = fields["task"] or _default_task(suite)
        task, line = suite.table.get(task_name), lines[position]
        names = {"id": fields["sample_id"] or f"{name}:{line}", "source": f"{index.path}:{line}"}
        tags = {"level": task.level if task else "", "picture": fields["source"], "file": name}
        if task is None:
            yield Invalid(
                **names, reason=Remark("unknown task '{task}'", {"task": task_name}), task=task_name, tags=tags
            )
        elif lacks_gt[row]:
            yield Invalid(**names, reason="no gt", task=task.name, tags=tags)
        elif why := suite.reply_scorer.truth_fault(task, fields["gt"]):
            yield Invalid(**names, reason=Remark("bad gt: {why}", {"why": Remark(why)}), task=task.name, tags=tags)
        else:
            yield _sample(suite, task, fields, _media(index, row), {**names, "tags": tags})


def _default_task(suite: RemoteSensingSuite) -> str:
    """The task of rows without a task: the only selected task, if there is exactly one."""
    return suite.wanted[0] if len(suite.wanted) == 1 else ""


def _sample(
    suite: RemoteSensingSuite, task: Task, fields: dict[str, str], media: tuple[Media, ...], names: dict[str, Any]
) -> Sample | Invalid:
    if not media:
        return Invalid(**names, reason="no picture in frames", task=task.name)
    size = parse_size(fields["width"], fields["height"])
    if size is None and suite.reading.needs_sizes and suite.reply_scorer.has_coordinates(task):
        size = image_size_of_media(media[0])
        if size is None and (table := suite.reading.image_sizes):
            size = read_size_table(table).get(fields["source"].strip())
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
