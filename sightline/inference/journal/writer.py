"""The journal: one line an attempt, flushed, append-only. What is in it will never be asked again."""

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
    """Appends lines; each goes to the system in one write, so that a kill leaves at most one torn line at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self.torn_bytes = set_torn_line_aside(path)
            self._file = path.open("ab", buffering=0)
            self._end = path.stat().st_size
        except OSError as error:
            raise self._unwritable(error) from None

    def write(self, record: Answer | Failure | Probe) -> None:
        """Append one line, or leave the journal as it was and stop the run."""
        line = _encoder.encode(record) + b"\n"
        try:
            written = self._file.write(line)
            while written < len(line):  # a disk that fills up takes a part first and refuses the rest
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


def set_torn_line_aside(path: Path) -> int:
    """Move an unfinished last line to `*.torn` and return its length; 0 where the journal ends as it should."""
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
