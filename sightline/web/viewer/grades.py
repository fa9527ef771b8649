"""Paged and filtered access to grades.parquet with DuckDB: one query per filter, whose result serves all pages.

A filter result holds row number and position of each match, 16 bytes per row, in an LRU cache.
"""

from __future__ import annotations

import math
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import urlencode

import duckdb
import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.core.legacy import upgrade_grades
from sightline.core.records import COUNTED
from sightline.runs.comparison.grades_database import ANSWERED_SQL

MAX_TEXT_CHARACTERS = 200
SORTS = ("position", "score", "-score", "task")
PAGE_SIZE = 50


class SampleFilter(Struct, frozen=True, kw_only=True):
    """What a reader has chosen; empty is no choice."""

    status: str = ""
    task: str = ""
    tag: str = ""
    """`name=value`."""
    low: float | None = None
    high: float | None = None
    text: str = ""
    sort: str = "position"

    @property
    def is_filtered(self) -> bool:
        """Whether some samples are left out."""
        return replace(self, sort="position") != SampleFilter()

    def where(self) -> tuple[str, list[Any]]:
        """The condition and its parameters."""
        parts: list[str] = []
        given: list[Any] = []
        for column, value in (("status", self.status), ("task", self.task)):
            if value:
                parts.append(f"{column} = ?")
                given.append(value)
        if self.tag:
            name, _, value = self.tag.partition("=")
            # whether any tag has the value is checked quickly, and leaves few rows for the exact check
            parts.append("list_contains(map_values(tags), ?) AND list_contains(map_extract(tags, ?), ?)")
            given += [value, name, value]
        for sign, bound in ((">=", self.low), ("<=", self.high)):
            if bound is not None:
                parts.append(f"score {sign} ?")
                given.append(bound)
        if self.text:
            # four spellings cost a third of what folding the case of every id would
            spellings = list(dict.fromkeys((self.text, self.text.lower(), self.text.capitalize(), self.text.upper())))
            columns = ("sample", "message", "source")
            parts.append("(" + " OR ".join(f"contains({column}, ?)" for column in columns for _ in spellings) + ")")
            given += spellings * len(columns)
        return " AND ".join(parts) or "true", given

    def query(self, **more: Any) -> str:
        """The filter as the query of an address; `more` is added where it is not empty."""
        parameters = {
            name: value for name in self.__struct_fields__ if (value := getattr(self, name)) not in ("", None)
        }
        if parameters.get("sort") == "position":
            del parameters["sort"]
        parameters |= {name: value for name, value in more.items() if value not in ("", None)}
        return f"?{urlencode(parameters)}" if parameters else ""


def read_filter(query: Mapping[str, str]) -> SampleFilter:
    """The filter that an address asks for; what makes no sense is no choice."""
    texts = {
        name: query.get(name, "").replace("\0", "").strip()[:MAX_TEXT_CHARACTERS] for name in ("status", "task", "text")
    }
    tag = query.get("tag", "").replace("\0", "").strip()[:MAX_TEXT_CHARACTERS]
    sort = query.get("sort", "")
    return SampleFilter(
        **texts,
        tag=tag if "=" in tag else "",
        low=_finite_number(query.get("low", "")),
        high=_finite_number(query.get("high", "")),
        sort=sort if sort in SORTS else "position",
    )


def read_page(query: Mapping[str, str]) -> int:
    """The number of the page that an address asks for, from 1 up."""
    text = query.get("page", "")
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 9 else 1


def _finite_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


_MAX_CACHE_BYTES = 96 * 2**20
"""Bytes of findings that are kept: six filters of a million rows."""
_NUMBER_COLUMNS = (
    "coalesce(TRY_CAST(score AS DOUBLE), 0) AS score, coalesce(TRY_CAST(attempts AS INTEGER), 1) AS attempts"
)
_DETAIL_COLUMNS = (
    f"position, sample, task, status, {_NUMBER_COLUMNS}, last_score, best_score, weight, cluster, message, remark, "
    "source, tags"
)
_LIST_COLUMNS = (
    f"position, sample, task, status, {_NUMBER_COLUMNS}, left(message, 240) AS message, left(remark, 2000) AS remark"
)
Row = dict[str, Any]
Int64Array = NDArray[np.int64]


