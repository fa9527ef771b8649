"""Sequential reading of remote files; a broken connection is resumed at the same position."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import Any

from sightline.core.errors import DataError
from sightline.data.digests import ChunkHash
from sightline.data.storage.filesystems import FileSystem, call_with_retries, error_reason

BLOCK = 1 << 23
"""Bytes per request."""
_SKIP = 1 << 20
_VERSION_FIELDS = (
    "size",
    "ETag",
    "etag",
    "md5Hash",
    "generation",
    "CRC",
    "LastModified",
    "last_modified",
    "mtime",
    "modified",
)
"""Metadata fields of storages that change with the content of a file."""


_MAX_DIGESTS = 10_000
_digests: dict[tuple[str, str, str], bytes] = {}
"""Digests of files that were read to the end, by address, key and version, so that they need no second download."""


def digest_of_last_read(display_path: str, key: str, version: dict[str, Any]) -> bytes | None:
    """The digest of a file that this process has read completely in this version; None if it has not."""
    return _digests.get((display_path, key, repr(version)))


def version_of(info: dict[str, Any]) -> dict[str, Any]:
    """The metadata fields that identify the version of a file."""
    return {name: info[name] for name in _VERSION_FIELDS if info.get(name) is not None}


class RemoteFile(io.RawIOBase):
    """A remote file as a raw stream; a file that changes while it is being read raises `DataError`."""

    def __init__(self, system: FileSystem, key: str, display_path: str) -> None:
        self._files, self._lock, self._key, self._display_path = system.files, system.lock, key, display_path
        self._file: Any = None
        self._has_lock = False
        self._position, self._is_checked, self._is_doubtful = 0, False, False
        self._is_web = "https" in system.files.protocol
        self._version = self._with_retries(self._get_version)
        self._size: int | None = self._version.get("size")
        self._digest: ChunkHash | None = ChunkHash() if self._version.keys() > {"size"} else None

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True: the file is reopened at the new position."""
        return True

    def tell(self) -> int:
        """The current position."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Change the position; the next read reopens the file there."""
        base = (0, self._position, self._size or 0)[whence]
        if base + offset != self._position:
            self._disconnect()
            self._position = base + offset
            self._digest = None
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Read at least one byte; 0 at the end, after checking that the file has not changed."""
        count = len(buffer)
        data = b"" if self._position == self._size else self._with_retries(lambda: self._read(count))
        if not data:
            self._end()
        elif self._digest is not None:
            self._digest.update(data)
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def close(self) -> None:
        """Close the connection."""
        self._disconnect()
        super().close()

    def _with_retries(self, work: Any) -> Any:
        try:
            return call_with_retries(work)
        except DataError:
            raise
        except Exception as error:
            raise DataError("Cannot read {path}: {why}", path=self._display_path, why=error_reason(error)) from None

    def _read(self, count: int) -> bytes:
        try:
            if self._file is None:
                self._acquire_lock()
                self._file = self._open()
            data: bytes = self._file.read(count)
            if not data and self._size is not None and self._position < self._size:
                raise EOFError("the connection ended too early")
        except Exception:
            self._disconnect()
            self._is_doubtful = True
            raise
        return data

    def _open(self) -> Any:
        """Open the file at the current position."""
        if self._is_doubtful:
            self._check_unchanged()
            self._is_doubtful = False
        if self._is_web:
            return self._open_web()
        file = self._files.open(self._key, "rb", block_size=BLOCK)
        if self._position:
            file.seek(self._position)
        return file

    def _open_web(self) -> Any:
        """Open by a range request for the remainder; if the server ignores ranges, the beginning is skipped."""
        headers = {"Range": f"bytes={self._position}-"} if self._position else {}
        # set at once: if skipping fails, the connection is closed
        file = self._file = self._files.open(self._key, "rb", block_size=0, size=self._size, headers=headers)
        to_skip = 0 if file.r.status == 206 else self._position
        while to_skip:
            skipped = len(file.read(min(to_skip, _SKIP)))
            if not skipped:
                raise EOFError("the connection ended too early")
            to_skip -= skipped
        return file

    def _get_version(self) -> dict[str, Any]:
        self._files.invalidate_cache()
        return version_of(self._files.info(self._key))

    def _check_unchanged(self) -> None:
        if self._get_version() != self._version:
            raise DataError("{path} was changed while it was being read.", path=self._display_path)

    def _end(self) -> None:
        if not self._is_checked:
            self._is_checked = True
            self._disconnect()
            self._with_retries(self._check_unchanged)
            if self._digest is not None and len(_digests) < _MAX_DIGESTS:
                _digests[self._display_path, self._key, repr(self._version)] = self._digest.digest()

    def _acquire_lock(self) -> None:
        if self._lock is not None and not self._has_lock:
            self._lock.acquire()
            self._has_lock = True

    def _disconnect(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(Exception):  # closing a broken connection may fail, without consequence
                file.close()
        if self._lock is not None and self._has_lock:
            self._has_lock = False
            self._lock.release()
