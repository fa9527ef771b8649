"""Streaming decompression of gzip and Zstandard files; damage ends the stream and is reported, not raised."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from sightline.core.errors import DataError
from sightline.data.storage import AnyPath, is_remote

_ZSTD_READ = 1 << 13  # small, because a malicious file may expand by a factor of 30,000
_GZIP_READ = 1 << 16
COMPRESSED_SUFFIXES = (".gz", ".zst")


def open_raw(path: AnyPath) -> BinaryIO:
    """Open a file unbuffered, without decompression; raises `DataError` if it can't be opened."""
    if is_remote(path):
        return path.open()  # type: ignore[return-value]  # it reads as a raw file does
    try:
        return path.open("rb", buffering=0)
    except OSError as error:
        raise DataError("Cannot read {path}: {why}", path=path, why=error.strerror) from None


def is_compressed(path: AnyPath) -> bool:
    """Whether a file is compressed, by its suffix."""
    return path.suffix.lower() in COMPRESSED_SUFFIXES


class DecompressedStream:
    """The decompressed bytes of a file, read into buffers."""

    def __init__(self, path: AnyPath) -> None:
        self._file = open_raw(path)
        self.damage = ""
        """Why the stream ended too early; empty if it is undamaged."""
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
        """Read up to as many bytes as the buffer holds; 0 at the end."""
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
        """The number of bytes read from the file, before decompression."""
        return self._file.tell()

    def close(self) -> None:
        """Close the file."""
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
            "{path} is compressed with Zstandard; the package zstandard is not installed.",
            hint="pip install zstandard",
            path=path,
        ) from None
    return zstandard.ZstdDecompressor().decompressobj, (zstandard.ZstdError, MemoryError), _ZSTD_READ


def _decompress(file: BinaryIO, new_member: Callable[[], Any], size: int) -> Iterator[bytes]:
    """The decompressed blocks of all concatenated members of a file."""
    member: Any = None
    while block := file.read(size):
        while block:
            if member is None:
                block = block.lstrip(b"\0")  # zero padding, as tapes and some writers add it
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
