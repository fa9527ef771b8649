"""Run resumption: find an earlier run of the same command by its key, or create a new run folder.

The key covers the dataset's fingerprint. If an earlier run has another key only because the dataset has changed, or if
its manifest cannot be read, a warning is issued before a new run starts from scratch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from sightline.core.atomic_io import write_json
from sightline.core.errors import DataError, SightlineError, UsageError
from sightline.core.interfaces import Suite
from sightline.core.remarks import Remark
from sightline.data.fingerprint import VERSION, Fingerprint, FingerprintScope, describe_changes, fingerprint
from sightline.data.json_decoding import JsonDecoder
from sightline.i18n import tr
from sightline.inference.sharing import lock_folder
from sightline.runs.folder import RunFolder, create_run_folder, slugify
from sightline.runs.manifest import Manifest, recorded_repeats

DATA_CHANGED = Remark(
    "The data set has changed since run {run}, in which {count} samples are answered; starting a new run."
).text
MANIFEST_UNREADABLE = Remark(
    "{path} cannot be read, so its run cannot be resumed; starting a new one. Restore the file from a backup and rerun "
    "the command, or move the folder away. ({why})"
).text


class RunIdentity(Struct, frozen=True):
    """Identity of a command independent of the dataset's fingerprint, used to recognise its earlier runs."""

    key_for_data: Callable[[str], str]
    """Returns the run key for a dataset fingerprint."""
    fingerprint_for_version: Callable[[int], str]
    """Returns the current dataset's fingerprint by the algorithm of a given version."""


class OpenedRun(Struct, frozen=True):
    """A run folder opened for inference."""

    folder: RunFolder
    previous: Manifest | None = None
    """Manifest of the run that is resumed; None if the folder is new."""
    warnings: tuple[Remark, ...] = ()
    """Reasons why a new run is started although an earlier one may have been expected to resume."""


def open_run_folder(output_dir: Path, manifest: Manifest, identity: RunIdentity | None) -> OpenedRun:
    """Open the newest run of the same command, finished or not, or create a new folder (always, without a command)."""
    name = f"{slugify(manifest.suite)}_{slugify(manifest.model)}"
    with suppress(OSError):  # reported below
        output_dir.mkdir(parents=True, exist_ok=True)
    with lock_folder(output_dir):  # of several processes that start together, one creates the folder
        warnings: list[Remark] = []
        if identity is not None:
            candidates = _EarlierRuns(output_dir, name, manifest, identity)
            if (resumable := candidates.find_resumable()) is not None:
                if recorded_repeats(resumable[1]) > recorded_repeats(manifest):
                    raise _fewer_repeats_error(resumable[0], recorded_repeats(resumable[1]))
                return OpenedRun(*resumable)
            warnings = [*candidates.warnings()]
            manifest.facts = [*manifest.facts, *warnings]
        return OpenedRun(create_run_folder(output_dir, name, manifest), None, tuple(warnings))


def _fewer_repeats_error(folder: RunFolder, repeats: int) -> UsageError:
    return UsageError(
        "Run {folder} of this command asks every question {repeats} times.",
        hint="Resume it with --repeats {repeats}, or start a new run with --fresh.",
        folder=folder.path,
        repeats=repeats,
    )


def resume_warnings(manifest: Manifest) -> list[Remark]:
    """Warnings recorded when a run was started; kept when it is resumed."""
    return [fact for fact in manifest.facts if fact.text in (DATA_CHANGED, MANIFEST_UNREADABLE)]


