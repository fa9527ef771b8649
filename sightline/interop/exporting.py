"""Exporter interface, and access to a graded run: manifest, summary and grades."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from sightline.core.errors import DataError, UsageError
from sightline.core.interfaces import Suite
from sightline.core.legacy import upgrade_grades
from sightline.core.records import Answer, Sample, Text
from sightline.core.registry import find
from sightline.core.remarks import Remark
from sightline.inference.journal import JournalReader
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest, load_recorded_suite
from sightline.scoring.grades.duckdb_files import connect_duckdb
from sightline.scoring.summary import Summary, load_summary


def first_prompt_text(suite: Suite, sample: Sample) -> str:
    """Return the text of the first prompt without media; the sample's id if it has none."""
    prompt = suite.next_prompt(sample, [])
    parts = [part for message in prompt.messages for part in message.parts] if prompt is not None else []
    return "\n\n".join(part.text for part in parts if isinstance(part, Text)) or sample.question or sample.id


BATCH = 500
_JSON_COLUMNS = "to_json(tags)::VARCHAR AS tags, values::VARCHAR AS values"


class GradedSample(Struct, frozen=True, kw_only=True):
    """A row of the grades table, with the replies if they were kept."""

    position: int
    sample: str
    task: str
    status: str
    score: float
    cluster: str
    message: str
    source: str
    weight: float
    attempts: int
    tags: dict[str, Any]
    values: dict[str, Any]
    truth: str | None = None
    repeat: int = 1
    answers: tuple[str, ...] | None = None
    """Replies of the first attempt by turn; None if they were not kept."""

    @property
    def reply(self) -> str | None:
        """The reply of the last turn."""
        return self.answers[-1] if self.answers else None


class ExportSource:
    """A graded run as seen by an exporter."""

    def __init__(self, path: Path, suite: Suite | None = None) -> None:
        """`suite` is that of the run where it is at hand; else it is made from what the run folder recorded."""
        self.folder = RunFolder(path)
        self._suite = suite
        self.manifest: Manifest = self.folder.load_manifest()
        self.summary: Summary = load_summary(self.folder.report_json)
        if not self.folder.grades.is_file():
            raise DataError("{folder} has no grades.parquet.", hint="Grade it: sightline regrade {folder}", folder=path)

    def suite(self) -> Suite:
        """The run's suite; from a run folder with its recorded options."""
        if self._suite is not None:
            return self._suite
        suite = load_recorded_suite(self.manifest)
        suite.tasks()  # untrusted code is refused before anything is read
        return suite

    def grades(self) -> Iterator[GradedSample]:
        """Yield all grades in dataset order."""
        import duckdb

        history = JournalReader(self.folder.journal) if self.folder.journal.is_file() else None
        try:
            with connect_duckdb(self.folder.path, preserve_insertion_order=True) as base:
                source, path = "read_parquet(?)", [str(self.folder.grades)]
                columns = base.execute(f"SELECT * FROM {source} LIMIT 0", path).description  # noqa: S608  # fixed words
                names = [column[0] for column in columns]
                table, order = upgrade_grades(source, names), ", repeat" if "repeat" in names else ""
                cursor = base.execute(
                    f"SELECT * EXCLUDE (tags, values), {_JSON_COLUMNS} FROM {table} ORDER BY position{order}",  # noqa: S608
                    path,
                )
                head = [column[0] for column in cursor.description]
                while rows := cursor.fetchmany(BATCH):
                    for row in rows:
                        yield _graded_sample(dict(zip(head, row, strict=True)), history)
        except duckdb.Error as error:
            raise DataError("Cannot read {path}: {why}", path=self.folder.grades, why=error) from None
        finally:
            if history is not None:
                history.close()
            with suppress(OSError):
                (self.folder.path / ".duckdb").rmdir()


def _graded_sample(row: dict[str, Any], history: JournalReader | None) -> GradedSample:
    answers: tuple[str, ...] | None = None
    if history is not None:
        attempts = history.attempts(row["position"], row["sample"], row.get("repeat", 1))
        answers = tuple(answer.text for answer in attempts[0].answers if isinstance(answer, Answer)) if attempts else ()
    elif row.get("reply") is not None:
        answers = (row["reply"],)
    decoded = {name: msgspec.json.decode(row[name] or "{}") or {} for name in ("tags", "values")}
    columns = {field.name: row[field.name] for field in msgspec.structs.fields(GradedSample) if field.name in row}
    return GradedSample(**{**columns, **decoded, "answers": answers})


class Exporter(ABC):
    """Base class of exporters; writes one foreign format."""

    title: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    """Accepted file name suffixes."""
    writes_folder: ClassVar[bool] = False
    """Whether it writes several files into a folder."""

    @abstractmethod
    def write(self, run: ExportSource, out: Path) -> list[Remark]:
        """Write the run to `out`; returns remarks on what could not be exported."""


def export_run(format: str, run: Path, out: Path, suite: Suite | None = None) -> list[Remark]:
    """Export a run folder, or the output folder of `sightline score`, in a registered format.

    `suite` is that of the run where it is at hand.
    """
    exporter: Exporter = find("exporters", format)()
    if out.suffix.lower() not in exporter.suffixes:
        raise UsageError(
            "Unsupported file name suffix: {path}. This format uses {suffixes}.",
            suffixes=", ".join(exporter.suffixes),
            path=out,
        )
    source = ExportSource(run, suite)
    try:
        if exporter.writes_folder:
            return _write_folder(exporter, source, out)
        partial = out.with_name(out.name + ".part")
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            remarks = exporter.write(source, partial)
            partial.replace(out)
        finally:
            partial.unlink(missing_ok=True)
        return remarks
    except OSError as error:
        raise UsageError("Cannot write {path}: {why}", path=out, why=error.strerror or error) from None


def _write_folder(exporter: Exporter, source: ExportSource, out: Path) -> list[Remark]:
    """Write files into a folder, which they enter when all of them are complete."""
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".export-", dir=out) as temporary:
        remarks = exporter.write(source, Path(temporary))
        for path in sorted(path for path in Path(temporary).rglob("*") if path.is_file()):
            target = out / path.relative_to(temporary)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
    return remarks
