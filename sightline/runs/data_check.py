"""Data integrity check before grading: whether a data set is the one that a run was asked, and what differs if not."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from sightline.core.atomic_io import write_json
from sightline.core.errors import DataError
from sightline.core.interfaces import Suite
from sightline.core.records import Remark
from sightline.data.data_files import FingerprintScope
from sightline.data.fingerprint import (
    VERSION,
    Fingerprint,
    describe_changes,
    fingerprint,
)
from sightline.data.json_decoding import JsonDecoder
from sightline.i18n import say
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest

_decoder = JsonDecoder[Fingerprint](Fingerprint)
_SHOWN = 12
"""Digits of a fingerprint in a sentence; the manifest has all."""


class CheckedData(Struct, frozen=True):
    """What grading a data set again records."""

    graded_data_sha256: str = ""
    """Its fingerprint, where it is not the one that the manifest has."""
    notes: list[Remark] = []


def scope_of(suite: Suite, data: Path, *output_dirs: Path) -> FingerprintScope:
    """What the fingerprint of a suite's data covers beside the data path, and what it leaves out."""
    return FingerprintScope(files=dict(suite.fingerprinted_files(data)), output_dirs=output_dirs)


def save_data_files(path: Path, checked: Fingerprint) -> None:
    """Keep the state of each file of the data set with the run, so that it can be said later what has changed."""
    with suppress(OSError):  # a disk that is full is told by who writes the journal
        write_json(path, checked.abridged())


def check_data(
    folder: RunFolder, manifest: Manifest, now: Fingerprint, data: Path, accept_changed_data: bool
) -> CheckedData:
    """Compare a data set with the one that a run was asked, by the rule that the run recorded; refuse another one."""
    version = manifest.data_fingerprint_version
    if now.sha256 == manifest.data_sha256:
        return CheckedData()
    if version < VERSION and fingerprint(data, version) == manifest.data_sha256:
        return CheckedData(now.sha256)
    what = describe_changes(_load(folder.data_files), now) or say("which files have changed is not known")
    if not accept_changed_data:
        raise _refusal(data, folder, what)
    facts = {"before": manifest.data_sha256[:_SHOWN], "now": now.sha256[:_SHOWN], "what": what}
    note = Remark("Graded with another data set than the one that was asked ({before}…, now {now}…): {what}", facts)
    return CheckedData(now.sha256, [note])


def note_change(before: Fingerprint, now: Fingerprint) -> Remark:
    """What reports say of a data set that was changed between its check and the end of grading."""
    what = describe_changes(before, now) or say("which files have changed is not known")
    facts = {"before": before.sha256[:_SHOWN], "now": now.sha256[:_SHOWN], "what": what}
    return Remark(
        "The data set was changed during the run, before it was graded ({before}…, now {now}…): {what}", facts
    )


def _refusal(data: Path, folder: RunFolder, what: str) -> DataError:
    return DataError(
        "The data set at {data} is not the one that {folder} was asked ({what}).",
        hint="Give it as it was by --data DIR, or accept the changed one by --accept-changed-data: reports say so.",
        data=data,
        folder=folder.path,
        what=what,
    )


def _load(path: Path) -> Fingerprint:
    """The data set's files as they were when the run began; none where they were not kept."""
    try:
        return _decoder.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError):
        return Fingerprint(sha256="")
