"""Random access to annotation rows: an index of byte offsets, and single samples read by it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sightline.core.records import Invalid, Sample
from sightline.data.lines import LineIndex, index_file
from sightline.data.position_index import IndexedFile, PositionIndex, Records
from sightline.data.row_index import (
    fault_of,
    file_entry,
    find_file,
    is_current,
    join_index,
    open_row,
    records_by_place,
    records_of_stream,
)
from sightline.data.storage import is_remote
from sightline.suites.remote_sensing.dataset import FIELDS, annotation_files, default_task, invalid_row, make_samples

if TYPE_CHECKING:
    from sightline.suites.remote_sensing import RemoteSensingSuite


def index_samples(
    data: Path, suite: RemoteSensingSuite, all_rows: bool, watch: Callable[[int], None]
) -> PositionIndex | None:
    """One pass over the annotation files; see `IndexedSuite`."""
    parts: list[tuple[IndexedFile, Records]] = []
    done = 0
    if is_remote(data):
        return None
    for pair in annotation_files(data, suite):
        before = done
        with index_file(
            pair.annotation, ("task",), suite.rename, partial(_report_progress, watch, before), hashed=("task",)
        ) as index:
            if not index.is_plain():
                return None
            records = records_by_place(index) if all_rows else records_of_stream(index, _wanted_rows(index, suite))
            parts.append((file_entry(index, pair.name, len(records), data.parent if data.is_file() else data), records))
        done += pair.annotation.stat().st_size
    return join_index(parts)


def _report_progress(watch: Callable[[int], None], before: int, size: int) -> None:
    watch(before + size)


def _wanted_rows(index: LineIndex, suite: RemoteSensingSuite) -> NDArray[np.int64]:
    """The rows of the wanted tasks; the name of each task is read once."""
    if not suite.wanted:
        return np.arange(len(index))
    hashes = index.hashes("task")
    codes, first, groups = np.unique(hashes, return_index=True, return_inverse=True)
    is_wanted = np.zeros(len(codes), bool)
    for code, row in enumerate(first.tolist()):
        task = suite.table.get(index.texts("task", np.array([row]))[0] or default_task(suite))
        is_wanted[code] = task is not None and task.name in suite.wanted
    return np.flatnonzero(is_wanted[groups])


def load_sample(data: Path, suite: RemoteSensingSuite, index: PositionIndex, position: int) -> Sample | Invalid | None:
    """See `IndexedSuite`."""
    entry = index.find(position)
    path = None if entry is None else find_file(entry.file, data)
    if entry is None or path is None or not is_current(PositionIndex([entry.file], None), data):
        return None
    if (fault := fault_of(entry)) is not None:
        return invalid_row(path, entry.file.name, fault)
    with open_row(entry, path, FIELDS, suite.rename) as row:
        if not len(row):
            return None
        return next(make_samples(row, np.arange(1), entry.file.name, suite))
