"""List of runs below a folder, and run names: `last`, `last~2` or any unique part of a folder's name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from difflib import SequenceMatcher
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from sightline.core.config import RunConfig
from sightline.core.errors import DataError
from sightline.core.records import Unit
from sightline.core.remarks import Remark
from sightline.core.run_paths import RunPaths
from sightline.data.json_decoding import JsonDecoder
from sightline.i18n import tr

T = TypeVar("T")
DAMAGED = Remark("damaged").text
"""Status of a run whose manifest.json cannot be read."""
HOW_TO_START = Remark(
    "Start one: sightline run SUITE --data DIR --model NAME. The runs of sightline demo are in sightline-demo/runs."
).text


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


def list_runs(root: Path) -> list[RunRow]:
    """One row per run below a folder, the newest last."""
    return [_row(path, root, manifest) for path, manifest in _sorted_manifests(root)]


def _sorted_manifests(root: Path) -> list[tuple[Path, _Manifest | str]]:
    """Run folders by their start, the latest last, with their manifests, or the reason why one cannot be read."""
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


_LAST = re.compile(r"last(?:~(\d{1,9}))?")
_MOST_LISTED = 10
_LEAST_SIMILARITY = 0.5


def runs_folder() -> Path:
    """The folder that holds the run folders: SIGHTLINE_OUTPUT_DIR, or `runs`."""
    return Path(os.environ.get("SIGHTLINE_OUTPUT_DIR") or RunConfig().output_dir)


def resolve_run(name: str | Path, folder: Path | None = None) -> Path:
    """The run folder that a path or a name stands for.

    A path to a run, or to a folder of runs, is taken as it is. `last` is the run that was started last, `last~1` the
    one before it; otherwise the one run whose name contains the text. Names are looked up below `folder` (by default
    `runs_folder()`); `DIR/last` and `DIR/PART` are looked up below DIR.
    """
    path = Path(name)
    if _holds_runs(path) or not path.as_posix().strip("./"):
        return path
    root, text = folder or runs_folder(), path.as_posix()
    if path.name != text and path.parent.is_dir():
        root, text = path.parent, path.name
    if match := _LAST.fullmatch(text):
        return _nth_last(root, text, int(match[1] or 0))
    found = {run_name(run, root): run for run in find_run_folders(root)}
    if text in found:
        return found[text]
    matches = [known for known in found if text.casefold() in known.casefold()]
    if len(matches) == 1:
        return found[matches[0]]
    if path.exists():  # an error message when it is opened says what is missing
        return path
    if matches:
        raise _ambiguous(root, text, matches)
    raise _unknown(root, text, list(found))


def _holds_runs(path: Path) -> bool:
    """Whether a path is a run folder, or a folder with runs directly inside."""
    try:
        return (path / "manifest.json").exists() or next(path.glob("*/manifest.json"), None) is not None
    except (OSError, ValueError):
        return False


def _nth_last(root: Path, text: str, back: int) -> Path:
    runs = [path for path, _ in _sorted_manifests(root)]
    if not runs:
        raise DataError("There are no runs in {folder}.", hint=HOW_TO_START, folder=root)
    if back >= len(runs):
        raise DataError(
            "No run {name}: {folder} contains {count} runs.",
            hint="List the runs: sightline list {folder}",
            name=text,
            folder=root,
            count=len(runs),
        )
    return runs[-1 - back]


def _ambiguous(root: Path, text: str, matches: list[str]) -> DataError:
    listed = [f"- {match}" for match in sorted(matches)[-_MOST_LISTED:]]
    if len(matches) > _MOST_LISTED:
        listed.insert(0, "- …")
    return DataError(
        "'{name}' matches {count} runs in {folder}:\n{listed}",
        hint="Give a longer part of the name.",
        name=text,
        count=len(matches),
        folder=root,
        listed="\n".join(listed),
    )


def _unknown(root: Path, text: str, known: list[str]) -> DataError:
    if not known:
        return DataError(
            "No run matches '{name}': there are no runs in {folder}.",
            hint=HOW_TO_START,
            name=text,
            folder=root,
        )
    near = nearest_run(text, known)
    return DataError(
        "No run in {folder} matches '{name}'. Did you mean '{near}'?"
        if near
        else "No run in {folder} matches '{name}'.",
        hint="List the runs: sightline list {folder}",
        name=text,
        folder=root,
        near=near,
    )


def nearest_run(text: str, known: list[str]) -> str:
    """The run whose name, or a part of it between underscores or hyphens, is most similar; empty where none is."""
    wanted = text.casefold()

    def similarity(name: str) -> float:
        whole = name.casefold()
        pieces = {whole, whole.partition("_")[2], *whole.split("_"), *re.split("[_-]", whole)}
        return max(SequenceMatcher(None, wanted, piece).ratio() for piece in pieces)

    # of equally similar names the newest: names begin with the time
    score, name = max(((similarity(name), name) for name in known), default=(0.0, ""))
    return name if score >= _LEAST_SIMILARITY else ""
