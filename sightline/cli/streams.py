"""Robust standard streams: failed output raises `OutputError`, lost messages on standard error are ignored."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any, TextIO, cast

import click
import msgspec

from sightline.i18n.printable import printable_json


class OutputError(OSError):
    """Standard output can't be written. Not a `BrokenPipeError`, which libraries handle in their own ways."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.why = error.strerror or str(error)
        self.is_unwanted = isinstance(error, BrokenPipeError)
        """Whether the reader has closed its end, having seen enough."""
        self.exit_code = 0
        """How the command itself went, where that is known."""


class _RawStream(io.RawIOBase):
    """The lowest layer of a stream, around the real one; what can't be written is dropped, also at exit."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self.name, self.mode = getattr(raw, "name", ""), "wb"
        self._is_broken = False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return int(self._raw.fileno())

    def isatty(self) -> bool:
        return bool(self._raw.isatty())

    def write(self, data: Any) -> int | None:
        size = len(data)
        if self._is_broken:
            return size
        try:
            written: int | None = self._raw.write(data)
            return written
        except OSError as error:
            self._is_broken = True
            self.fail(error)
            return size

    def fail(self, error: OSError) -> None:
        """What is to be done when the stream breaks; for messages: nothing."""


class _RawOutput(_RawStream):
    def fail(self, error: OSError) -> None:
        raise OutputError(error) from None


def print_json(record: Any) -> None:
    """Print a record or plain values as indented JSON; control and bidi characters in names are escaped."""
    click.echo(printable_json(msgspec.json.format(msgspec.json.encode(record), indent=2).decode()))


def protect_streams() -> None:
    """Make the standard streams such that commands need not care: UTF-8, never None, and errors as described above.

    A closed descriptor is opened on nothing: else the next file that is opened, a journal perhaps, would take its
    number, and whatever a library writes to standard error would go into it.
    """
    for number in range(3):
        _open_descriptor(number)
    sys.stdout = _protect(sys.stdout, _RawOutput)
    sys.stderr = _protect(sys.stderr, _RawStream)


def _open_descriptor(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        with suppress(OSError):
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)


def _protect(stream: TextIO | None, kind: type[_RawStream]) -> TextIO:
    if stream is None:  # closed, or a program without a console
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123  # lives as long as the process
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    if not isinstance(stream, io.TextIOWrapper) or not isinstance(raw, io.RawIOBase):
        return stream  # somebody's own, as in tests
    with suppress(OSError):
        stream.flush()
    is_unbuffered = raw is buffer
    is_utf8 = stream.encoding.lower().replace("-", "") == "utf8"
    return io.TextIOWrapper(
        cast(Any, io.BufferedWriter(kind(raw))),
        encoding="utf-8",
        # consoles of Windows and minimal locales may have an encoding without 中文 or even –
        errors=stream.errors if is_utf8 else "replace",
        line_buffering=stream.line_buffering or is_unbuffered,
        write_through=stream.write_through,
    )
