"""Data set fingerprint: a SHA-256 over the names and all bytes of its files, the same on every machine.

A run records it, continues on nothing else, and is graded again on nothing else unless somebody says so. Files are
hashed in pieces by several threads; the digests of pictures and videos are cached, all other files are read each time,
since they may hold the answers.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import DataError
from sightline.data.data_files import DataFile, Scope, data_files, is_media, scope_files
from sightline.data.digest_cache import DigestCache
from sightline.data.first_fingerprint import first_fingerprint
from sightline.data.piece_hash import PIECE, PieceHash, join_pieces
from sightline.data.storage import AnyPath, is_remote
from sightline.i18n import say

VERSION = 3
"""The rule by which fingerprints are made; 1 looked at no more than the ends of large files, 2 at no files beyond the
data path and at no folder that looks like a run's. 2 and 3 are equal where they cover the same files."""
CACHED_FROM = 256 * 2**20
"""Bytes of pictures and videos from which on their digests are cached; fewer are read in a moment."""
MANY = 500
"""Of so many remote pictures and videos the content counts; of more what the storage tells: each look is a request."""
NO_MORE = Scope()
"""Nothing but the data path."""
_BUFFER = 2**20
_BATCH = 64
_NAMED = 5
Watcher = Callable[[int, int], None]
"""Told how many bytes are hashed, and of how many."""


class FileState(Struct, frozen=True, array_like=True):
    """What is remembered of one file: enough to say later that it has changed."""

    size: int
    digest: str
    """The first 16 digits."""


class Fingerprint(Struct, frozen=True, kw_only=True):
    """The fingerprint of a data set, and the state of each of its files."""

    sha256: str
    version: int = VERSION
    files: dict[str, FileState] = {}
    has_media: bool = True
    """Whether pictures and videos are among the files; of a data set with very many they are left out."""

    def abridged(self, most: int = 20_000) -> Fingerprint:
        """With the states of so many files at most: first those of pictures and videos are left out, then all."""
        if len(self.files) <= most:
            return self
        files = {name: state for name, state in self.files.items() if not is_media(name)}
        return replace(self, files=files if len(files) <= most else {}, has_media=False)


def fingerprint(data: AnyPath, version: int = VERSION, scope: Scope = NO_MORE) -> str:
    """The fingerprint alone, by the rule of a version."""
    if version == 1:
        return first_fingerprint(data)
    return take_fingerprint(data, scope=scope if version == VERSION else None).sha256


def take_fingerprint(
    data: AnyPath, watch: Watcher = lambda done, total: None, scope: Scope | None = NO_MORE
) -> Fingerprint:
    """Hash a data set and the files that its scope adds; `watch` is told how far it is.

    Without a scope, the rule is that of version 2.
    """
    files = data_files(data, scope)
    cache = _cache(data, files)
    digests = _known(files, cache)
    unknown = [file for file in files if file.name not in digests]
    for file, digest in _hash_files(unknown, watch):
        digests[file.name] = digest
        if cache is not None and is_media(file.name) and file.status is not None:
            cache.keep(file.name, file.status, digest)
    if cache is not None:
        cache.save()
    hashed = [(file, digests[file.name]) for file in files]
    added = scope_files(scope) if scope is not None else []
    if added:
        hashed += _hash_files(added, lambda done, total: None)
    whole = hashlib.sha256(b"sightline data fingerprint 2\0")
    for place, (file, digest) in enumerate(hashed):
        whole.update(b"\0beyond the data path\0" if place == len(files) else b"")
        whole.update(file.name.encode("utf-8", "surrogateescape") + f"\0{file.size}\0".encode() + digest)
    states = {file.name: FileState(file.size, digest.hex()[:16]) for file, digest in hashed}
    return Fingerprint(sha256=whole.hexdigest(), files=states)


