"""Transfer between storages and local folders: local copies of remote datasets, upload and staging of results."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import msgspec

from sightline.core.atomic_io import atomic_path
from sightline.core.cache_folder import cache_folder
from sightline.core.errors import DataError, StorageError, UsageError
from sightline.data.json_decoding import JsonDecoder
from sightline.data.storage import AnyPath, RemotePath, is_remote, parse_path
from sightline.data.storage.filesystems import READ_ONLY

_VERSIONS = "marks.json"
_versions_decoder = JsonDecoder[dict[str, str]](dict[str, str])


def local_copy(text: str) -> Path:
    """The local path that a text names; for a remote file or folder, the path of an up-to-date local copy."""
    path = parse_path(text)
    if not is_remote(path):
        return path
    if str(path) != path.url:
        raise UsageError(
            "An address with a password cannot be recorded in a run: {path}",
            hint="Give the credentials in the environment.",
            path=path,
        )
    home = local_copies_folder() / hashlib.sha256(path.url.encode()).hexdigest()[:24]
    copy = home / "copy" / (path.name or "data")
    if path.is_file():
        remote_files = {copy: path}
    elif path.is_dir():
        remote_files = {copy / file.relative_to(path): file for file in path.files()}
    else:
        raise DataError("Cannot read {path}: {why}", path=path, why=os.strerror(errno.ENOENT))
    _synchronize(home, remote_files)
    return copy


def local_copies_folder() -> Path:
    """The folder of the local copies of remote datasets."""
    return cache_folder() / "data"


def _synchronize(home: Path, remote_files: dict[Path, RemotePath]) -> None:
    """Download new and changed files, and delete those that no longer exist remotely."""
    try:
        versions = _versions_decoder.decode((home / _VERSIONS).read_bytes())
    except (OSError, msgspec.DecodeError):
        versions = {}
    for path, file in remote_files.items():
        if not path.resolve().is_relative_to(home.resolve()):
            raise DataError("'{name}' is not a valid file name in {path}.", name=file.name, path=home)
        name = path.relative_to(home).as_posix()
        if versions.get(name) != file.version or not path.is_file():
            _fetch(file, path)
            versions[name] = file.version
            (home / _VERSIONS).write_bytes(msgspec.json.encode(versions))
    for path in (home / "copy").rglob("*"):
        if path.is_file() and path not in remote_files:
            path.unlink()


def _fetch(file: RemotePath, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary, file.open() as remote, temporary.open("wb") as local:
            shutil.copyfileobj(remote, local, 1 << 20)
    except OSError as error:
        raise DataError("Cannot write a temporary copy of {path}: {why}", path=file, why=error.strerror) from None


def upload_files(folder: Path, target: RemotePath, last: Sequence[str] = (), sent: Iterable[str] = ()) -> list[str]:
    """Upload the files of a folder that are not yet sent, sorted by name, with the `last` ones at the end, in order.

    Hidden files are temporary files and are not uploaded.
    """
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    unsent = {name for name in names if not any(part.startswith(".") for part in name.split("/"))} - set(sent)
    ranks = {name: rank for rank, name in enumerate(last, 1)}
    ordered = sorted(unsent, key=lambda name: (ranks.get(name.rpartition("/")[2], 0), name))
    for name in ordered:
        (target / name).put(folder / name)
    return ordered


SENT_LAST = (
    "manifest.json",
    "report.json",
    "report.csv",
    "comparison.csv",
    "report.md",
    "comparison.md",
    "report.html",
)
"""Files that are uploaded last, so that everything a report refers to already exists when it appears."""


class StagedResults:
    """The local folder that results are written to, and their target."""

    def __init__(self, folder: Path, target: AnyPath) -> None:
        self.folder, self.target = folder, target
        self.has_results = False
        self._sent: list[str] = []

    def send(self) -> None:
        """Upload new files to the target; does nothing if the target is local."""
        self.has_results = True
        if not is_remote(self.target):
            return
        try:
            self._sent += upload_files(self.folder, self.target, SENT_LAST, self._sent)
        except StorageError as error:
            raise StorageError(
                "The results could not be sent: {why}", hint="They are kept in {folder}.", why=error, folder=self.folder
            ) from None


@contextmanager
def stage_results(target: AnyPath) -> Iterator[StagedResults]:
    """Stage results for a target; the temporary folder of a remote target is deleted once all is uploaded."""
    if not is_remote(target):
        yield StagedResults(target, target)
        return
    if target.scheme in READ_ONLY:
        raise UsageError("Cannot write results to {path}.", hint="Give a folder, or s3://…", path=target)
    folder = Path(tempfile.mkdtemp(prefix="sightline-results-"))
    staged = StagedResults(folder, cast(AnyPath, target))
    try:
        yield staged
        staged.send()
    except BaseException:
        if not staged.has_results:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
