"""Local copies of remote datasets, for readers that need files; unchanged files are not downloaded again."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from pathlib import Path

import msgspec

from sightline.core.cache_folder import cache_folder
from sightline.core.errors import DataError, UsageError
from sightline.data.json_decoding import JsonDecoder
from sightline.data.storage import RemotePath, is_remote, parse_path

_VERSIONS = "marks.json"
_versions_decoder = JsonDecoder[dict[str, str]](dict[str, str])


def local_copy(text: str) -> Path:
    """The local path that a text names; for a remote file or folder, the path of an up-to-date local copy."""
    path = parse_path(text)
    if not is_remote(path):
        return path
    if str(path) != path.url:
        raise UsageError(
            "An address that holds a password can't be kept in a run: {path}",
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
        raise DataError("Can't read {path}: {why}", path=path, why=os.strerror(errno.ENOENT))
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
            raise DataError("'{name}' is no name of a file in {path}.", name=file.name, path=home)
        name = path.relative_to(home).as_posix()
        if versions.get(name) != file.version or not path.is_file():
            _fetch(file, path)
            versions[name] = file.version
            (home / _VERSIONS).write_bytes(msgspec.json.encode(versions))
    for path in (home / "copy").rglob("*"):
        if path.is_file() and path not in remote_files:
            path.unlink()


def _fetch(file: RemotePath, path: Path) -> None:
    temporary = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with file.open() as remote, temporary.open("wb") as local:
            shutil.copyfileobj(remote, local, 1 << 20)
        temporary.replace(path)
    except OSError as error:
        raise DataError("Can't write a temporary copy of {path}: {why}", path=file, why=error.strerror) from None
    finally:
        temporary.unlink(missing_ok=True)