def describe_changes(before: Fingerprint, after: Fingerprint) -> str:
    """Which files have changed, been added or been removed; empty where that is not known."""
    if not before.files:
        return ""
    old, new = before.files, after.files
    if not before.has_media:
        new = {name: state for name, state in new.items() if not is_media(name)}
    changed = [name for name in old if name in new and old[name] != new[name]]
    added = [name for name in new if name not in old]
    removed = [name for name in old if name not in new]
    told = []
    if changed:
        told.append(say("changed: {names}", names=_listed(changed)))
    if added:
        told.append(say("added: {names}", names=_listed(added)))
    if removed:
        told.append(say("removed: {names}", names=_listed(removed)))
    return "; ".join(told)


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    return shown if len(names) <= _NAMED else say("{names} and {count} more", names=shown, count=len(names) - _NAMED)


def _cache(data: AnyPath, files: list[DataFile]) -> DigestCache | None:
    if is_remote(data) or sum(file.size for file in files if is_media(file.name)) < CACHED_FROM:
        return None
    return DigestCache(data)


def _known(files: list[DataFile], cache: DigestCache | None) -> dict[str, bytes]:
    """Digests that need no reading: cached ones, and those of remote files that were read just now."""
    known: dict[str, bytes] = {}
    pictures = 0
    for file in files:
        digest = None
        if is_remote(file.path):
            pictures += is_media(file.name)
            if is_media(file.name) and pictures > MANY:
                digest = hashlib.sha256(file.path.mark.encode()).digest()
            else:
                digest = file.path.digest_of_last_read()
        elif cache is not None and is_media(file.name) and file.status is not None:
            digest = cache.find(file.name, file.status)
        if digest is not None:
            known[file.name] = digest
    return known


def _hash_files(files: list[DataFile], watch: Watcher) -> Iterator[tuple[DataFile, bytes]]:
    """The digest of each file in turn; several threads hash pieces of it, or several small files at once."""
    remote = [file for file in files if is_remote(file.path)]
    local = [file for file in files if not is_remote(file.path)]
    total, done = sum(file.size for file in files), 0
    threads = ThreadPoolExecutor(min(8, os.cpu_count() or 1))
    try:
        watch(done, total)
        pieces = (digest for batch in threads.map(_hash_pieces, list(_batches(local))) for digest in batch)
        for file in local:
            digests = []
            for offset in range(0, file.size, PIECE):
                digests.append(next(pieces))
                done += min(PIECE, file.size - offset)
                watch(done, total)
            yield file, join_pieces(digests)
        for file, digest in zip(remote, threads.map(_hash_remote, remote), strict=True):
            done += file.size
            watch(done, total)
            yield file, digest
    finally:
        threads.shutdown(wait=True, cancel_futures=True)


def _batches(files: Iterable[DataFile]) -> Iterator[list[tuple[DataFile, int]]]:
    """Pieces by file and offset, so many together that a thread has something to do."""
    batch: list[tuple[DataFile, int]] = []
    size = 0
    for file in files:
        for offset in range(0, file.size, PIECE):
            batch.append((file, offset))
            size += min(PIECE, file.size - offset)
            if size >= PIECE // 4 or len(batch) >= _BATCH:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch


def _hash_pieces(batch: list[tuple[DataFile, int]]) -> list[bytes]:
    room = memoryview(bytearray(_BUFFER))
    return [_hash_piece(file, offset, room) for file, offset in batch]


def _hash_piece(file: DataFile, offset: int, room: memoryview) -> bytes:
    piece, left = hashlib.sha256(), min(PIECE, file.size - offset)
    try:
        with file.path.open("rb", buffering=0) as opened:
            opened.seek(offset)
            while left:
                count = opened.readinto(room[: min(_BUFFER, left)])
                if not count:
                    raise DataError("{path} was changed while it was being read.", path=file.path)
                piece.update(room[:count])
                left -= count
    except OSError as error:
        raise DataError("Can't read {path}: {why}", path=file.path, why=error.strerror or error) from None
    return piece.digest()


def _hash_remote(file: DataFile) -> bytes:
    total = PieceHash()
    with file.path.open("rb") as opened:
        while block := opened.read(_BUFFER):
            total.update(block)
    return total.digest()
