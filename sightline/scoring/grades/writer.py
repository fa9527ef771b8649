"""Writer of the grades table: one Parquet file sorted by task, and the two logs.

Batches are buffered until all are there, and written at once. A job too large for that writes temporary files.
"""

from __future__ import annotations

import codecs
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from sightline.core.errors import StorageError
from sightline.core.remarks import Explanation, english_text, format_remark
from sightline.core.run_paths import RunPaths
from sightline.i18n import tr
from sightline.i18n.printable import printable
from sightline.scoring.batch import ANSWERED, INVALID, STATUSES, SampleBatch, ScoreBatch
from sightline.scoring.grades.duckdb_files import connect_duckdb, escape_formula_sql, sql_literal
from sightline.scoring.grades.messages import encode_remark
from sightline.scoring.grades.parquet_join import join_files
from sightline.scoring.parsers.lenient.deviations import DEVIATIONS


class Log:
    """Tab-separated log file with a header; line breaks in cells are removed."""

    def __init__(self, path: Path, columns: tuple[str, ...]) -> None:
        self._file = path.open("w", encoding="utf-8", newline="\n")
        self.write(*columns)

    def write(self, *cells: str) -> None:
        """Write one line."""
        self._file.write("\t".join(map(printable, cells)) + "\n")

    def write_lines(self, lines: list[str]) -> None:
        """Write lines whose cells are printable and separated already."""
        self._file.writelines(lines)

    def copy(self, path: Path) -> None:
        """Append the lines of another log."""
        with path.open(encoding="utf-8", newline="\n") as lines:
            next(lines, None)  # the head
            self._file.writelines(lines)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


MAX_BUFFERED_BYTES = 300 * 2**20
"""Bytes that buffered batches take at most, by a rough count, which includes those that DuckDB takes to write them."""
LONGEST_DETAIL = 20_000
"""Characters of a text that the grades keep."""
_encoder = msgspec.json.Encoder(enc_hook=str)
_Key = tuple[str, str] | str
"""Task and file of a table, or the task of a table of records."""
_Columns = dict[str, NDArray[Any]]
_FORMAT = "(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20000)"


