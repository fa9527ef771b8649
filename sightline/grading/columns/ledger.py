"""Grades of whole batches on disk: one Parquet file sorted by task.

Batches are held as columns until all are there, and written at once. A job too large for that writes parts on the way.
"""

from __future__ import annotations

import codecs
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.books.rows import INVALID, OK, STATES, Graded
from sightline.columns import TextColumn
from sightline.errors import JournalError
from sightline.grading.ledger import quiet_base, quoted
from sightline.grading.logs import error_log, invalid_log
from sightline.grading.parquet import join_files
from sightline.grading.spreadsheet import inert_column
from sightline.runs.folder import RunFolder

HELD = 300 * 2**20
"""Bytes of columns that are held in memory at most, by a rough count."""
LONGEST_DETAIL = 20_000
"""Characters of a text that the grades keep."""
_FORMAT = "(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20000)"


class Entries(Struct, frozen=True, kw_only=True):
    """A graded batch with what names its samples."""

    task: str
    level: str
    file: str
    positions: NDArray[np.int64]
    lines: NDArray[np.int64]
    sources: list[str]
    graded: Graded
    samples: list[str] | None = None
    """The samples' own ids; without them a sample is called by its file and line."""
    clusters: list[str] | None = None
    """What samples share with others, where that is not their source."""
    weights: NDArray[np.float64] | None = None
    """Sample weights; None: each counts once."""
    truth: TextColumn | None = None
    """With the texts, where sample details are wanted."""
    reply: TextColumn | None = None

    def sample(self, row: int) -> str:
        """What a sample is called."""
        return (self.samples[row] if self.samples else "") or f"{self.file}:{self.lines[row]}"

    def size(self) -> int:
        """Roughly the bytes that it takes."""
        texts = sum(int(column.lengths().sum()) for column in (self.truth, self.reply) if column is not None)
        return len(self.positions) * (170 + 8 * len(self.graded.values)) + 2 * texts


