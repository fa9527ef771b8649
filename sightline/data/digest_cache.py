"""Digest cache: the SHA-256 of a data set's pictures and videos, so that a large set is not read at every start.

An entry holds for a file with the same name, size, modification time, change time and inode. Programs can set the
modification time back, but not the change time of POSIX file systems; on Windows, where there is none, a file whose
content was changed and whose time was set back by hand would pass. A file that was touched within the last seconds is
never kept: a second change could fall into the same tick of the clock. Files that hold answers are not asked for here.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from time import time_ns

import msgspec

from sightline.core.cache_folder import cache_folder

_SETTLED_NS = 5 * 10**9
"""Nanoseconds after a change from which on the clock of any file system has moved on."""
Entry = tuple[int, int, int, int, bytes]
"""Size, modification time, change time, inode, digest."""
_decoder = msgspec.msgpack.Decoder(dict[str, Entry])


class DigestCache:
    """The digests of the media files of one data set, kept in the user's cache folder."""

    def __init__(self, data: Path) -> None:
        name = hashlib.sha256(str(data.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        self._path = cache_folder() / "fingerprints" / f"{name}.msgpack"
        self._entries: dict[str, Entry] = {}
        self._is_changed = False
        with suppress(OSError, msgspec.DecodeError):
            self._entries = _decoder.decode(self._path.read_bytes())

    def find(self, name: str, status: os.stat_result) -> bytes | None:
        """The digest of a file that has not changed since it was kept."""
        entry = self._entries.get(name)
        return entry[-1] if entry is not None and entry[:-1] == _stamp(status) else None

    def put(self, name: str, status: os.stat_result, digest: bytes) -> None:
        """Keep the digest of a file whose status was taken before it was read."""
        if time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > _SETTLED_NS:
            self._entries[name] = (*_stamp(status), digest)
            self._is_changed = True

    def save(self) -> None:
        """Write what is new, whole or not at all; a cache that can't be written costs time and nothing else."""
        if not self._is_changed:
            return
        temporary = self._path.with_suffix(f".{os.getpid()}.part")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(msgspec.msgpack.encode(self._entries))
            temporary.replace(self._path)
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _stamp(status: os.stat_result) -> tuple[int, int, int, int]:
    # msgpack holds no whole number beyond 64 bits, and some file systems have larger inodes
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino & (2**63 - 1)