class GradesWriter:
    """Takes batches in the order of positions, for any number of tasks.

    `has_repeats`: each repeat of a question is a row, and the table has a column `repeat`. Where images were resized,
    it has a column `sent_sizes`: for each image the width and height that were sent.
    """

    def __init__(self, folder: RunPaths, has_repeats: bool = False) -> None:
        self._folder = folder
        self._repeat_sql = ", repeat" if has_repeats else ""
        self._errors = Log(folder.errors, ("source", "task", "status", "sample", "message", "deviation"))
        """Replies that could not be read as asked."""
        self._invalid = Log(folder.invalid, ("source", "task", "reason", "sample"))
        """Samples that could not be asked or graded."""
        self._buffered: dict[tuple[str, str], list[ScoreBatch]] = {}
        self._buffered_records: dict[str, list[_Columns]] = {}
        """Records as columns: the objects, with all that they refer to, would take several times the memory."""
        self._bytes = 0
        self._are_images_resized = False
        self._parts: list[tuple[str, int, Path]] = []
        self._appended: list[tuple[str, int, Path]] = []

    def add(self, scores: ScoreBatch, are_images_resized: bool = False) -> None:
        """Add a batch, and log its samples without a score."""
        self._are_images_resized |= are_images_resized
        task = scores.samples.task.name
        if scores.grades:
            self._buffered_records.setdefault(task, []).append(_record_columns(scores))
        else:
            self._buffered.setdefault((task, scores.samples.file), []).append(scores)
        self._bytes += _size(scores)
        self._log(scores)
        if self._bytes > MAX_BUFFERED_BYTES:
            self._spill()

    def _log(self, scores: ScoreBatch) -> None:
        """Log samples without a score, and replies that are not as asked."""
        if not scores.grades:
            self._log_columns(scores)
            return
        for row in np.flatnonzero(scores.statuses != ANSWERED).tolist():
            grade = scores.grades[row]
            text = format_remark(grade.message)
            if grade.status == "invalid":
                self._invalid.write(grade.source, grade.task, text, grade.sample)
            else:
                self._errors.write(grade.source, grade.task, grade.status, grade.sample, text, "")

    def _log_columns(self, scores: ScoreBatch) -> None:
        samples, deviations = scores.samples, scores.deviations
        codes = np.zeros(len(scores), np.uint8) if deviations is None else deviations
        rows = np.flatnonzero((scores.statuses != ANSWERED) | (codes > 0))
        assert scores.reason_indices is not None or not len(rows), "columns have reasons"
        indices = np.zeros(len(scores), np.int64) if scores.reason_indices is None else scores.reason_indices
        messages = {index: format_remark(scores.reasons[index]) for index in np.unique(indices[rows]).tolist()}
        kinds = {code: tr(DEVIATIONS[code]) for code in np.unique(codes[rows]).tolist()}
        task = printable(samples.task.name)
        if samples.ids is None and samples.lines is not None:
            names = [f"{samples.file}:{line}" for line in samples.lines[rows].tolist()]
        else:
            names = [samples.name(row) for row in rows.tolist()]
        sources = [samples.sources[row] for row in rows.tolist()]
        sources, names = _printable_texts(sources), _printable_texts(names)
        statuses, reasons, kinds_of = (column[rows].tolist() for column in (scores.statuses, indices, codes))
        ends = {
            key: f"{printable(messages[key[0]])}\t{kinds[key[1]]}\n" for key in set(zip(reasons, kinds_of, strict=True))
        }
        middles = {status: f"\t{task}\t{STATUSES[status]}\t" for status in set(statuses)}
        self._errors.write_lines(
            [
                f"{source}{middles[status]}{name}\t{ends[index, code]}"
                for source, name, status, index, code in zip(sources, names, statuses, reasons, kinds_of, strict=True)
                if status != INVALID
            ]
        )
        for source, name, status, index in zip(sources, names, statuses, reasons, strict=True):
            if status == INVALID:
                self._invalid.write(source, task, messages[index], name)

    def log_invalid(self, source: str, task: str, why: str, sample: str) -> None:
        """Log a sample that never became a row: an unreadable line, an unknown task."""
        self._invalid.write(source, task, why, sample)

    def log_error(self, source: str, error: str) -> None:
        """Log an output that belongs to no sample or could not be read; it has no status."""
        self._errors.write(source, "", "", "", error, "")

    def append_written(self, task: str, first: int, folder: Path) -> None:
        """Append the grades and logs that another writer has written, of one task from a position on."""
        theirs = RunPaths(folder)
        self._appended.append((task, first, theirs.grades))
        self._errors.copy(theirs.errors)
        self._invalid.copy(theirs.invalid)

    def close(self) -> None:
        """Finish: everything that is buffered, in temporary files or appended becomes one file."""
        self.close_logs()
        whole = self._folder.grades.with_suffix(".part")
        if self._parts or self._appended:
            self._spill()
            self._join([path for *_, path in sorted([*self._parts, *self._appended])], whole)
        else:
            self._write(sorted(self._buffered_keys(), key=self._first), whole)
        self.delete_temporary_files()
        whole.replace(self._folder.grades)

    def _join(self, paths: list[Path], whole: Path) -> None:
        """Several files become one: by their bytes where they have the same columns."""
        try:
            is_joined = join_files(paths, whole)
        except OSError as error:
            raise StorageError("Cannot write {path}: {why}", path=self._folder.grades, why=error.strerror) from None
        if not is_joined:
            files = ", ".join(map(sql_literal, paths))
            self._run(f"SELECT * FROM read_parquet([{files}], union_by_name=true)", whole, {})  # noqa: S608  # own names

    def _buffered_keys(self) -> list[_Key]:
        return [*self._buffered, *self._buffered_records]

    def _first(self, key: _Key) -> tuple[str, int]:
        if isinstance(key, str):
            return key, int(self._buffered_records[key][0]["position"][0])
        return key[0], int(self._buffered[key][0].samples.positions[0])

    def _spill(self) -> None:
        """Write buffered batches to temporary Parquet files."""
        for key in self._buffered_keys():
            path = self._folder.path / f".grades-{len(self._parts)}.part"
            self._write([key], path)
            self._parts.append((*self._first(key), path))
        self._buffered.clear()
        self._buffered_records.clear()
        self._bytes = 0

    def _write(self, keys: Sequence[_Key], path: Path) -> None:
        """Tables of one task and file each, one behind the other, as a file."""
        columns, selects = {}, []
        for number, key in enumerate(keys):
            name = f"batch{number}"
            if isinstance(key, str):
                columns[name] = _join_records(self._buffered_records[key])
                selects.append(_select_records(name, key, self._optional_sql(columns[name])))
            else:
                columns[name] = _columns(self._buffered[key])
                optional = self._optional_sql(columns[name])
                selects.append(_select(name, self._buffered[key], columns[name], optional))
        self._run(" UNION ALL BY NAME ".join(selects) or f"SELECT {_EMPTY_TABLE}", path, columns)

    def _optional_sql(self, columns: _Columns) -> str:
        """The columns that only some runs have."""
        has_sizes = self._are_images_resized and "sent_sizes" in columns
        return self._repeat_sql + (_SENT_SIZES if has_sizes else "")

    def _run(self, select: str, path: Path, columns: dict[str, _Columns]) -> None:
        import duckdb

        try:
            with connect_duckdb(self._folder.path, preserve_insertion_order=True, threads=2) as base:
                for name, batch in columns.items():
                    base.register(name, batch)
                base.execute(f"COPY ({select}) TO {sql_literal(path)} {_FORMAT}")
        except duckdb.Error as error:
            raise StorageError("Cannot write {path}: {why}", path=self._folder.grades, why=error) from None

    def close_logs(self) -> None:
        """Close the logs."""
        self._errors.close()
        self._invalid.close()

    def delete_temporary_files(self) -> None:
        """Drop buffered batches and delete temporary files."""
        self._buffered.clear()
        self._buffered_records.clear()
        for _, _, path in self._parts:
            with suppress(OSError):
                path.unlink()
        self._parts.clear()
        with suppress(OSError):
            (self._folder.path / ".duckdb").rmdir()


