"""Incremental tail of the journal of a running run: only newly appended lines are read."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from threading import Lock
from time import time
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.records import Answer, Failure, Probe, token_count
from sightline.data.json_decoding import JsonDecoder
from sightline.inference.journal import journal_files
from sightline.reports.sample_view.reader import is_regular_file

RECENT = 12
EXCERPT = 1000
"""Maximum number of characters of a reply that are kept: enough for a line on a page."""
_BLOCK = 4 * 2**20
_decoder = JsonDecoder[Answer | Failure | Probe](Answer | Failure | Probe)


class JournalProgress(Struct, kw_only=True):
    """Progress of a run, counted from its journal."""

    answered: int = 0
    failed: int = 0
    retried: int = 0
    unreadable: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    last: float = 0.0
    """When the last line was written, by the run's own clock."""

    @property
    def idle(self) -> int | None:
        """Seconds since the last line."""
        return max(0, round(time() - self.last)) if self.last else None


class JournalTail:
    """Follows all files of one journal."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._reset()

    def poll(self) -> tuple[JournalProgress, list[Answer | Failure]]:
        """Read new lines; returns the progress and the latest records, newest first."""
        with self._lock:
            try:
                parts = [part for part in journal_files(self._path) if is_regular_file(part)]
                sizes = {part: part.stat().st_size for part in parts}
                if any(sizes.get(part, 0) < offset for part, offset in self._offsets.items()):
                    self._reset()  # a torn line was set aside, or the run began anew
                for part in parts:
                    self._read_new_lines(part)
            except OSError:
                self._reset()
            return replace(self._progress), list(self._recent)[::-1]

    def _reset(self) -> None:
        self._offsets: dict[Path, int] = {}
        self._progress = JournalProgress()
        self._recent: deque[Answer | Failure] = deque(maxlen=RECENT)

    def _read_new_lines(self, part: Path) -> None:
        with part.open("rb") as file:
            file.seek(self._offsets.setdefault(part, 0))
            rest = b""
            while block := file.read(max(_BLOCK, len(rest))):  # a long line takes few rounds, not one per block
                *lines, rest = (rest + block).split(b"\n")
                for line in lines:
                    self._offsets[part] += len(line) + 1
                    self._add_line(line)

    def _add_line(self, line: bytes) -> None:
        progress = self._progress
        try:
            record: Any = _decoder.decode(line)
        except msgspec.DecodeError:
            progress.unreadable += 1
            return
        if isinstance(record, Probe):
            progress.tokens_in += token_count(record.tokens_in) or 0
            progress.tokens_out += token_count(record.tokens_out) or 0
            return
        progress.seconds += record.seconds
        progress.last = max(progress.last, record.at)
        if isinstance(record, Answer):
            progress.answered += 1
            progress.tokens_in += token_count(record.tokens_in) or 0
            progress.tokens_out += token_count(record.tokens_out) or 0
        elif record.final:
            progress.failed += 1
        else:
            progress.retried += 1
        if isinstance(record, Answer):
            record = replace(record, text=record.text[:EXCERPT])
        self._recent.append(record)


class JournalTails:
    """The journal tails in use, by path."""

    def __init__(self) -> None:
        self._tails: dict[Path, JournalTail] = {}

    def of(self, path: Path) -> JournalTail:
        """Return the tail of a journal."""
        return self._tails.setdefault(path, JournalTail(path))