class Facets(Struct, frozen=True):
    """Facets for filtering: statuses, tasks, tags and columns."""

    total: int
    statuses: dict[str, int]
    tasks: dict[str, int]
    tags: tuple[str, ...]
    columns: frozenset[str]


class FilterResult(Struct, frozen=True):
    """Sorted row numbers and positions that match a filter."""

    rows: Int64Array
    positions: Int64Array
    has_repeats: bool = False

    def __len__(self) -> int:
        return len(self.rows)

    def neighbours(self, position: int) -> tuple[int, int | None, int | None]:
        """The index of a sample among those found (−1: it is not), and the samples before and after it."""
        positions = self.samples
        hits = np.flatnonzero(positions == position)
        if not len(hits):
            return -1, None, None
        index = int(hits[0])
        before = int(positions[index - 1]) if index else None
        return index, before, int(positions[index + 1]) if index + 1 < len(positions) else None

    @property
    def samples(self) -> Int64Array:
        """The positions, each once: with repeats, a sample has several rows."""
        if not self.has_repeats:
            return self.positions
        _, first = np.unique(self.positions, return_index=True)
        return self.positions[np.sort(first)]


class SamplePairs(Struct, frozen=True):
    """Samples that two runs have both answered, those that differ most first."""

    positions: Int64Array
    others: Int64Array
    differences: NDArray[np.float64]

    def counts(self) -> dict[str, int]:
        """How many the second run does better, worse and alike."""
        better, worse = int((self.differences > 0).sum()), int((self.differences < 0).sum())
        return {"better": better, "worse": worse, "same": len(self.differences) - better - worse}

    def only(self, show: str) -> SamplePairs:
        """Those that the second run does better, worse or alike."""
        masks = {"better": self.differences > 0, "worse": self.differences < 0, "same": self.differences == 0}
        if show not in masks:
            return self
        mask = masks[show]
        return SamplePairs(self.positions[mask], self.others[mask], self.differences[mask])


Cached = TypeVar("Cached", Facets, FilterResult, SamplePairs)