def _printable_texts(texts: list[str]) -> list[str]:
    """The texts as printable lines; all at once where none needs a change."""
    joined = "|".join(["", *texts, ""])
    is_plain = joined.isprintable() and not any(gap in joined for gap in ("  ", "| ", " |"))
    return texts if is_plain else [printable(text) for text in texts]


_SENT_SIZES = ", CAST(NULLIF(sent_sizes, '')::JSON AS INTEGER[][]) AS sent_sizes"


def _sent_sizes(batches: Sequence[ScoreBatch]) -> NDArray[np.object_]:
    """The sizes of images as JSON; empty for samples without images."""
    sizes = (each for batch in batches for each in (batch.sent_sizes or [()] * len(batch)))
    return _texts([_encoder.encode(each).decode() if each else "" for each in sizes])


def write_csv(grades: Path, path: Path) -> None:
    """All grades as one table for a spreadsheet, which knows UTF-8 by its mark and takes no reply for a formula."""
    plain = path.with_suffix(".part")
    with connect_duckdb(path.parent, preserve_insertion_order=True) as base:
        columns = base.execute(f"DESCRIBE SELECT * FROM {sql_literal(grades)}").fetchall()  # noqa: S608
        cells = ", ".join(escape_formula_sql(name) if kind == "VARCHAR" else f'"{name}"' for name, kind, *_ in columns)
        base.execute(f"COPY (SELECT {cells} FROM {sql_literal(grades)}) TO {sql_literal(plain)} (FORMAT csv, HEADER)")  # noqa: S608
    with path.open("wb") as out, plain.open("rb") as rows:
        out.write(codecs.BOM_UTF8)
        shutil.copyfileobj(rows, out)
    plain.unlink()