class _EarlierRuns:
    """Folders that may hold an earlier run of a command, newest first."""

    def __init__(self, output_dir: Path, name: str, manifest: Manifest, identity: RunIdentity) -> None:
        self._manifest, self._identity = manifest, identity
        self._readable: list[tuple[RunFolder, Manifest]] = []
        self._unreadable: list[tuple[RunFolder, SightlineError]] = []
        pattern = re.compile(rf"\d{{8}}-\d{{6}}_{re.escape(name)}(_\d+)?")
        for path in sorted(output_dir.glob(f"*_{name}*"), reverse=True):
            folder = RunFolder(path)
            try:
                self._readable.append((folder, folder.load_manifest()))
            except DataError as error:
                if folder.manifest.exists() and pattern.fullmatch(path.name):
                    self._unreadable.append((folder, error))

    def find_resumable(self) -> tuple[RunFolder, Manifest] | None:
        """Find the newest run of the same command on the same data, first among those with no more repeats."""
        found = [run for run in self._readable if self._is_resumable(run[1])]
        repeats = recorded_repeats(self._manifest)
        return next((run for run in found if recorded_repeats(run[1]) <= repeats), next(iter(found), None))

    def _is_resumable(self, previous: Manifest) -> bool:
        if previous.key == self._manifest.key:
            return True
        version = previous.data_fingerprint_version
        if version >= VERSION or not self._has_same_key(previous):
            return False
        return self._identity.fingerprint_for_version(version) == previous.data_sha256

    def _has_same_key(self, previous: Manifest) -> bool:
        """Whether the run has the same command, apart from the data."""
        return self._identity.key_for_data(previous.data_sha256) == previous.key

    def warnings(self) -> Iterator[Remark]:
        """Yield a warning for the newest run on changed data, and for every unreadable manifest."""
        for folder, previous in self._readable:
            is_same_command = self._has_same_key(previous) and _is_same_path(previous.data, self._manifest.data)
            if is_same_command and previous.data_fingerprint_version <= VERSION:
                from sightline.inference.journal import count_answered

                yield Remark(DATA_CHANGED, {"run": str(folder.path), "count": count_answered(folder.journal)})
                break
        for folder, error in self._unreadable:
            why = str(error.arguments.get("why", error))
            yield Remark(MANIFEST_UNREADABLE, {"path": str(folder.manifest), "why": why})


def _is_same_path(first: str, second: str) -> bool:
    return first == second or Path(first).resolve() == Path(second).resolve()


_decoder = JsonDecoder[Fingerprint](Fingerprint)
_SHOWN = 12
"""Digits of a fingerprint in messages; the manifest has all of them."""


class CheckedData(Struct, frozen=True):
    """Result of the integrity check, recorded when a run is graded again."""

    graded_data_sha256: str = ""
    """Fingerprint of the graded dataset, if it differs from the one in the manifest."""
    notes: list[Remark] = []


def fingerprint_scope(suite: Suite, data: Path, *output_dirs: Path) -> FingerprintScope:
    """Return which files the dataset fingerprint covers beside the data path, and which it excludes."""
    return FingerprintScope(files=dict(suite.fingerprinted_files(data)), output_dirs=output_dirs)


def save_data_fingerprint(path: Path, data_fingerprint: Fingerprint) -> None:
    """Save the per-file fingerprint of the dataset in the run folder, so that later changes can be listed."""
    with suppress(OSError):  # a full disk is reported by the journal writer
        write_json(path, data_fingerprint.abridge())


def check_data(
    folder: RunFolder, manifest: Manifest, current: Fingerprint, data: Path, accept_changed_data: bool
) -> CheckedData:
    """Compare the dataset with the fingerprint recorded by the run; raise `DataError` if it differs."""
    version = manifest.data_fingerprint_version
    if current.sha256 == manifest.data_sha256:
        return CheckedData()
    if version < VERSION and fingerprint(data, version) == manifest.data_sha256:
        return CheckedData(current.sha256)
    changes = describe_changes(_load_fingerprint(folder.data_files), current) or tr("it is unknown which files changed")
    if not accept_changed_data:
        raise _refusal(data, folder, changes)
    args = {"before": manifest.data_sha256[:_SHOWN], "now": current.sha256[:_SHOWN], "what": changes}
    note = Remark(
        "Graded on a different data set than the one used for inference ({before}…, now {now}…): {what}", args
    )
    return CheckedData(current.sha256, [note])


def describe_data_change(before: Fingerprint, current: Fingerprint) -> Remark:
    """Describe a dataset change between the check and the end of grading, for the report."""
    changes = describe_changes(before, current) or tr("it is unknown which files changed")
    args = {"before": before.sha256[:_SHOWN], "now": current.sha256[:_SHOWN], "what": changes}
    return Remark("The data set changed during the run, before grading ({before}…, now {now}…): {what}", args)


def _refusal(data: Path, folder: RunFolder, changes: str) -> DataError:
    return DataError(
        "The data set at {data} is not the one that {folder} was run on ({what}).",
        hint="Give the original with --data DIR, or accept the change with --accept-changed-data (noted in reports).",
        data=data,
        folder=folder.path,
        what=changes,
    )


def _load_fingerprint(path: Path) -> Fingerprint:
    """Load the fingerprint saved at the start of the run; an empty one if there is none."""
    try:
        return _decoder.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError):
        return Fingerprint(sha256="")