class GradesDatabase:
    """Thread-safe, cached queries on grades.parquet."""

    def __init__(self) -> None:
        self._spill = tempfile.TemporaryDirectory(prefix="sightline-view-", ignore_cleanup_errors=True)
        self._database = duckdb.connect(
            config={
                "memory_limit": "200MB",
                "threads": 2,
                "temp_directory": self._spill.name,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            }
        )
        self._lock = Lock()
        self._tables: dict[Hashable, str] = {}
        self._cache: OrderedDict[Hashable, tuple[int, Any]] = OrderedDict()

    def close(self) -> None:
        """Close the database and delete its folder."""
        self._database.close()
        self._spill.cleanup()

    def facets(self, path: Path) -> Facets:
        """Statuses and tasks with their numbers, and the names of tags."""
        return self._cached(("facets", *_file_stamp(path)), lambda: self._facets(path))

    def apply_filter(self, path: Path, wanted: SampleFilter) -> FilterResult:
        """Return the rows that match a filter."""
        return self._cached(("found", *_file_stamp(path), wanted), lambda: self._apply_filter(path, wanted))

    def page(self, path: Path, found: FilterResult, number: int) -> list[Row]:
        """One page of the rows found."""
        numbers = found.rows[(number - 1) * PAGE_SIZE : number * PAGE_SIZE].tolist()
        by_number = {row["number"]: row for row in self._fetch_rows(path, "file_row_number", numbers, _LIST_COLUMNS)}
        return [by_number[row] for row in numbers if row in by_number]

    def rows_at(self, path: Path, positions: Sequence[int]) -> list[Row]:
        """The rows of some samples, in their order; of several repeats the first, with the mean score of all."""
        found: dict[int, list[Row]] = {}
        for row in self._fetch_rows(path, "position", list(positions), _LIST_COLUMNS):
            found.setdefault(row["position"], []).append(row)
        return [_mean_row(found[position]) for position in positions if position in found]

    def row(self, path: Path, position: int, repeat: int = 1) -> Row | None:
        """All that is known of one sample, or of one of its repeats."""
        known = self.facets(path).columns
        more: list[str] = [name for name in ("truth", "reply") if name in known]
        if {"lenient_score", "deviation"} <= known:
            more += ["TRY_CAST(lenient_score AS DOUBLE) AS lenient_score", "CAST(deviation AS VARCHAR) AS deviation"]
        columns = ", ".join((_DETAIL_COLUMNS, "CAST(values AS VARCHAR) AS values", *more))
        rows = self._fetch_rows(path, "position", [position], columns)
        return next((row for row in rows if row["repeat"] == repeat), rows[0] if rows and repeat == 1 else None)

    def repeat_scores(self, path: Path, position: int) -> dict[int, float]:
        """The score of each repeat of a sample that was graded."""
        rows = self._fetch_rows(path, "position", [position], _NUMBER_COLUMNS)
        return {row["repeat"]: row["score"] for row in rows}

    def pairs(self, first: Path, second: Path, same_data: bool) -> SamplePairs:
        """The samples that both have answered, matched by id, and by position where the data are the same."""
        key = ("pairs", *_file_stamp(first), *_file_stamp(second), same_data)
        return self._cached(key, lambda: self._pair(first, second, same_data))

    def _table(self, path: Path) -> str:
        """SQL of a grades table, with its path as the parameter."""
        stamp = _file_stamp(path)
        if stamp not in self._tables:
            described = self._rows("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)])
            columns = {row["column_name"] for row in described}
            self._tables[stamp] = upgrade_grades("read_parquet(?, file_row_number = true)", columns)
        return self._tables[stamp]

    def _facets(self, path: Path) -> Facets:
        described = self._rows(f"DESCRIBE SELECT * FROM {self._table(path)}", [str(path)])  # noqa: S608  # own words
        columns = frozenset(row["column_name"] for row in described)
        if "tags" not in columns:  # a run in which nothing could be graded
            return Facets(0, {}, {}, (), columns)
        counts = self._rows(
            f"SELECT task, status, count(*) AS n FROM {self._table(path)} GROUP BY task, status ORDER BY task",  # noqa: S608
            [str(path)],
        )
        states: dict[str, int] = {}
        tasks: dict[str, int] = {}
        for row in counts:
            states[row["status"]] = states.get(row["status"], 0) + row["n"]
            tasks[row["task"]] = tasks.get(row["task"], 0) + row["n"]
        names = self._rows(
            "SELECT DISTINCT unnest(map_keys(tags)) AS name FROM (SELECT tags FROM read_parquet(?) LIMIT 1000) "
            "ORDER BY name",
            [str(path)],
        )
        return Facets(sum(states.values()), states, tasks, tuple(row["name"] for row in names), columns)

    def _apply_filter(self, path: Path, wanted: SampleFilter) -> FilterResult:
        if not self.facets(path).total:
            return FilterResult(np.zeros(0, np.int64), np.zeros(0, np.int64))
        condition, given = wanted.where()
        columns = self._columns(
            "SELECT file_row_number AS number, position, coalesce(score, 0) AS score "  # noqa: S608  # values are parameters
            f"FROM {self._table(path)} WHERE {condition}",
            [str(path), *given],
        )
        numbers, positions, scores = columns["number"], columns["position"], columns["score"]
        has_repeats = "repeat" in self.facets(path).columns
        # the file is sorted by task and position: a stable sort by one key leaves that order among equals
        if wanted.sort == "task":
            return FilterResult(numbers, positions, has_repeats)
        order = np.argsort(positions, kind="stable")
        if wanted.sort != "position":
            order = _argsort_scores(scores if wanted.sort == "score" else -scores)
        return FilterResult(numbers[order], positions[order], has_repeats)

    def _pair(self, first: Path, second: Path, same_data: bool) -> SamplePairs:
        once = "" if same_data else " QUALIFY row_number() OVER (PARTITION BY sample ORDER BY position) = 1"
        sides = [f"(SELECT position, sample, score FROM {self._questions(path)}{once})" for path in (first, second)]  # noqa: S608
        also = " AND a.position = b.position" if same_data else ""
        columns = self._columns(
            f"SELECT a.position AS position, b.position AS other, b.score - a.score AS difference FROM {sides[0]} a "  # noqa: S608
            f"JOIN {sides[1]} b ON a.sample = b.sample{also} ORDER BY abs(difference) DESC, a.position",
            [str(first), str(second)],
        )
        return SamplePairs(columns["position"], columns["other"], columns["difference"])

    def _questions(self, path: Path) -> str:
        """SQL of the answered samples; repeats are averaged."""
        if "repeat" not in self.facets(path).columns:
            return f"(SELECT position, sample, score FROM {self._table(path)} WHERE {ANSWERED_SQL})"  # noqa: S608
        return (
            f"(SELECT position, sample, avg(score) AS score FROM {self._table(path)} WHERE {ANSWERED_SQL} "  # noqa: S608
            "GROUP BY position, sample)"
        )

    def _fetch_rows(self, path: Path, key: str, numbers: list[int], columns: str) -> list[Row]:
        """The rows whose key is given, the first repeat of a sample first."""
        if not numbers or not self.facets(path).total:
            return []
        repeat = "repeat" if "repeat" in self.facets(path).columns else "1 AS repeat"
        marks = ", ".join("?" * len(numbers))
        return self._rows(
            f"SELECT {key} AS number, {repeat}, {columns} FROM {self._table(path)} WHERE {key} IN ({marks}) "  # noqa: S608
            "ORDER BY repeat",
            [str(path), *numbers],
        )

    def _rows(self, sql: str, given: list[Any]) -> list[Row]:
        with self._database.cursor() as cursor:
            cursor.execute(sql, given)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def _columns(self, sql: str, given: list[Any]) -> dict[str, Any]:
        with self._database.cursor() as cursor:
            found = cursor.execute(sql, given).fetchnumpy()
        return {name: np.ma.filled(column, 0) for name, column in found.items()}

    def _cached(self, key: Hashable, make: Callable[[], Cached]) -> Cached:
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                cached: Cached = self._cache[key][1]
                return cached
        made = make()
        with self._lock:
            self._cache[key] = _size(made), made
            while len(self._cache) > 1 and sum(size for size, _ in self._cache.values()) > _MAX_CACHE_BYTES:
                self._cache.popitem(last=False)
        return made


def _mean_row(repeats: Sequence[Row]) -> Row:
    counted = [row["score"] for row in repeats if row["status"] in COUNTED]
    return repeats[0] if len(repeats) == 1 or not counted else {**repeats[0], "score": sum(counted) / len(counted)}


def _argsort_scores(scores: NDArray[np.float64]) -> Int64Array:
    """A stable order to seven digits, by two passes over 16 bits each: a fifth of the time of comparing."""
    bits = (scores.astype(np.float32) + np.float32(0)).view(np.int32)  # adding 0 makes one zero of two
    keys = np.where(bits < 0, ~bits, bits ^ np.int32(-(2**31))).view(np.uint32)
    order = np.argsort((keys & 0xFFFF).astype(np.uint16), kind="stable")
    return order[np.argsort((keys >> 16).astype(np.uint16)[order], kind="stable")]


def _size(result: Facets | FilterResult | SamplePairs) -> int:
    """About how many bytes are held."""
    return 4096 + sum(part.nbytes for part in msgspec.structs.astuple(result) if isinstance(part, np.ndarray))


def _file_stamp(path: Path) -> tuple[str, int, int]:
    """A file that is graded again is another file."""
    status = path.stat()
    return str(path), status.st_mtime_ns, status.st_size
