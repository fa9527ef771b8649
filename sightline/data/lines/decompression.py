"""Bytes of a file in blocks, whatever it is packed with; what is damaged ends them and is told, not raised."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from sightline.core.errors import DataError
from sightline.data.storage import AnyPath, is_remote

_ZSTD_READ = 1 << 13  # so little, because a hostile file may unfold 30,000 times
_GZIP_READ = 1 << 16
COMPRESSED_SUFFIXES = (".gz", ".zst")


def open_raw(path: AnyPath) -> BinaryIO:
    """The file itself, unbuffered; where it can't be opened, an error that says why."""
    if is_remote(path):
        return path.open()  # type: ignore[return-value]  # it reads as a raw file does
    try:
        return path.open("rb", buffering=0)
    except OSError as error:
        raise DataError("Can't read {path}: {why}", path=path, why=error.strerror) from None


def is_compressed(path: AnyPath) -> bool:
    """Whether the name says that the file is compressed."""
    return path.suffix.lower() in COMPRESSED_SUFFIXES


class DecompressedStream:
    """Fills buffers with the unpacked bytes of a file."""

    def __init__(self, path: AnyPath) -> None:
        self._file = open_raw(path)
        self.damage = ""
        """Why the bytes ended too early; empty while nothing is wrong."""
        self._remainder = memoryview(b"")
        self._blocks: Iterator[bytes] | None = None
        if is_compressed(path):
            is_gzip = path.suffix.lower() == ".gz"
            new_member, errors, size = _gzip() if is_gzip else _zstandard(path, self._file)
            self._errors: tuple[type[Exception], ...] = (OSError, EOFError, *errors)
            self._blocks = _decompress(self._file, new_member, size)
        else:
            self._errors = (OSError,)

    def fill(self, buffer: memoryview) -> int:
        """Read up to as many bytes as there is room for; 0 at the end."""
        try:
            if self._blocks is None:
                return self._file.readinto(buffer) or 0  # type: ignore[attr-defined]  # a raw file has it
            if not self._remainder:
                self._remainder = memoryview(next(self._blocks, b""))
        except self._errors as error:
            self.damage = str(error) or type(error).__name__
            return 0
        count = min(len(buffer), len(self._remainder))
        buffer[:count] = self._remainder[:count]
        self._remainder = self._remainder[count:]
        return count

    def position(self) -> int:
        """How many bytes of the file itself have been read."""
        return self._file.tell()

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


Decompressor = tuple[Callable[[], Any], tuple[type[Exception], ...], int]


def _gzip() -> Decompressor:
    return (lambda: zlib.decompressobj(zlib.MAX_WBITS | 16)), (zlib.error,), _GZIP_READ


def _zstandard(path: AnyPath, file: BinaryIO) -> Decompressor:
    try:
        import zstandard
    except ImportError:
        file.close()
        raise DataError(
            "{path} is packed with Zstandard, which is not installed.", hint="pip install zstandard", path=path
        ) from None
    return zstandard.ZstdDecompressor().decompressobj, (zstandard.ZstdError, MemoryError), _ZSTD_READ


def _decompress(file: BinaryIO, new_member: Callable[[], Any], size: int) -> Iterator[bytes]:
    """The pieces of every member of a packed file, one after the other."""
    member: Any = None
    while block := file.read(size):
        while block:
            if member is None:
                block = block.lstrip(b"\0")  # padding, as tapes and some writers leave it
                if not block:
                    break
                member = new_member()
            if out := member.decompress(block):
                yield out
            block = b""
            if member.eof:
                block, member = member.unused_data, None
    if member is not None:
        raise EOFError("the file ends too early")
