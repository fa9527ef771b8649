"""Data integrity check before grading: compare the dataset's fingerprint with the one in the run manifest."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from sightline.core.atomic_io import write_json
from sightline.core.errors import DataError
from sightline.core.interfaces import Suite
from sightline.core.records import Remark
from sightline.data.fingerprint import (
    VERSION,
    Fingerprint,
    FingerprintScope,
    describe_changes,
    fingerprint,
)
from sightline.data.json_decoding import JsonDecoder
from sightline.i18n import tr
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest

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
        write_json(path, data_fingerprint.abridged())


def check_data(
    folder: RunFolder, manifest: Manifest, current: Fingerprint, data: Path, accept_changed_data: bool
) -> CheckedData:
    """Compare the dataset with the fingerprint recorded by the run; raise `DataError` if it differs."""
    version = manifest.data_fingerprint_version
    if current.sha256 == manifest.data_sha256:
        return CheckedData()
    if version < VERSION and fingerprint(data, version) == manifest.data_sha256:
        return CheckedData(current.sha256)
    changes = describe_changes(_load(folder.data_files), current) or tr("which files have changed is not known")
    if not accept_changed_data:
        raise _refusal(data, folder, changes)
    args = {"before": manifest.data_sha256[:_SHOWN], "now": current.sha256[:_SHOWN], "what": changes}
    note = Remark("Graded with another data set than the one that was asked ({before}…, now {now}…): {what}", args)
    return CheckedData(current.sha256, [note])


def describe_data_change(before: Fingerprint, current: Fingerprint) -> Remark:
    """Describe a dataset change between the check and the end of grading, for the report."""
    changes = describe_changes(before, current) or tr("which files have changed is not known")
    args = {"before": before.sha256[:_SHOWN], "now": current.sha256[:_SHOWN], "what": changes}
    return Remark("The data set was changed during the run, before it was graded ({before}…, now {now}…): {what}", args)


def _refusal(data: Path, folder: RunFolder, changes: str) -> DataError:
    return DataError(
        "The data set at {data} is not the one that {folder} was asked ({what}).",
        hint="Give it as it was by --data DIR, or accept the changed one by --accept-changed-data: reports say so.",
        data=data,
        folder=folder.path,
        what=changes,
    )


def _load(path: Path) -> Fingerprint:
    """Load the fingerprint saved at the start of the run; an empty one if there is none."""
    try:
        return _decoder.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError):
        return Fingerprint(sha256="")
