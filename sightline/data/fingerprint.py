"""Dataset fingerprint: a SHA-256 over the names and all bytes of its files, the same on every machine.

A run records it, and is resumed or graded again only on the same data, unless the user overrides that. Files are
hashed in chunks by several threads; the digests of images and videos are cached, all other files are read each time,
since they may contain the answers.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import DataError
from sightline.data.digests import CHUNK_BYTES, ChunkHash, DigestCache, combine_digests
from sightline.data.storage import AnyPath, is_remote
from sightline.i18n import tr

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
    return DataError("Cannot read {path}: {why}", path=path, why=error.strerror or error)


VERSION = 3
"""Version of the fingerprint: 1 reads only the ends of large files; 2 covers no files beyond the data path and no
folder that looks like a run folder. 2 and 3 are equal if they cover the same files."""
MIN_CACHED_BYTES = 256 * 2**20
"""Total size of images and videos from which their digests are cached; fewer are read quickly."""
MAX_REMOTE_MEDIA = 500
"""Number of remote images and videos whose content is hashed; beyond it the storage's version (such as an ETag)
is used, since each file costs a request."""
DATA_PATH_ONLY = FingerprintScope()
"""The scope that covers only the data path."""
_BUFFER = 2**20
_BATCH = 64
_MAX_NAMED = 5
_MAX_STORED = 20_000
"""Files whose state is stored with a run."""
ProgressCallback = Callable[[int, int], None]
"""Called with the number of bytes hashed, and the total."""


class FileState(Struct, frozen=True, array_like=True):
    """Size and digest of one file, to detect later that it has changed."""

    size: int
    digest: str
    """The first 16 hexadecimal digits."""


class Fingerprint(Struct, frozen=True, kw_only=True):
    """The fingerprint of a dataset, and the state of each of its files."""

    sha256: str
    version: int = VERSION
    files: dict[str, FileState] = {}
    has_media: bool = True
    """Whether images and videos are among the files; for a dataset with very many files they are omitted."""

    def abridge(self) -> Fingerprint:
        """With the states of at most `_MAX_STORED` files: first those of images and videos are omitted, then all."""
        if len(self.files) <= _MAX_STORED:
            return self
        files = {name: state for name, state in self.files.items() if not is_media(name)}
        return replace(self, files=files if len(files) <= _MAX_STORED else {}, has_media=False)


def fingerprint(data: AnyPath, version: int = VERSION, scope: FingerprintScope = DATA_PATH_ONLY) -> str:
    """The fingerprint of a dataset as a hexadecimal string, by the rules of a version."""
    if version == 1:
        return fingerprint_v1(data)
    return compute_fingerprint(data, scope=scope if version == VERSION else None).sha256


def compute_fingerprint(
    data: AnyPath, report: ProgressCallback = lambda done, total: None, scope: FingerprintScope | None = DATA_PATH_ONLY
) -> Fingerprint:
    """Hash a dataset and the files that its scope adds; `report` is called with the progress.

    Without a scope, the rules of version 2 apply.
    """
    files = list_data_files(data, scope)
    cache = _open_cache(data, files)
    digests = _known_digests(files, cache)
    unknown = [file for file in files if file.name not in digests]
    for file, digest in _hash_files(unknown, report):
        digests[file.name] = digest
        if cache is not None and is_media(file.name) and file.status is not None:
            cache.put(file.name, file.status, digest)
    if cache is not None:
        cache.save()
    hashed = [(file, digests[file.name]) for file in files]
    added = list_scope_files(scope) if scope is not None else []
    if added:
        hashed += _hash_files(added, lambda done, total: None)
    total = hashlib.sha256(b"sightline data fingerprint 2\0")
    for index, (file, digest) in enumerate(hashed):
        total.update(b"\0beyond the data path\0" if index == len(files) else b"")
        total.update(file.name.encode("utf-8", "surrogateescape") + f"\0{file.size}\0".encode() + digest)
    states = {file.name: FileState(file.size, digest.hex()[:16]) for file, digest in hashed}
    return Fingerprint(sha256=total.hexdigest(), files=states)


def describe_changes(before: Fingerprint, after: Fingerprint) -> str:
    """A text on which files were changed, added or removed; empty if that is not known."""
    if not before.files:
        return ""
    old, new = before.files, after.files
    if not before.has_media:
        new = {name: state for name, state in new.items() if not is_media(name)}
    changed = [name for name in old if name in new and old[name] != new[name]]
    added = [name for name in new if name not in old]
    removed = [name for name in old if name not in new]
    descriptions = (
        tr("changed: {names}", names=_list_names(changed)) if changed else "",
        tr("added: {names}", names=_list_names(added)) if added else "",
        tr("removed: {names}", names=_list_names(removed)) if removed else "",
    )
    return "; ".join(filter(None, descriptions))


def _list_names(names: list[str]) -> str:
    listed, more = ", ".join(names[:_MAX_NAMED]), len(names) - _MAX_NAMED
    return tr("{names} and {count} more", names=listed, count=more) if more > 0 else listed


def _open_cache(data: AnyPath, files: list[DataFile]) -> DigestCache | None:
    if is_remote(data) or sum(file.size for file in files if is_media(file.name)) < MIN_CACHED_BYTES:
        return None
    return DigestCache(data)


def _known_digests(files: list[DataFile], cache: DigestCache | None) -> dict[str, bytes]:
    """Digests known without reading: cached ones, and those of remote files that this process has read."""
    digests: dict[str, bytes] = {}
    media_count = 0
    for file in files:
        digest = None
        if is_remote(file.path):
            media_count += is_media(file.name)
            if is_media(file.name) and media_count > MAX_REMOTE_MEDIA:
                digest = hashlib.sha256(file.path.version.encode()).digest()
            else:
                digest = file.path.digest_of_last_read()
        elif cache is not None and is_media(file.name) and file.status is not None:
            digest = cache.find(file.name, file.status)
        if digest is not None:
            digests[file.name] = digest
    return digests


def _hash_files(files: list[DataFile], report: ProgressCallback) -> Iterator[tuple[DataFile, bytes]]:
    """The digest of each file in order, computed by a thread pool over chunks of large and groups of small files."""
    remote = [file for file in files if is_remote(file.path)]
    local = [file for file in files if not is_remote(file.path)]
    total, done = sum(file.size for file in files), 0
    threads = ThreadPoolExecutor(min(8, os.cpu_count() or 1))
    try:
        report(done, total)
        chunk_digests = (digest for batch in threads.map(_hash_chunks, list(_batches(local))) for digest in batch)
        for file in local:
            digests = []
            for offset in range(0, file.size, CHUNK_BYTES):
                digests.append(next(chunk_digests))
                done += min(CHUNK_BYTES, file.size - offset)
                report(done, total)
            yield file, combine_digests(digests)
        for file, digest in zip(remote, threads.map(_hash_remote, remote), strict=True):
            done += file.size
            report(done, total)
            yield file, digest
    finally:
        threads.shutdown(wait=True, cancel_futures=True)


def _batches(files: Iterable[DataFile]) -> Iterator[list[tuple[DataFile, int]]]:
    """Chunks as (file, offset), grouped into tasks large enough for a thread."""
    batch: list[tuple[DataFile, int]] = []
    size = 0
    for file in files:
        for offset in range(0, file.size, CHUNK_BYTES):
            batch.append((file, offset))
            size += min(CHUNK_BYTES, file.size - offset)
            if size >= CHUNK_BYTES // 4 or len(batch) >= _BATCH:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch


def _hash_chunks(batch: list[tuple[DataFile, int]]) -> list[bytes]:
    buffer = memoryview(bytearray(_BUFFER))
    return [_hash_chunk(file, offset, buffer) for file, offset in batch]


def _hash_chunk(file: DataFile, offset: int, buffer: memoryview) -> bytes:
    digest, remaining = hashlib.sha256(), min(CHUNK_BYTES, file.size - offset)
    try:
        with file.path.open("rb", buffering=0) as opened:
            opened.seek(offset)
            while remaining:
                count = opened.readinto(buffer[: min(_BUFFER, remaining)])
                if not count:
                    raise DataError("{path} was changed while it was being read.", path=file.path)
                digest.update(buffer[:count])
                remaining -= count
    except OSError as error:
        raise DataError("Cannot read {path}: {why}", path=file.path, why=error.strerror or error) from None
    return digest.digest()


def _hash_remote(file: DataFile) -> bytes:
    total = ChunkHash()
    with file.path.open("rb") as opened:
        while block := opened.read(_BUFFER):
            total.update(block)
    return total.digest()


_MAX_WHOLE = 16 * 2**20
_MAX_WHOLE_TOTAL = 256 * 2**20
_MAX_REMOTE = 500
_END_BYTES = 4 * 2**10


def fingerprint_v1(data: AnyPath) -> str:
    """SHA-256 over names, sizes and the bytes that version 1 reads."""
    total, read = hashlib.sha256(), 0
    for number, (name, path) in enumerate(_files(data)):
        size = path.stat().st_size
        whole = size <= _MAX_WHOLE and read < _MAX_WHOLE_TOTAL
        read += size if whole else 2 * _END_BYTES
        total.update(f"{name}\0{size}\0".encode())
        if number < _MAX_REMOTE or not is_remote(path):
            total.update(_digest(path, whole))
    return total.hexdigest()


def _files(data: AnyPath) -> list[tuple[str, AnyPath]]:
    """All files sorted by the components of their paths, as local paths are sorted."""
    if data.is_file():
        return [(data.name, data)]
    if is_remote(data):
        files = [(path.relative_to(data).as_posix(), cast(AnyPath, path)) for path in data.files()]
        return sorted(files, key=lambda file: PurePosixPath(file[0]).parts)
    return [(path.relative_to(data).as_posix(), path) for path in sorted(data.rglob("*")) if path.is_file()]


def _digest(path: AnyPath, whole: bool) -> bytes:
    with path.open("rb") as file:
        if whole:
            return hashlib.file_digest(file, "sha256").digest()
        ends = hashlib.sha256(file.read(_END_BYTES))
        file.seek(-min(_END_BYTES, path.stat().st_size), 2)
        ends.update(file.read(_END_BYTES))
        return ends.digest()