_EMPTY_TABLE = (
    "NULL::BIGINT AS position, ''::VARCHAR AS sample, '' AS task, '' AS status, 0.0::DOUBLE AS score, "
    "'' AS source, '{}'::JSON AS values, 0.0::DOUBLE AS lenient_score, '' AS deviation WHERE false"
)


def _size(scores: ScoreBatch) -> int:
    """Roughly the bytes that a batch takes."""
    samples = scores.samples
    kept = (scores.kept_targets, scores.kept_replies)
    texts = sum(int(column.lengths().sum()) for column in kept if column is not None)
    each = 10_000 if scores.grades else 170 + 8 * len(scores.details)
    return len(samples) * each + 2 * texts


def _select_records(name: str, task: str, more: str = "") -> str:
    """The rows of a table of records as grades."""
    statuses = ", ".join(sql_literal(word) for word in STATUSES)
    return (
        f"SELECT position, sample, {sql_literal(task)} AS task, [{statuses}][status + 1] AS status, score, "  # noqa: S608
        "last_score, best_score, attempts::INTEGER AS attempts, weight, cluster, message, remark, source, "
        f"CAST(tags::JSON AS MAP(VARCHAR, VARCHAR)) AS tags, values::JSON AS values{more} FROM {name}"
    )


def _join_records(batches: Sequence[_Columns]) -> _Columns:
    """The records of a task, in the order of positions."""
    if any("sent_sizes" in batch for batch in batches):  # samples that were not sent have none
        batches = [{"sent_sizes": _texts([""] * len(batch["position"])), **batch} for batch in batches]
    order = np.argsort(np.concatenate([batch["position"] for batch in batches]), kind="stable")
    return {name: np.concatenate([batch[name] for batch in batches])[order] for name in batches[0]}


def _record_columns(scores: ScoreBatch) -> _Columns:
    """Grades as columns that DuckDB takes as they are."""
    grades = scores.grades
    numbers: _Columns = {
        "position": np.array([grade.position for grade in grades], np.int64),
        "status": np.array([STATUSES.index(grade.status) for grade in grades], np.uint8),
        "attempts": np.array([grade.attempts for grade in grades], np.int32),
        "repeat": np.array([grade.repeat for grade in grades], np.int32),
    }
    for name in ("score", "last_score", "best_score", "weight"):
        numbers[name] = np.array([getattr(grade, name) for grade in grades], np.float64)
    texts = {name: _texts([getattr(grade, name) for grade in grades]) for name in ("sample", "cluster", "source")}
    messages = {
        "message": _texts([english_text(grade.message) for grade in grades]),
        "remark": _texts([encode_remark(grade.message) for grade in grades]),
    }
    objects = {
        name: _texts([_encoder.encode(getattr(grade, name)).decode() for grade in grades])
        for name in ("tags", "values")
    }
    sizes = {"sent_sizes": _sent_sizes([scores])} if scores.sent_sizes else {}
    return {**numbers, **texts, **messages, **objects, **sizes}


def _select(name: str, batches: Sequence[ScoreBatch], columns: _Columns, more: str = "") -> str:
    """The rows of a table as grades; words that all rows share are written once."""
    samples = batches[0].samples
    task, level, file = (sql_literal(word) for word in (samples.task.name, samples.task.level, samples.file))
    reasons = _reasons(batches)
    messages = ", ".join(sql_literal(english_text(why)) for why in reasons)
    remarks = ", ".join(sql_literal(encode_remark(why)) for why in reasons)
    statuses = ", ".join(sql_literal(word) for word in STATUSES)
    deviations = ", ".join(sql_literal(word) for word in DEVIATIONS)
    values = [column for column in columns if column.startswith("value_")]
    packed = ", ".join(f'"{column[6:]}" := {_nan_to_null(column, columns[column])}' for column in values)
    called = f"{file} || ':' || line"
    sample = f"CASE WHEN sample = '' THEN {called} ELSE sample END" if "sample" in columns else called
    detail = ", truth, reply" if "truth" in columns else ""
    shared = "cluster" if "cluster" in columns else "source"
    return (
        f"SELECT position, {sample} AS sample, {task} AS task, [{statuses}][status + 1] AS status, score, "  # noqa: S608
        "score AS last_score, score AS best_score, 1::INTEGER AS attempts, "
        f"{'weight' if 'weight' in columns else '1.0::DOUBLE AS weight'}, "
        f"{shared} AS cluster, [{messages}][reason + 1] AS message, [{remarks}][reason + 1] AS remark, source, "
        f"MAP {{'level': {level}, 'file': {file}}} AS tags, "
        f"to_json(struct_pack({packed})) AS values, lenient_score, [{deviations}][deviation + 1] AS deviation"
        f"{detail}{more} FROM {name}"
    )


