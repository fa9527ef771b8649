"""Annotation files: rows by task, samples in batches, image sizes from embedded frames."""

from __future__ import annotations

import csv
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.core.errors import ConfigError
from sightline.core.interfaces import ColumnSuite, Task
from sightline.data.columns import TextColumn
from sightline.data.lines import LineIndex, index_file
from sightline.data.lines.decompression import is_compressed
from sightline.data.media import HEADER_BYTES, HEADER_CHARS, detect_format, image_size, image_size_of_base64_head
from sightline.data.pairing import Pairing, TaskCodes, pair_rows
from sightline.data.storage import AnyPath, is_remote
from sightline.scoring.batch import ReplyBatch, SampleBatch, ScoreBatch
from sightline.scoring.parsers.columns.numbers import NUMBER
from sightline.scoring.task_evaluator import TaskEvaluator
from sightline.stats.exact import ALONE

FIELDS = ("gt", "task", "source", "sample_id")
FRAMES = "frames"
SIZES = ("width", "height")
HASHED = ("task", "source", "sample_id")
"""Fields that rows are sorted, clustered and paired by."""
OUTPUT_FIELDS = ("model_output", "source", "sample_id", "task")
OUTPUT_IDS = ("sample_id", "source", "task")
Rows = NDArray[np.int64]


class Chunk(Struct, frozen=True):
    """A batch of a task: rows of an annotation file, and its number within the task."""

    task: Task
    rows: Rows
    key: int


class SampleLimits:
    """Limits on samples per task (`--limit-per-task`) and in all (`--limit`), applied file by file."""

    def __init__(self, per_task: int | None, total: int | None) -> None:
        self._per_task = per_task
        self._total = total
        self._taken: Counter[str] = Counter()

    def take(self, tasks: Mapping[str, Rows]) -> dict[str, Rows]:
        """The rows of the next file, by task, that are within both limits; the limit of each task comes first."""
        wanted = dict(tasks)
        if self._per_task is not None:
            wanted = {name: rows[: self._per_task - self._taken[name]] for name, rows in wanted.items()}
        if self._total is not None and wanted:
            in_order = np.sort(np.concatenate(list(wanted.values())))
            beyond = in_order[self._total] if len(in_order) > self._total else np.iinfo(np.int64).max
            wanted = {name: rows[rows < beyond] for name, rows in wanted.items()}
            self._total -= sum(map(len, wanted.values()))
        for name, rows in wanted.items():
            self._taken[name] += len(rows)
        return {name: rows for name, rows in wanted.items() if len(rows)}


class AnnotationFile:
    """An indexed annotation file with its rows by task."""

    def __init__(
        self, path: AnyPath, name: str, suite: ColumnSuite, needs_sizes: bool, watch: Callable[[int], None]
    ) -> None:
        self.name = name
        self.path = path
        self.table = suite.table
        fields = (*FIELDS, *SIZES) if needs_sizes or suite.reading.may_need_sizes else FIELDS
        # of a compressed or remote file, frames would have to be copied
        if needs_sizes or (len(fields) > len(FIELDS) and not is_compressed(path) and not is_remote(path)):
            fields = (*fields, FRAMES)
        self.index = index_file(path, fields, suite.rename, watch, {FRAMES: HEADER_CHARS}, HASHED, suite.encoding)
        self.first = 0
        """The position of the file's first sample among all samples of the job."""
        self.tasks: dict[str, Rows] = {}
        self.unknown_tasks: list[tuple[str, Rows]] = []
        """Rows with an unknown task, by its name."""
        self.without_gt: list[tuple[str, Rows]] = []
        """Rows without a truth, by task; an empty truth is one."""
        self.has_ids = bool(self.index.has("sample_id").any())
        self._sources = self.index.hashes("source")
        self._sort_rows(suite)

    def _sort_rows(self, suite: ColumnSuite) -> None:
        found: dict[str, list[Rows]] = {}
        has_gt = ~self.index.is_missing("gt")
        for name, all_rows in rows_by_task_name(self.index):
            rows = all_rows[has_gt[all_rows]]
            # rows that name no task belong to the one task that is asked for
            task = suite.table.get(name or (suite.wanted[0] if len(suite.wanted) == 1 else ""))
            if task is None:
                self.unknown_tasks.append((name, all_rows))
            elif not suite.wanted or task.name in suite.wanted:
                found.setdefault(task.name, []).append(rows)
                if len(rows) < len(all_rows):
                    self.without_gt.append((task.name, all_rows[~has_gt[all_rows]]))
        self.tasks = {name: np.sort(np.concatenate(rows)) for name, rows in found.items() if sum(map(len, rows))}

    def chunks(self, table: Mapping[str, Task], size: int, keys: Counter[str]) -> Iterator[Chunk]:
        """Batches of all tasks; `keys` counts the batches of each."""
        for name, rows in self.tasks.items():
            for start in range(0, len(rows), size):
                yield Chunk(table[name], rows[start : start + size], keys[name])
                keys[name] += 1

    def clusters(self, rows: Rows) -> NDArray[np.uint64]:
        """A hash of the picture that a row is about; a row that names none stands alone."""
        hashes = self._sources[rows]
        alone = (rows.astype(np.uint64) + np.uint64(self.first + 1)) * ALONE
        return np.where(hashes == 0, alone, hashes)


