"""Import of foreign files into annotation and output files, or into a reply file of a suite."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct

from sightline.core.atomic_io import write_json
from sightline.core.errors import DataError, UsageError
from sightline.core.registry import find, names, unknown
from sightline.core.remarks import Remark
from sightline.interop.importer import (
    Importer,
    ImportFaults,
    ImportOptions,
    Row,
    known_tasks,
    read_field_mapping,
    replace_surrogates,
)
from sightline.interop.readers import content_name
from sightline.runs.folder import slugify

_PARTIAL_SUFFIX = ".part"
_encoder = msgspec.json.Encoder()


def _encode(record: dict[str, Any]) -> bytes:
    """Encode one JSON line; lone surrogates, which UTF-8 cannot encode, become question marks."""
    try:
        return _encoder.encode(record)
    except UnicodeEncodeError:
        return _encoder.encode({key: _replace_surrogates(value) for key, value in record.items()})


def _replace_surrogates(value: Any) -> Any:
    if isinstance(value, tuple):
        return [replace_surrogates(text) for text in value]
    return replace_surrogates(value) if isinstance(value, str) else value


class AnnotationWriter:
    """Writes `anno/NAME.txt` and `output/NAME_output.txt`, under temporary names until complete."""

    def __init__(self, out: Path, name: str, keeps_pictures: bool) -> None:
        self._out = out
        self._name = name
        self._pictures = out / "images" if keeps_pictures else None
        self._created: list[Path] = []
        self._open: dict[str, IO[bytes]] = {}
        self._sheet: str | None = None
        self.samples = self.replies = 0

    def write(self, row: Row) -> None:
        """Write the target and the reply of a row."""
        if row.sheet != self._sheet:
            self._close_files()
            self._sheet = row.sheet
        if row.truth is not None:
            self.samples += 1
            self._file("anno", "").write(_encode(self._annotation(row)) + b"\n")
        if row.reply is not None:
            self.replies += 1
            output = {"sample_id": row.id, "task": row.task, "model_output": row.reply, "source": row.source}
            self._file("output", "_output").write(_encode(output) + b"\n")

    def finish(self) -> None:
        """Close all files and give them their final names."""
        self._close_files()
        for path in self._created:
            path.with_name(path.name + _PARTIAL_SUFFIX).replace(path)

    def discard(self) -> None:
        """Delete unfinished files."""
        self._close_files()
        for path in self._created:
            path.with_name(path.name + _PARTIAL_SUFFIX).unlink(missing_ok=True)
            with suppress(OSError):
                path.parent.rmdir()  # fails if it is not empty

    def _annotation(self, row: Row) -> dict[str, Any]:
        names = [content_name(data) for data in row.pictures]
        if self._pictures is not None:
            for name, data in zip(names, row.pictures, strict=True):
                self._pictures.mkdir(exist_ok=True)
                (self._pictures / name).write_bytes(data)
            names = [f"images/{name}" for name in names]
        record: dict[str, Any] = {"sample_id": row.id, "task": row.task, "gt": row.truth}
        record |= {"source": row.source or ",".join(names), "prompt": row.question}
        if row.size is not None:
            record["width"], record["height"] = row.size
        if row.pictures:
            record["frames"] = [base64.b64encode(data).decode() for data in row.pictures]
        return record

    def _file(self, folder: str, suffix: str) -> IO[bytes]:
        if folder not in self._open:
            path = self._out / folder / f"{slugify(self._sheet or self._name)}{suffix}.txt"
            is_reopened = path in self._created
            if not is_reopened:
                path.parent.mkdir(exist_ok=True)
                self._created.append(path)
            self._open[folder] = path.with_name(path.name + _PARTIAL_SUFFIX).open("ab" if is_reopened else "wb")
        return self._open[folder]

    def _close_files(self) -> None:
        for file in self._open.values():
            file.close()
        self._open.clear()


class ReplyWriter:
    """Writes `replies.jsonl`: one reply per line, by sample id of a suite."""

    def __init__(self, out: Path) -> None:
        self._path = out / "replies.jsonl"
        self._part = self._path.with_suffix(_PARTIAL_SUFFIX)
        self._file = self._part.open("wb")
        self.samples = self.replies = 0

    def write(self, row: Row) -> None:
        """Write the reply of a row, if it has one."""
        if row.reply is not None:
            self.replies += 1
            self._file.write(_encode({"sample_id": row.id, "model_output": row.reply}) + b"\n")

    def finish(self) -> None:
        """Close the file and give it its final name."""
        self._file.close()
        self._part.replace(self._path)

    def discard(self) -> None:
        """Delete the unfinished file."""
        self._file.close()
        self._part.unlink(missing_ok=True)


LOG = "import_log.txt"


class ImportRequest(Struct, frozen=True, kw_only=True):
    """Parameters of an import."""

    format: str
    source: Path
    out: Path
    task: str = ""
    field_mapping: Sequence[str] = ()
    images: Path | None = None
    results: Path | None = None
    frames: bool = True
    suite: str = ""
    """With `data`: import only the replies, which belong to samples of this suite."""
    data: str = ""


class ImportResult(Struct, frozen=True, kw_only=True):
    """Counts, faults and notes of an import."""

    samples: int
    replies: int
    faults: int
    first: tuple[tuple[str, Remark], ...]
    notes: tuple[Remark, ...]
    command: str
    """The next command to run."""


def import_files(request: ImportRequest, watch: Callable[[int], None] = lambda count: None) -> ImportResult:
    """Import a foreign source into `request.out`; `watch` receives the number of rows so far."""
    kind: type[Importer] = find("importers", request.format)
    task = _validate_request(request)
    with _new_folder(request.out):
        return _run_import(request, kind, task, watch)


def _run_import(request: ImportRequest, kind: type[Importer], task: str, watch: Callable[[int], None]) -> ImportResult:
    faults = ImportFaults(request.out / LOG)
    options = ImportOptions(
        scratch=request.out,
        task=task,
        fields=read_field_mapping(request.field_mapping),
        images=request.images,
        results=request.results,
        frames=request.frames and not request.suite,
    )
    importer = kind(options, faults)
    importer.watch = watch
    out = (
        ReplyWriter(request.out)
        if request.suite
        else AnnotationWriter(request.out, request.source.stem, kind.keeps_pictures)
    )
    try:
        _copy(importer, request, out, watch)
        out.finish()
    finally:
        out.discard()
        faults.close()
    own_tasks = dict(importer.tasks()) if not request.suite else {}
    if own_tasks:
        write_json(request.out / "tasks.json", own_tasks)
    return ImportResult(
        samples=out.samples,
        replies=out.replies,
        faults=faults.count,
        first=tuple(faults.first),
        notes=tuple(faults.notes()),
        command=_next_command(request, out, bool(own_tasks)),
    )


def _copy(importer: Importer, request: ImportRequest, out: Any, watch: Callable[[int], None]) -> None:
    number = 0
    for number, row in enumerate(importer.rows(request.source), 1):
        if not row.task and row.truth is not None and not request.suite:
            raise _no_task()
        out.write(row)
        watch(number)
    if not number:
        raise DataError(
            "{path} contains no row that could be imported.",
            hint="See {log} for the reasons; map columns with --field-mapping theirs=ours.",
            path=request.source,
            log=request.out / LOG,
        )


def _validate_request(request: ImportRequest) -> str:
    """Validate the request before a folder is created; returns the canonical task name."""
    for path in (request.source, request.images, request.results):
        if path is not None and not path.exists():
            raise DataError("{path} does not exist.", path=path)
    if request.suite and request.suite not in names("suites"):
        raise unknown("suite", request.suite, names("suites"))
    return known_tasks().find(request.task).name if request.task and not request.suite else ""


def _no_task() -> UsageError:
    listed = ", ".join(task.title or task.name for task in known_tasks())
    return UsageError("The rows name no task: use --task.", hint="Known: {listed}", listed=listed)


@contextmanager
def _new_folder(out: Path) -> Iterator[None]:
    """Create the output folder; it is removed again if the import fails and leaves no file in it."""
    existed = out.exists()
    _create_folder(out)
    try:
        yield
    except BaseException:
        with suppress(OSError):
            if not existed:
                out.rmdir()
        raise


def _create_folder(out: Path) -> None:
    # a failed import leaves only its log
    if out.exists() and (not out.is_dir() or any(path.name != LOG for path in out.iterdir())):
        raise UsageError("{folder} already exists and is not empty.", hint="Choose a new folder.", folder=out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError("Cannot create the folder {path}: {why}", path=out, why=error.strerror) from None


def _next_command(request: ImportRequest, out: Any, own_tasks: bool) -> str:
    """Build the command line that uses the written files."""
    if request.suite:
        words = ["score", "--suite", request.suite, "--data", request.data or "DIR"]
        words += ["--replies", str(request.out / "replies.jsonl")]
    elif out.replies:
        model = slugify((request.results or request.source).stem)  # the name of the model in reports
        words = ["score", "--anno-path", str(request.out / "anno")]
        words += ["--model-result-path", f"{model}={request.out / 'output'}"]
    else:
        from sightline.scoring.files.suite_lookup import column_suite_names

        suite = column_suite_names()[0]
        words = ["run", suite, "--data", str(request.out), "--model", "MODEL"]
    if own_tasks:
        words += ["--task-config", str(request.out / "tasks.json")]
    return shlex.join(["sightline", *words])
