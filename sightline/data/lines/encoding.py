"""Text encodings of line files: GB18030 (GBK) and UTF-16 are recognised and read as UTF-8.

A file is UTF-16 if it begins with its byte order mark. It is GB18030 if more of its first lines are valid in that
encoding and not in UTF-8 than are valid UTF-8 with letters beyond ASCII, counting lines whose letters are mostly common
Chinese ones. Everything else is UTF-8.
"""

from __future__ import annotations

import codecs
from typing import Literal

from sightline.data.lines.decompression import DecompressedStream
from sightline.data.storage import AnyPath

Encoding = Literal["utf-8", "gb18030", "utf-16"]
HEAD_BYTES = 1 << 20
"""Bytes by which an encoding is recognised, and that are converted at once."""
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def detect_encoding(head: bytes, is_whole: bool = False) -> Encoding:
    """The encoding of a file that begins with these bytes."""
    if head.startswith(_MARKS):
        return "utf-16"
    lines = head.split(b"\n")
    texts = [line for line in (lines if is_whole or len(lines) == 1 else lines[:-1]) if not line.isascii()]
    in_utf8 = sum(_is_valid(line, "utf-8", is_whole) for line in texts)
    in_gb18030 = sum(not _is_valid(line, "utf-8", is_whole) and _is_chinese(line, is_whole) for line in texts)
    return "gb18030" if in_gb18030 > in_utf8 else "utf-8"


def _is_valid(line: bytes, encoding: str, is_whole: bool) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(line, final=is_whole)  # a long line may be cut anywhere
    except UnicodeDecodeError:
        return False
    return True


def _is_chinese(line: bytes, is_whole: bool) -> bool:
    """Whether a line is valid GB18030 and half of its letters beyond ASCII are common ones, those of GB 2312."""
    if not _is_valid(line, "gb18030", is_whole):
        return False
    letters = [letter for letter in line.decode("gb18030", "ignore") if not letter.isascii()]
    return len("".join(letters).encode("gb2312", "ignore")) >= len(letters)  # two bytes each, so that half is enough


class Utf8Stream:
    """The decompressed bytes of a file as UTF-8, whatever its encoding."""

    def __init__(self, path: AnyPath, encoding: str = "auto") -> None:
        """`encoding` is one of `FILE_ENCODINGS`; GBK is read as GB18030, which contains it."""
        self._stream = DecompressedStream(path)
        self._ready = memoryview(b"")
        self._decoder: codecs.IncrementalDecoder | None = None
        self._is_over = False
        head = self._read() if encoding in ("auto", "utf-16") else b""
        self.encoding: Encoding = "utf-8"
        if encoding == "auto":
            self.encoding = detect_encoding(head, self._is_over)
        elif encoding != "utf-8":
            self.encoding = "utf-16" if encoding == "utf-16" else "gb18030"
        if self.encoding != "utf-8":
            name = "utf-16-le" if self.encoding == "utf-16" and not head.startswith(_MARKS) else self.encoding
            self._decoder = codecs.getincrementaldecoder(name)("replace")
            head = self._decode(head)
        self._ready = memoryview(head)

    @property
    def is_converted(self) -> bool:
        """Whether the bytes are others than those of the file."""
        return self._decoder is not None

    @property
    def damage(self) -> str:
        """Why the stream ended too early; empty if it is undamaged."""
        return self._stream.damage

    def fill(self, buffer: memoryview) -> int:
        """Read up to as many bytes as the buffer holds; 0 at the end."""
        if not self._ready and self._decoder is None:
            return self._stream.fill(buffer)
        while not self._ready and not self._is_over:
            self._ready = memoryview(self._decode(self._read()))
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _read(self) -> bytes:
        """The next bytes of the file, as many as are converted at once."""
        block, size = bytearray(HEAD_BYTES), 0
        while size < len(block) and not self._is_over:
            count = self._stream.fill(memoryview(block)[size:])
            size, self._is_over = size + count, not count
        return bytes(block[:size])

    def _decode(self, block: bytes) -> bytes:
        assert self._decoder is not None
        return self._decoder.decode(block, self._is_over).encode("utf-8", "replace")

    def position(self) -> int:
        """The number of bytes read from the file, before decompression, without those that wait to be taken."""
        return max(self._stream.position() - len(self._ready), 0)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