class ColumnLedger:
    """Takes batches in the order of positions, for any number of tasks."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._errors, self._invalid = error_log(folder), invalid_log(folder)
        self._held: dict[tuple[str, str], list[Entries]] = {}
        self._bytes = 0
        self._parts: list[tuple[str, int, Path]] = []
        self._adopted: list[tuple[str, int, Path]] = []

    def add(self, entries: Entries) -> None:
        """Take one batch, and log each sample that is not ok."""
        self._held.setdefault((entries.task, entries.file), []).append(entries)
        self._bytes += entries.size()
        self._tell(entries)
        if self._bytes > HELD:
            self._spill()

    def _tell(self, entries: Entries) -> None:
        graded = entries.graded
        for row in np.flatnonzero(graded.states != OK).tolist():
            why, sample = graded.reasons[graded.notes[row]], entries.sample(row)
            if graded.states[row] == INVALID:
                self._invalid.write(entries.sources[row], entries.task, why, sample)
            else:
                self._errors.write(entries.sources[row], entries.task, why, sample, STATES[graded.states[row]])

    def refuse(self, source: str, task: str, why: str, sample: str) -> None:
        """Log a sample that never became a row: an unreadable line, an unknown task."""
        self._invalid.write(source, task, why, sample)

    def complain(self, source: str, task: str, error: str, sample: str) -> None:
        """Log an output that nobody wanted or that could not be read."""
        self._errors.write(source, task, error, sample, "")

    def adopt(self, task: str, first: int, folder: Path) -> None:
        """Take the grades and logs that another ledger has written, of one task from a position on."""
        theirs = RunFolder(folder)
        self._adopted.append((task, first, theirs.grades))
        self._errors.copy(theirs.errors)
        self._invalid.copy(theirs.invalid)

    def close(self) -> None:
        """Finish: everything that is held, put aside or adopted becomes one file."""
        self.abandon()
        whole = self._folder.grades.with_suffix(".part")
        if self._parts or self._adopted:
            self._spill()
            self._join([path for *_, path in sorted([*self._parts, *self._adopted])], whole)
        else:
            tables = {f"batch{n}": self._held[key] for n, key in enumerate(sorted(self._held, key=self._first))}
            self._write(tables, whole)
        self.discard()
        whole.replace(self._folder.grades)

    def _join(self, paths: list[Path], whole: Path) -> None:
        """Several files become one: by their bytes where they have the same columns."""
        try:
            is_joined = join_files(paths, whole)
        except OSError as error:
            raise JournalError("Can't write {path}: {why}", path=self._folder.grades, why=error.strerror) from None
        if not is_joined:
            files = ", ".join(f"'{quoted(path)}'" for path in paths)
            self._run(f"SELECT * FROM read_parquet([{files}], union_by_name=true)", whole, {})  # noqa: S608  # own names

    def _first(self, key: tuple[str, str]) -> tuple[str, int]:
        return key[0], int(self._held[key][0].positions[0])

    def _spill(self) -> None:
        """Put what is held aside."""
        for key, entries in self._held.items():
            path = self._folder.path / f".grades-{len(self._parts)}.part"
            self._write({"batch": entries}, path)
            self._parts.append((*self._first(key), path))
        self._held.clear()
        self._bytes = 0

    def _write(self, tables: dict[str, list[Entries]], path: Path) -> None:
        """Tables of one task and file each, one behind the other, as a file."""
        columns = {name: _columns(entries) for name, entries in tables.items()}
        selects = [_select(name, tables[name], columns[name]) for name in tables]
        self._run(" UNION ALL BY NAME ".join(selects) or f"SELECT {_NOTHING}", path, columns)

    def _run(self, select: str, path: Path, columns: dict[str, dict[str, NDArray[Any]]]) -> None:
        import duckdb

        try:
            with quiet_base(self._folder.path, preserve_insertion_order=True, threads=2) as base:
                for name, batch in columns.items():
                    base.register(name, batch)
                base.execute(f"COPY ({select}) TO '{quoted(path)}' {_FORMAT}")
        except duckdb.Error as error:
            raise JournalError("Can't write {path}: {why}", path=self._folder.grades, why=error) from None

    def abandon(self) -> None:
        """Close the logs."""
        self._errors.close()
        self._invalid.close()

    def discard(self) -> None:
        """Let go of all that is held and put aside."""
        self._held.clear()
        for _, _, path in self._parts:
            with suppress(OSError):
                path.unlink()
        self._parts.clear()
        with suppress(OSError):
            (self._folder.path / ".duckdb").rmdir()


def write_csv(grades: Path, path: Path) -> None:
    """All grades as one table for a spreadsheet, which knows UTF-8 by its mark and takes no reply for a formula."""
    plain = path.with_suffix(".part")
    with quiet_base(path.parent, preserve_insertion_order=True) as base:
        columns = base.execute(f"DESCRIBE SELECT * FROM '{quoted(grades)}'").fetchall()  # noqa: S608
        cells = ", ".join(inert_column(name) if kind == "VARCHAR" else f'"{name}"' for name, kind, *_ in columns)
        base.execute(f"COPY (SELECT {cells} FROM '{quoted(grades)}') TO '{quoted(plain)}' (FORMAT csv, HEADER)")  # noqa: S608
    with path.open("wb") as out, plain.open("rb") as rows:
        out.write(codecs.BOM_UTF8)
        shutil.copyfileobj(rows, out)
    plain.unlink()


_NOTHING = (
    "NULL::BIGINT AS position, ''::VARCHAR AS sample, '' AS task, '' AS state, 0.0::DOUBLE AS score, "
    "'' AS source, '{}'::JSON AS values WHERE false"
)


def _select(name: str, entries: Sequence[Entries], batch: dict[str, NDArray[Any]]) -> str:
    """The rows of a table as grades; words that all rows share are written once."""
    task, level, file = (_literal(word) for word in (entries[0].task, entries[0].level, entries[0].file))
    reasons = ", ".join(_literal(word) for word in _reasons(entries))
    states = ", ".join(_literal(word) for word in STATES)
    values = [column for column in batch if column.startswith("value_")]
    packed = ", ".join(f'"{column[6:]}" := {_maybe(column, batch[column])}' for column in values)
    called = f"{file} || ':' || line"
    sample = f"CASE WHEN sample = '' THEN {called} ELSE sample END" if "sample" in batch else called
    detail = ", truth, reply" if "truth" in batch else ""
    shared = "cluster" if "cluster" in batch else "source"
    return (
        f"SELECT position, {sample} AS sample, {task} AS task, [{states}][state + 1] AS state, score, "  # noqa: S608
        "score AS last_score, score AS best_score, 1::INTEGER AS attempts, "
        f"{'weight' if 'weight' in batch else '1.0::DOUBLE AS weight'}, "
        f"{shared} AS cluster, [{reasons}][note + 1] AS note, source, "
        f"MAP {{'level': {level}, 'file': {file}}} AS tags, "
        f"to_json(struct_pack({packed})) AS values{detail} FROM {name}"
    )


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''").replace("\0", "") + "'"


def _maybe(name: str, column: NDArray[Any]) -> str:
    """A number that is not there is nothing, not "nan"."""
    return f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END" if column.dtype.kind == "f" else name


def _reasons(entries: Sequence[Entries]) -> list[str]:
    return list(dict.fromkeys(why for each in entries for why in each.graded.reasons))


def _columns(entries: Sequence[Entries]) -> dict[str, NDArray[Any]]:
    """The batches of a task and file as columns that DuckDB takes as they are."""
    place = {why: number for number, why in enumerate(_reasons(entries))}
    notes = [np.array([place[why] for why in each.graded.reasons])[each.graded.notes] for each in entries]
    columns: dict[str, NDArray[Any]] = {
        "position": np.concatenate([each.positions for each in entries]),
        "line": np.concatenate([each.lines for each in entries]),
        "state": np.concatenate([each.graded.states for each in entries]),
        "score": np.concatenate([each.graded.scores for each in entries]),
        "note": np.concatenate(notes),
        "source": _texts([source for each in entries for source in each.sources]),
    }
    if any(each.samples is not None for each in entries):
        columns["sample"] = _texts([each.sample(row) for each in entries for row in range(len(each.positions))])
    if any(each.clusters is not None for each in entries):
        columns["cluster"] = _texts([cluster for each in entries for cluster in each.clusters or each.sources])
    if any(each.weights is not None for each in entries):
        weights = [np.ones(len(each.positions)) if each.weights is None else each.weights for each in entries]
        columns["weight"] = np.concatenate(weights)
    for name in dict.fromkeys(name for each in entries for name in each.graded.values):
        nothing = (each.graded.values.get(name, np.full(len(each.positions), np.nan)) for each in entries)
        columns[f"value_{name}"] = np.concatenate(list(nothing))
    columns["value_mis_scaled"] = np.concatenate([each.graded.mis_scaled for each in entries])
    if entries[0].truth is not None:
        for name in ("truth", "reply"):
            columns[name] = _texts([text[:LONGEST_DETAIL] for each in entries for text in getattr(each, name)])
    return columns


def _texts(texts: list[str]) -> NDArray[np.object_]:
    column = np.empty(len(texts), dtype=object)
    column[:] = texts
    return column
