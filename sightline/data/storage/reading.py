"""A remote file read from its beginning to its end: a connection that breaks is taken up where it was."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import Any

from sightline.core.errors import DataError
from sightline.data.piece_hash import PieceHash
from sightline.data.storage.filesystems import System
from sightline.data.storage.retry import patiently, why

BLOCK = 1 << 23
"""Bytes of one request."""
_SKIP = 1 << 20
_MARKS = ("size", "ETag", "etag", "md5Hash", "generation", "CRC", "LastModified", "last_modified", "mtime", "modified")
"""What storages tell of a file that changes with its content."""


_MOST_DIGESTS = 10_000
_digests: dict[tuple[str, str, str], bytes] = {}
"""Of files that were read to their end, by address, key and marks: a digest then needs no second fetch."""


def digest_of_read(shown: str, key: str, mark: dict[str, Any]) -> bytes | None:
    """The digest of a file that this process has read whole with these marks; None where it has not."""
    return _digests.get((shown, key, repr(mark)))


def marks(facts: dict[str, Any]) -> dict[str, Any]:
    """Of what a storage tells of a file, that which changes with the content."""
    return {name: facts[name] for name in _MARKS if facts.get(name) is not None}


class RemoteFile(io.RawIOBase):
    """The bytes of a file; a file that changes while it is being read is told, never mixed."""

    def __init__(self, system: System, key: str, shown: str) -> None:
        self._files, self._turn, self._key, self._shown = system.files, system.turn, key, shown
        self._file: Any = None
        self._has_turn = False
        self._at, self._is_checked, self._is_doubtful = 0, False, False
        self._is_web = "https" in system.files.protocol
        self._mark = self._patient(self._look)
        self._size: int | None = self._mark.get("size")
        self._digest: PieceHash | None = PieceHash() if self._mark.keys() > {"size"} else None

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is, by opening it again."""
        return True

    def tell(self) -> int:
        """How many bytes lie before the next one."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go elsewhere; the next read opens the file there."""
        base = (0, self._at, self._size or 0)[whence]
        if base + offset != self._at:
            self._let_go()
            self._at = base + offset
            self._digest = None
        return self._at

    def readinto(self, room: Any) -> int:
        """Some bytes, at least one; 0 at the end, after a look whether the file is still the same."""
        count = len(room)
        piece = b"" if self._at == self._size else self._patient(lambda: self._read(count))
        if not piece:
            self._end()
        elif self._digest is not None:
            self._digest.update(piece)
        room[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def close(self) -> None:
        """Let the connection go."""
        self._let_go()
        super().close()

    def _patient(self, work: Any) -> Any:
        try:
            return patiently(work)
        except DataError:
            raise
        except Exception as error:
            raise DataError("Can't read {path}: {why}", path=self._shown, why=why(error)) from None

    def _read(self, count: int) -> bytes:
        try:
            if self._file is None:
                self._take_turn()
                self._file = self._open()
            piece: bytes = self._file.read(count)
            if not piece and self._size is not None and self._at < self._size:
                raise EOFError("the connection ended too early")
        except Exception:
            self._let_go()
            self._is_doubtful = True
            raise
        return piece

    def _open(self) -> Any:
        """The file from the place that was reached."""
        if self._is_doubtful:
            self._check()
            self._is_doubtful = False
        if self._is_web:
            return self._open_web()
        file = self._files.open(self._key, "rb", block_size=BLOCK)
        if self._at:
            file.seek(self._at)
        return file

    def _open_web(self) -> Any:
        """One request for all that is left; a server that knows no ranges sends the beginning again."""
        headers = {"Range": f"bytes={self._at}-"} if self._at else {}
        file = self._files.open(self._key, "rb", block_size=0, size=self._size, headers=headers)
        left = 0 if file.r.status == 206 else self._at
        while left:
            passed = len(file.read(min(left, _SKIP)))
            if not passed:
                raise EOFError("the connection ended too early")
            left -= passed
        return file

    def _look(self) -> dict[str, Any]:
        self._files.invalidate_cache()
        return marks(self._files.info(self._key))

    def _check(self) -> None:
        if self._look() != self._mark:
            raise DataError("{path} was changed while it was being read.", path=self._shown)

    def _end(self) -> None:
        if not self._is_checked:
            self._is_checked = True
            self._let_go()
            self._patient(self._check)
            if self._digest is not None and len(_digests) < _MOST_DIGESTS:
                _digests[self._shown, self._key, repr(self._mark)] = self._digest.digest()

    def _take_turn(self) -> None:
        if self._turn is not None and not self._has_turn:
            self._turn.acquire()
            self._has_turn = True

    def _let_go(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(Exception):  # a broken connection may not close well, and nothing is lost by that
                file.close()
        if self._turn is not None and self._has_turn:
            self._has_turn = False
            self._turn.release()
