"""Where the things of a run are."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from sightline.errors import JournalError, SightlineError
from sightline.runs.lock import one_at_a_time
from sightline.runs.manifest import Manifest, load_manifest


class RunFolder:
    """A folder `<time>_<suite>_<model>` and the names inside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = path / "manifest.json"
        self.journal = path / "journal.jsonl"
        self.lock = path / ".lock"
        self.batches = path / "batches"
        self.grades = path / "grades.parquet"
        self.report_json = path / "report.json"
        self.report_csv = path / "report.csv"
        self.errors = path / "error_log.txt"
        self.invalid = path / "invalid_sample_log.txt"
        self.report_html = path / "report.html"
        self.report_md = path / "report.md"

    def load(self) -> Manifest:
        """The manifest."""
        return load_manifest(self.manifest)


def open_folder(output_dir: Path, manifest: Manifest, fresh: bool) -> tuple[RunFolder, bool]:
    """The unfinished run of the same command and True, or a new folder and False.

    Who joins finds a finished one too: a latecomer must not ask everything anew.
    """
    name = f"{slug(manifest.suite)}_{slug(manifest.model)}"
    joins = bool(manifest.config.get("join"))
    with suppress(OSError):  # told below
        output_dir.mkdir(parents=True, exist_ok=True)
    with one_at_a_time(output_dir):  # of several that start together, one makes the folder and the others find it
        if not fresh and (found := _of_same_command(output_dir, name, manifest.key, finished=joins)):
            return found, True
        return _make(output_dir, name, manifest), False


def _make(output_dir: Path, name: str, manifest: Manifest) -> RunFolder:
    time = datetime.now().strftime("%Y%m%d-%H%M%S")
    for number in range(1, 1000):
        path = output_dir / (f"{time}_{name}" + (f"_{number}" if number > 1 else ""))
        try:
            path.mkdir(parents=True)
            manifest.save(path / "manifest.json")
        except FileExistsError:
            if output_dir.is_file():
                break
            continue
        except OSError as error:
            raise JournalError("Can't make the folder {path}: {why}", path=path, why=error.strerror) from None
        return RunFolder(path)
    raise JournalError("Can't make a run folder in {path}.", path=output_dir)


def _of_same_command(output_dir: Path, name: str, key: str, finished: bool) -> RunFolder | None:
    for path in sorted(output_dir.glob(f"*_{name}*"), reverse=True):
        folder = RunFolder(path)
        try:
            manifest = folder.load()
        except SightlineError:
            continue
        if manifest.key == key and (finished or manifest.state != "finished"):
            return folder
    return None


def slug(text: str) -> str:
    """The text as part of a file name that can't leave its folder."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-.")[:80] or "model"
