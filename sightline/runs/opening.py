"""Run resumption: the earlier run of the same command is found again by its key, or a new folder is made.

The key covers the data set's fingerprint. Where an earlier run has another key only because the data set has changed,
or can't be recognised because its manifest can't be read, that is told before a new run asks, and pays, from the start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from sightline.core.errors import DataError, SightlineError
from sightline.core.records import Remark
from sightline.data.fingerprint import VERSION
from sightline.inference.sharing.lock import lock_folder
from sightline.runs.folder import RunFolder, make_folder, slug
from sightline.runs.manifest import Manifest

CHANGED = Remark(
    "The data set has changed since the run {run}, where {count} samples have an answer; a new run is started."
).text
UNREADABLE = Remark(
    "{path} can't be read, so that its run can't go on; a new one is started. Restore the file from a copy and start "
    "again, or move its folder away. ({why})"
).text


class Command(Struct, frozen=True):
    """What a command asks, whatever the data set's fingerprint: enough to know its earlier runs."""

    key_with: Callable[[str], str]
    """The key of a run of this command on data with a fingerprint."""
    fingerprint_by: Callable[[int], str]
    """The fingerprint of the data set as it is now, by the rule of a version."""


class OpenedFolder(Struct, frozen=True):
    """A run folder that is about to be asked in."""

    folder: RunFolder
    before: Manifest | None = None
    """The manifest of the run of the same command that was found; None: the folder is new."""
    warnings: tuple[Remark, ...] = ()
    """Why a new run is started although somebody may expect that an earlier one goes on."""


def open_folder(output_dir: Path, manifest: Manifest, command: Command | None) -> OpenedFolder:
    """The newest run of the same command, finished or not, or a new folder; without a command always a new one."""
    name = f"{slug(manifest.suite)}_{slug(manifest.model)}"
    with suppress(OSError):  # told below
        output_dir.mkdir(parents=True, exist_ok=True)
    with lock_folder(output_dir):  # of several that start together, one makes the folder and the others find it
        warnings: list[Remark] = []
        if command is not None:
            candidates = _Candidates(output_dir, name, manifest, command)
            if (found := candidates.same()) is not None:
                return OpenedFolder(*found)
            warnings = [*candidates.warnings()]
            manifest.facts = [*manifest.facts, *warnings]
        return OpenedFolder(make_folder(output_dir, name, manifest), None, tuple(warnings))


def warnings_of(manifest: Manifest) -> list[Remark]:
    """What was told when a run was started; a later start of it keeps this."""
    return [fact for fact in manifest.facts if fact.text in (CHANGED, UNREADABLE)]


class _Candidates:
    """The folders that may hold an earlier run of a command, newest first."""

    def __init__(self, output_dir: Path, name: str, manifest: Manifest, command: Command) -> None:
        self._manifest, self._command = manifest, command
        self._readable: list[tuple[RunFolder, Manifest]] = []
        self._unreadable: list[tuple[RunFolder, SightlineError]] = []
        named = re.compile(rf"\d{{8}}-\d{{6}}_{re.escape(name)}(_\d+)?")
        for path in sorted(output_dir.glob(f"*_{name}*"), reverse=True):
            folder = RunFolder(path)
            try:
                self._readable.append((folder, folder.load()))
            except DataError as error:
                if folder.manifest.exists() and named.fullmatch(path.name):
                    self._unreadable.append((folder, error))

    def same(self) -> tuple[RunFolder, Manifest] | None:
        """The newest run of the very same command on the very same data."""
        return next((one for one in self._readable if self._is_same(one[1])), None)

    def _is_same(self, before: Manifest) -> bool:
        if before.key == self._manifest.key:
            return True
        version = before.data_fingerprint_version
        if version >= VERSION or not self._has_our_key(before):
            return False
        return self._command.fingerprint_by(version) == before.data_sha256

    def _has_our_key(self, before: Manifest) -> bool:
        """Whether it is a run of the same command but for the data."""
        return self._command.key_with(before.data_sha256) == before.key

    def warnings(self) -> Iterator[Remark]:
        """The newest run on the data set as it was before it changed, and all runs that can't be recognised."""
        for folder, before in self._readable:
            is_ours = self._has_our_key(before) and _same_place(before.data, self._manifest.data)
            if is_ours and before.data_fingerprint_version <= VERSION:
                from sightline.inference.journal.reader import count_answered

                yield Remark(CHANGED, {"run": str(folder.path), "count": count_answered(folder.journal)})
                break
        for folder, error in self._unreadable:
            why = str(error.facts.get("why", error))
            yield Remark(UNREADABLE, {"path": str(folder.manifest), "why": why})


def _same_place(one: str, other: str) -> bool:
    return one == other or Path(one).resolve() == Path(other).resolve()
