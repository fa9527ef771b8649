"""Local copies of remote data sets, for readers that need files: what did not change is not fetched again."""

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
from sightline.data.storage import RemotePath, is_remote, path_of

_MARKS = "marks.json"
_marks_decoder = JsonDecoder[dict[str, str]](dict[str, str])


def near_path(text: str) -> Path:
    """The path that a text names; of a remote file or folder the path of a copy that is up to date."""
    place = path_of(text)
    if not is_remote(place):
        return place
    if str(place) != place.url:
        raise UsageError(
            "An address that holds a password can't be kept in a run: {path}",
            hint="Give the credentials in the environment.",
            path=place,
        )
    home = copies_folder() / hashlib.sha256(place.url.encode()).hexdigest()[:24]
    copy = home / "copy" / (place.name or "data")
    if place.is_file():
        wanted = {copy: place}
    elif place.is_dir():
        wanted = {copy / file.relative_to(place): file for file in place.files()}
    else:
        raise DataError("Can't read {path}: {why}", path=place, why=os.strerror(errno.ENOENT))
    _bring_up_to_date(home, wanted)
    return copy


def copies_folder() -> Path:
    """Where copies of remote data sets are kept."""
    return cache_folder() / "data"


def _bring_up_to_date(home: Path, wanted: dict[Path, RemotePath]) -> None:
    """Fetch what is new or changed, and remove what is no longer there."""
    try:
        marks = _marks_decoder.decode((home / _MARKS).read_bytes())
    except (OSError, msgspec.DecodeError):
        marks = {}
    for path, file in wanted.items():
        if not path.resolve().is_relative_to(home.resolve()):
            raise DataError("'{name}' is no name of a file in {path}.", name=file.name, path=home)
        name = path.relative_to(home).as_posix()
        if marks.get(name) != file.mark or not path.is_file():
            _fetch(file, path)
            marks[name] = file.mark
            (home / _MARKS).write_bytes(msgspec.json.encode(marks))
    for path in (home / "copy").rglob("*"):
        if path.is_file() and path not in wanted:
            path.unlink()


def _fetch(file: RemotePath, path: Path) -> None:
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with file.open() as remote, part.open("wb") as local:
            shutil.copyfileobj(remote, local, 1 << 20)
        part.replace(path)
    except OSError as error:
        raise DataError("Can't write a temporary copy of {path}: {why}", path=file, why=error.strerror) from None
    finally:
        part.unlink(missing_ok=True)
