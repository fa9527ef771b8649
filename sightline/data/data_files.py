"""Files of a dataset that its fingerprint covers, by their relative paths, in the same order on every system."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import cast

from msgspec import Struct

from sightline.core.errors import DataError
from sightline.data.storage import AnyPath, is_remote

_PICTURES = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".avif", ".heic", ".jp2"]
_VIDEOS = [".mp4", ".webm", ".mov", ".avi", ".mkv", ".m4v", ".mpg", ".mpeg"]
_MEDIA = frozenset([*_PICTURES, *_VIDEOS])
_SYSTEM_FILES = frozenset([".DS_Store", "Thumbs.db", "desktop.ini"])
"""Files that file managers create in any folder; no suite reads them."""
_RUN_FOLDER = re.compile(r"\d{8}-\d{6}_.+")


class FingerprintScope(Struct, frozen=True, kw_only=True):
    """What a fingerprint covers in addition to the data path, and what it excludes."""

    files: dict[str, Path] = {}
    """Further files that determine prompts or grading, by names that don't depend on their location."""
    output_dirs: tuple[Path, ...] = ()
    """Folders whose run folders are excluded: with `--data .` a run writes into its own dataset."""


class DataFile(Struct, frozen=True):
    """One file of a dataset."""

    name: str
    """The path relative to the folder of the dataset, with slashes."""
    path: AnyPath
    size: int
    status: os.stat_result | None
    """None for a remote file."""


def is_media(name: str) -> bool:
    """Whether a file is an image or a video, by its suffix; all other files may contain answers."""
    return PurePosixPath(name).suffix.lower() in _MEDIA


def list_data_files(data: AnyPath, scope: FingerprintScope | None) -> list[DataFile]:
    """All files of a dataset, sorted by the components of their paths. Symbolic links are followed, also to folders.

    Excluded are files of file managers, and run folders in the output folders of the scope; without a scope, all
    folders that look like run folders, as defined by version 2 of the fingerprint.
    """
    if is_remote(data):
        named = (
            {data.name: data} if data.is_file() else {path.relative_to(data).as_posix(): path for path in data.files()}
        )
        files = [DataFile(name, cast(AnyPath, path), path.stat().st_size, None) for name, path in named.items()]
    elif data.is_file():
        files = [DataFile(data.name, data, data.stat().st_size, data.stat())]
    else:
        files = list(_walk(data, None if scope is None else {os.path.realpath(path) for path in scope.output_dirs}))
    return sorted(files, key=lambda file: file.name.split("/"))


def list_scope_files(scope: FingerprintScope) -> list[DataFile]:
    """The files that a scope adds, sorted by name."""
    files = []
    for name, path in sorted(scope.files.items()):
        try:
            status = path.stat()
        except OSError as error:
            raise _unreadable(str(path), error) from None
        files.append(DataFile(name, path, status.st_size, status))
    return files


def _walk(root: Path, output_dirs: set[str] | None) -> Iterator[DataFile]:
    pending: list[tuple[str, str, frozenset[str]]] = [("", str(root), frozenset([os.path.realpath(root)]))]
    while pending:
        prefix, folder, ancestors = pending.pop()
        holds_runs = output_dirs is None or os.path.realpath(folder) in output_dirs
        for entry in _entries(folder):
            try:
                if entry.is_dir():
                    real = os.path.realpath(entry.path) if entry.is_symlink() else ""
                    is_loop = real in ancestors  # a link to an ancestor would be followed forever
                    if not is_loop and not (holds_runs and _is_run(entry)):
                        inner = ancestors | {real or os.path.realpath(entry.path)}
                        pending.append((f"{prefix}{entry.name}/", entry.path, inner))
                elif entry.is_file() and entry.name not in _SYSTEM_FILES:
                    path = Path(entry.path)
                    status = path.stat()  # the status of a directory entry lacks the inode on Windows
                    yield DataFile(f"{prefix}{entry.name}", path, status.st_size, status)
            except OSError as error:
                raise _unreadable(entry.path, error) from None


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as files:
            return list(files)
    except OSError as error:
        raise _unreadable(folder, error) from None


def _is_run(entry: os.DirEntry[str]) -> bool:
    return bool(_RUN_FOLDER.fullmatch(entry.name)) and Path(entry.path, "manifest.json").is_file()


def _unreadable(path: str, error: OSError) -> DataError:
    return DataError("Can't read {path}: {why}", path=path, why=error.strerror or error)
