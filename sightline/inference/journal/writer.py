"""Append-only journal writer: one JSON line per request, written at once. Journaled replies are not requested again."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from sightline.core.errors import JournalError
from sightline.core.records import Answer, Failure, Probe

_encoder = msgspec.json.Encoder()


class JournalWriter:
    """Appends records as lines, one unbuffered write each, so that a kill leaves at most one torn line at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self.torn_bytes = move_torn_line(path)
            self._file = path.open("ab", buffering=0)
            self._end = path.stat().st_size
        except OSError as error:
            raise self._unwritable(error) from None

    def write(self, record: Answer | Failure | Probe) -> None:
        """Append one record; on failure the journal is truncated to its previous end and the run is stopped."""
        line = _encoder.encode(record) + b"\n"
        try:
            written = self._file.write(line)
            while written < len(line):  # a disk that fills up accepts a partial write first
                written += self._file.write(line[written:])
        except OSError as error:
            with suppress(OSError):
                os.truncate(self._path, self._end)
            raise self._unwritable(error) from None
        self._end += len(line)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _unwritable(self, error: OSError) -> JournalError:
        return JournalError(
            "Can't write the journal {path}: {why}",
            hint="Make room or mend the rights, then give the same command again: it goes on where it stopped.",
            path=self._path,
            why=error.strerror,
        )


def move_torn_line(path: Path) -> int:
    """Move an incomplete last line to `*.torn` and return its length; 0 if the journal ends with a newline."""
    if not path.exists() or path.stat().st_size == 0:
        return 0
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        end = _end_of_last_line(file, size)
        if end == size:
            return 0
        file.seek(end)
        torn = file.read()
        with path.with_suffix(path.suffix + ".torn").open("ab") as aside:
            aside.write(torn + b"\n")
        file.truncate(end)
    return len(torn)


def _end_of_last_line(file: BinaryIO, size: int, block: int = 64 * 1024) -> int:
    start = size
    while start > 0:
        length = min(block, start)
        start -= length
        file.seek(start)
        newline = file.read(length).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
    return 0
