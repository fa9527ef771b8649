"""List of runs below a folder: one row per run folder, from manifest.json and report.json alone.

Both files are decoded into records of the few fields that a row needs, so that a thousand runs take a fraction of a
second. A damaged file makes a row that says so; it never hides the other runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from sightline.core.records import Remark, Unit
from sightline.core.run_paths import RunPaths
from sightline.data.json_decoding import JsonDecoder
from sightline.i18n import tr

T = TypeVar("T")
DAMAGED = Remark("damaged").text
"""Status of a run whose manifest.json cannot be read."""


class RunRow(Struct, frozen=True, kw_only=True):
    """One run in the list."""

    name: str
    """Path of the run folder below the folder that was listed, with forward slashes."""
    folder: str
    suite: str = ""
    model: str = ""
    samples: int | None = None
    metric: str = ""
    """The headline metric."""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    unit: Unit = "share"
    status: str = ""
    """`running`, `partial`, `finished`, or `damaged` where manifest.json cannot be read."""
    graded: bool = False
    """Whether there is a report.json that can be read."""
    started: str = ""
    problem: str = ""
    """Which file cannot be read, and why."""


class _Manifest(Struct):
    suite: str
    model: str
    state: str = ""
    started: str = ""


class _Estimate(Struct):
    value: float | None = None
    low: float | None = None
    high: float | None = None


class _Figure(Struct):
    scope: str
    metric: str
    estimate: _Estimate
    unit: Unit = "share"


class _Report(Struct):
    headline: str = ""
    samples: int = 0
    rows: list[_Figure] = []


class _ReadError(Exception):
    """A file of a run cannot be read."""


_manifests = JsonDecoder[_Manifest](_Manifest)
_reports = JsonDecoder[_Report](_Report)


def find_run_folders(root: Path) -> Iterator[Path]:
    """Run folders directly below a folder, or one level deeper where several models were scored together."""
    for path in _subfolders(root):
        if (path / "manifest.json").exists():
            yield path
        else:
            yield from (inner for inner in _subfolders(path) if (inner / "manifest.json").exists())


def run_name(path: Path, root: Path) -> str:
    """What a run is called below a folder: its relative path with forward slashes."""
    return path.relative_to(root).as_posix()


def sort_by_start(root: Path) -> list[Path]:
    """All run folders, the one that was started last at the end; reads manifest.json only."""
    return [path for path, _ in _sorted_manifests(root)]


def list_runs(root: Path) -> list[RunRow]:
    """One row per run below a folder, the newest last."""
    return [_row(path, root, manifest) for path, manifest in _sorted_manifests(root)]


def _sorted_manifests(root: Path) -> list[tuple[Path, _Manifest | str]]:
    """Run folders with their manifests, or with the reason why one cannot be read."""
    found = [(path, _load(path / "manifest.json", _manifests.decode)) for path in find_run_folders(root)]
    return sorted(found, key=lambda pair: _start_key(*pair))


def _start_key(path: Path, manifest: _Manifest | str) -> tuple[float, int, str]:
    """When a run was started; within the same second, when its manifest was written."""
    try:
        written = (path / "manifest.json").stat().st_mtime_ns
    except OSError:
        written = 0
    started = "" if isinstance(manifest, str) else manifest.started
    return _seconds(started, written), written, path.name


def _seconds(started: str, written: int) -> float:
    try:
        return datetime.fromisoformat(started).timestamp()
    except (ValueError, OverflowError, OSError):
        return written // 10**9


def _row(path: Path, root: Path, manifest: _Manifest | str) -> RunRow:
    name, folder = run_name(path, root), str(path)
    if isinstance(manifest, str):
        return RunRow(name=name, folder=folder, status=DAMAGED, problem=manifest)
    about = RunRow(
        name=name,
        folder=folder,
        suite=manifest.suite,
        model=manifest.model,
        status=manifest.state,
        started=manifest.started,
    )
    report_json = RunPaths(path).report_json
    if not report_json.exists():
        return about
    report = _load(report_json, _reports.decode)
    if isinstance(report, str):
        return msgspec.structs.replace(about, problem=report)
    head = next((row for row in report.rows if row.scope == "overall" and row.metric == report.headline), None)
    score = head.estimate if head is not None else _Estimate()
    return msgspec.structs.replace(
        about,
        samples=report.samples,
        metric=report.headline,
        value=score.value,
        low=score.low,
        high=score.high,
        unit=head.unit if head is not None else "share",
        graded=True,
    )


def _load(path: Path, decode: Callable[[bytes], T]) -> T | str:
    """The record in a file, or why it cannot be read."""
    try:
        if not path.is_file():  # a pipe would be waited for
            raise _ReadError(tr("not a regular file"))
        return decode(path.read_bytes())
    except OSError as error:
        reason = error.strerror or str(error)
    except (msgspec.DecodeError, _ReadError) as error:
        reason = str(error)
    return tr("{file} cannot be read: {reason}", file=path.name, reason=reason)


def _subfolders(root: Path) -> list[Path]:
    """Folders inside a folder, without hidden ones; links to folders count."""
    try:
        with os.scandir(root) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir() and not entry.name.startswith("."))
    except OSError:
        return []