def rows_by_task_name(index: LineIndex) -> Iterator[tuple[str, Rows]]:
    """The rows of each task name of a file; an empty name where rows have none. Each name is read once."""
    hashes = index.hashes("task")
    codes, first, groups = np.unique(hashes, return_index=True, return_inverse=True)
    order = np.argsort(groups, kind="stable")
    for rows, row, code in zip(
        np.split(order, np.cumsum(np.bincount(groups))[:-1]) if len(codes) else (),
        first.tolist(),
        codes.tolist(),
        strict=True,
    ):
        yield index.texts("task", np.array([row]))[0].strip() if code else "", rows


def pair_files(annotation: LineIndex, output: LineIndex, suite: ColumnSuite) -> Pairing:
    """Pair the rows of an annotation file and an output file, whatever name of a task each uses."""
    numbers = {task.name: number for number, task in enumerate(suite.table, 1)}
    codes = []
    for index in (annotation, output):
        of_rows = np.zeros(len(index), np.int64)
        for name, rows in rows_by_task_name(index):
            task = suite.table.get(name) if name else None
            of_rows[rows] = 0 if task is None else numbers[task.name]
        codes.append(of_rows)
    return pair_rows(annotation, output, TaskCodes(*codes))


def replies(output: LineIndex, partner: Rows) -> tuple[TextColumn, NDArray[np.bool_]]:
    """The outputs at rows (−1: none), empty where there is none, and where there is one."""
    there = partner >= 0
    if there.all():
        return output.texts("model_output", partner), there
    texts = output.texts("model_output", partner[there])
    starts, stops = np.zeros(len(partner), np.int64), np.zeros(len(partner), np.int64)
    starts[there], stops[there] = texts.starts, texts.stops
    return TextColumn(texts.data, starts, stops), there


_ROWS_AT_ONCE = 64
LARGEST_SIDE = 1e6


def known_sizes(index: LineIndex, rows: NDArray[np.int64], table: str = "") -> NDArray[np.float64]:
    """(width, height) of each row's image: by its fields `width` and `height`, its frames, or a table of sources."""
    sizes = np.full((len(rows), 2), np.nan)
    if all(name in index.fields for name in SIZES):
        sides = [NUMBER.read(index.texts(name, rows)).values.values for name in SIZES]
        sizes = np.stack(sides, axis=1)
        is_size = (sizes > 0) & (sizes <= LARGEST_SIDE) & (sizes == np.floor(sizes))
        sizes[~is_size.all(axis=1)] = np.nan
    if FRAMES in index.fields and (rest := np.flatnonzero(np.isnan(sizes[:, 0]))).size:
        sizes[rest] = picture_sizes(index, rows[rest])
    if table and (rest := np.flatnonzero(np.isnan(sizes[:, 0]))).size:
        known = read_size_table(table)
        sizes[rest] = [known.get(source.strip(), (np.nan, np.nan)) for source in index.texts("source", rows[rest])]
    return sizes


def parse_size(width: str, height: str) -> tuple[int, int] | None:
    """The size of an image in pixels; None where the texts are none."""
    try:
        sides = float(width), float(height)
    except ValueError:
        return None
    is_size = all(0 < side <= LARGEST_SIDE and side.is_integer() for side in sides)
    return (int(sides[0]), int(sides[1])) if is_size else None


@lru_cache(maxsize=4)
def read_size_table(path: str) -> dict[str, tuple[int, int]]:
    """Sizes of images by source from a CSV file with the columns source, width, height."""
    sizes = {}
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            for number, cells in enumerate(csv.reader(file), 1):
                if len(cells) >= 3 and (size := parse_size(cells[1], cells[2])) is not None:
                    sizes[cells[0].strip()] = size
                elif number > 1 and cells:
                    raise ConfigError("{path}, line {line}: expected source, width and height.", path=path, line=number)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(
            "Cannot read {path}: {why}", path=path, why=getattr(error, "strerror", None) or error
        ) from None
    return sizes