def _nan_to_null(name: str, column: NDArray[Any]) -> str:
    """SQL that writes NaN as NULL."""
    return f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END" if column.dtype.kind == "f" else name


def _reasons(batches: Sequence[ScoreBatch]) -> list[Explanation]:
    """All reasons of the batches, each once; remarks are distinguished by their encoded form."""
    return list({_reason_key(why): why for batch in batches for why in batch.reasons}.values())


def _reason_key(reason: Explanation) -> str:
    return encode_remark(reason) or str(reason)


def _columns(batches: Sequence[ScoreBatch]) -> _Columns:
    """The batches of a task and file as columns that DuckDB takes as they are."""
    numbers = {_reason_key(why): number for number, why in enumerate(_reasons(batches))}
    reasons = [
        np.array([numbers[_reason_key(why)] for why in batch.reasons])[batch.reason_indices] for batch in batches
    ]
    several = [batch.samples for batch in batches]
    columns: _Columns = {
        "position": np.concatenate([samples.positions for samples in several]),
        "line": np.concatenate([np.zeros(len(s), np.int64) if s.lines is None else s.lines for s in several]),
        "status": np.concatenate([batch.statuses for batch in batches]),
        "score": np.concatenate([batch.scores for batch in batches]),
        "reason": np.concatenate(reasons),
        "repeat": np.concatenate([_repeats(samples) for samples in several]),
        "lenient_score": np.concatenate(
            [batch.scores if batch.lenient_scores is None else batch.lenient_scores for batch in batches]
        ),
        "deviation": np.concatenate(
            [np.zeros(len(batch), np.uint8) if batch.deviations is None else batch.deviations for batch in batches]
        ),
        "source": _texts([source for samples in several for source in samples.sources]),
    }
    if any(samples.ids is not None for samples in several):
        columns["sample"] = _texts([samples.name(row) for samples in several for row in range(len(samples))])
    if any(samples.cluster_names is not None for samples in several):
        named = (name for samples in several for name in samples.cluster_names or samples.sources)
        columns["cluster"] = _texts(list(named))
    if any(samples.weights is not None for samples in several):
        weights = [np.ones(len(each)) if each.weights is None else each.weights for each in several]
        columns["weight"] = np.concatenate(weights)
    for name in dict.fromkeys(name for batch in batches for name in batch.details):
        found = (batch.details.get(name, np.full(len(batch), np.nan)) for batch in batches)
        columns[f"value_{name}"] = np.concatenate(list(found))
    columns["value_mis_scaled"] = np.concatenate(
        [np.zeros(len(batch), bool) if batch.off_scale is None else batch.off_scale for batch in batches]
    )
    if batches[0].kept_targets is not None:
        for name, kept in (("truth", "kept_targets"), ("reply", "kept_replies")):
            columns[name] = _texts([text[:LONGEST_DETAIL] for batch in batches for text in getattr(batch, kept)])
    if any(batch.sent_sizes for batch in batches):
        columns["sent_sizes"] = _sent_sizes(batches)
    return columns


def _repeats(samples: SampleBatch) -> NDArray[np.int32]:
    return np.ones(len(samples), np.int32) if samples.repeats is None else samples.repeats


def _texts(texts: list[str]) -> NDArray[np.object_]:
    column = np.empty(len(texts), dtype=object)
    column[:] = texts
    return column
