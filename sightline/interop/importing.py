"""An import from source to the command that scores it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from sightline.core.atomic_io import write_json
from sightline.core.errors import DataError, UsageError
from sightline.core.records import Remark
from sightline.core.registry import find, names, unknown
from sightline.interop.faults import Faults
from sightline.interop.fields import read_mapping
from sightline.interop.rows import Importer, Wishes
from sightline.interop.tasks import known_tasks
from sightline.interop.writing import ReplyFile, Sheets
from sightline.runs.folder import slugify

LOG = "import_log.txt"


class ImportRequest(Struct, frozen=True, kw_only=True):
    """What is to be read, and how it is to be understood."""

    format: str
    source: Path
    out: Path
    task: str = ""
    field_mapping: Sequence[str] = ()
    images: Path | None = None
    results: Path | None = None
    frames: bool = True
    suite: str = ""
    """With `data`: the replies belong to this suite's samples, and only they are taken over."""
    data: str = ""


class Imported(Struct, frozen=True, kw_only=True):
    """What came of it."""

    samples: int
    replies: int
    faults: int
    first: tuple[tuple[str, Remark], ...]
    notes: tuple[Remark, ...]
    command: str
    """What to run next."""


def import_files(request: ImportRequest, watch: Callable[[int], None] = lambda count: None) -> Imported:
    """Read a foreign source into `request.out`; `watch` is told how many rows are through."""
    kind: type[Importer] = find("importers", request.format)
    task = _checked(request, kind)
    with _new_folder(request.out):
        return _imported(request, kind, task, watch)


def _imported(request: ImportRequest, kind: type[Importer], task: str, watch: Callable[[int], None]) -> Imported:
    faults = Faults(request.out / LOG)
    wishes = Wishes(
        scratch=request.out,
        task=task,
        fields=read_mapping(request.field_mapping),
        images=request.images,
        results=request.results,
        frames=request.frames and not request.suite,
    )
    importer = kind(wishes, faults)
    importer.watch = watch
    out = ReplyFile(request.out) if request.suite else Sheets(request.out, request.source.stem, kind.keeps_pictures)
    try:
        _copy(importer, request, out, watch)
        out.finish()
    finally:
        out.abandon()
        faults.close()
    own = dict(importer.tasks()) if not request.suite else {}
    if own:
        write_json(request.out / "tasks.json", own)
    return Imported(
        samples=out.samples,
        replies=out.replies,
        faults=faults.count,
        first=tuple(faults.first),
        notes=tuple(faults.notes()),
        command=_next(request, out, bool(own)),
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
            "{path} holds no row that could be taken over.",
            hint="See {log} for the reasons, and name columns by --field-mapping theirs=ours.",
            path=request.source,
            log=request.out / LOG,
        )


def _checked(request: ImportRequest, kind: type[Importer]) -> str:
    """The task's own name; everything that is plainly wrong is told before a folder is made."""
    for path in (request.source, request.images, request.results):
        if path is not None and not path.exists():
            raise DataError("There is no {path}.", path=path)
    if request.suite:
        if request.suite not in names("suites"):
            raise unknown("suite", request.suite, names("suites"))
        return ""
    if request.task:
        return known_tasks().find(request.task).name
    return ""


def _no_task() -> UsageError:
    listed = ", ".join(task.title or task.name for task in known_tasks())
    return UsageError("Which task do these rows belong to? Give --task.", hint="Known: {listed}", listed=listed)


@contextmanager
def _new_folder(out: Path) -> Iterator[None]:
    """The folder to write to; one that was made here goes again where an import leaves not even a log in it."""
    is_there = out.exists()
    _make(out)
    try:
        yield
    except BaseException:
        with suppress(OSError):
            if not is_there:
                out.rmdir()
        raise


def _make(out: Path) -> None:
    # a log alone is what an import leaves that came to nothing
    if out.exists() and (not out.is_dir() or any(path.name != LOG for path in out.iterdir())):
        raise UsageError("{folder} is there already and not empty.", hint="Name a new folder.", folder=out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError("Can't make the folder {path}: {why}", path=out, why=error.strerror) from None


def _next(request: ImportRequest, out: Any, own_tasks: bool) -> str:
    """The command that uses what was written."""
    if request.suite:
        words = ["score", "--suite", request.suite, "--data", request.data or "DIR"]
        words += ["--replies", str(request.out / "replies.jsonl")]
    elif out.replies:
        words = ["score", "--anno-path", str(request.out / "anno")]
        # reports call the model by this name
        words += [
            "--model-result-path",
            f"{slugify((request.results or request.source).stem)}={request.out / 'output'}",
        ]
    else:
        from sightline.scoring.files.suite_lookup import column_suite_names

        suite = column_suite_names()[0]
        words = ["run", suite, "--data", str(request.out), "--model", "MODEL"]
    if own_tasks:
        words += ["--task-config", str(request.out / "tasks.json")]
    return shlex.join(["sightline", *words])