def picture_sizes(index: LineIndex, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """(width, height) of each row's first picture; NaN if unknown."""
    sizes = np.full((len(rows), 2), np.nan)
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        heads = index.raw_texts("frames", rows[first : first + _ROWS_AT_ONCE], HEADER_CHARS)
        for row, (start, stop) in enumerate(zip(heads.starts.tolist(), heads.stops.tolist(), strict=True), first):
            if stop > start:
                whole = partial(_read_value, index, int(rows[row]))
                sizes[row] = _size(heads.data[start:stop].tobytes(), whole)
    return sizes


def _read_value(index: LineIndex, row: int) -> bytes:
    value = index.raw_texts("frames", np.array([row]))
    return value.data[value.starts[0] : value.stops[0]].tobytes()


def _size(head: bytes, read_whole: Callable[[], bytes]) -> tuple[float, float]:
    """The size of the picture whose JSON value begins so: a string, or a list of strings.

    The whole value is read where its beginning does not tell. Of a compressed or remote file only beginnings are kept.
    """
    body, is_complete = _first_picture(head)
    if (size := image_size_of_base64_head(body)) is not None:
        return size
    try:
        if not detect_format(b64decode(body[:HEADER_BYTES])):
            return np.nan, np.nan
        picture = b64decode(body if is_complete else _first_picture(read_whole())[0])
    except ValueError:
        return np.nan, np.nan
    return image_size(picture) or (np.nan, np.nan)


_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|[nrt]|(.))", re.DOTALL)


def _first_picture(raw: bytes) -> tuple[bytes, bool]:
    """The base64 of the first string in a JSON value, without escapes, and whether the string ends there."""
    first, quote, _ = raw.partition(b'"')[2].partition(b'"')
    if b"\\" in first:  # PHP escapes slashes, .NET the plus sign, and line breaks are escaped everywhere
        first = _ESCAPE.sub(_unescape, first)
    return first.partition(b"base64,")[2] if first.startswith(b"data:") else first, bool(quote)


def _unescape(match: re.Match[bytes]) -> bytes:
    code, letter = match.groups()
    return bytes([int(code, 16)]) if code and code.startswith(b"00") else letter or b""


class BatchSpec(Struct, frozen=True, kw_only=True):
    """Specification of a batch: its rows in both files, positions and clusters."""

    task: Task
    file: str
    key: int
    """The batch's number within the task."""
    rows: Rows
    partner: Rows
    """The row of the output that belongs to each; −1: none."""
    positions: NDArray[np.int64]
    clusters: NDArray[np.uint64]
    has_ids: bool
    with_sizes: bool
    """Whether the sizes of all images are needed; else they are read where a reply needs them."""
    with_details: bool
    size_table: str = ""
    model: str = ""


def read_batch(spec: BatchSpec, annotation: LineIndex, output: LineIndex) -> tuple[SampleBatch, ReplyBatch]:
    """The samples and replies of a batch."""
    texts, replied = replies(output, spec.partner)
    rows = spec.rows
    samples = SampleBatch(
        task=spec.task,
        positions=spec.positions,
        clusters=spec.clusters,
        targets=annotation.texts("gt", rows),
        key=spec.key,
        sizes=known_sizes(annotation, rows, spec.size_table) if spec.with_sizes else None,
        size_reader=lambda some: known_sizes(annotation, rows[some], spec.size_table),
        file=spec.file,
        lines=annotation.lines[rows],
        ids=annotation.texts("sample_id", rows).strings() if spec.has_ids else None,
        sources=annotation.texts("source", rows).strings(),
    )
    return samples, ReplyBatch(texts=texts, replied=replied, model=spec.model)


def score_batch(evaluator: TaskEvaluator, samples: SampleBatch, replies: ReplyBatch, with_texts: bool) -> ScoreBatch:
    """Score a batch by an evaluator that no other thread is using."""
    scores = evaluator.update(samples, replies)
    # the parsed columns are of no use to the grades table, which holds batches until all are there
    bare = replace(
        scores, parsed=None, parser=None, lenient=None, reaches=None, samples=replace(scores.samples, size_reader=None)
    )
    return replace(bare, kept_targets=samples.targets, kept_replies=replies.texts) if with_texts else bare
