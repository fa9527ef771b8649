"""Journal reader: the attempts at each sample so far, looked up by its position in the dataset.

The index takes a few bytes per line; the lines themselves stay on disk.
"""

from __future__ import annotations

import os
from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec
import numpy as np
from msgspec import Meta, Struct

from sightline.core.records import Answer, Attempt, Failure
from sightline.data.json_decoding import JsonDecoder
from sightline.inference.journal.files import journal_files
from sightline.inference.journal.index import JournalCounts, JournalIndex, load_index, save_index

_decoder = JsonDecoder[Answer | Failure](Answer | Failure)
MOST_ATTEMPTS = 1000


class _Head(Struct):
    """The fields of a line that the index needs; the others are not decoded."""

    type: str
    position: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] = -1
    """Limited to what the index can hold: a corrupt line may contain any number."""
    final: bool = False
    cached: bool = False
    tokens_in: int = 0
    tokens_out: int = 0
    model: str = ""


_head_decoder = JsonDecoder[_Head](_Head)


class JournalReader:
    """Random access by position to the final records of all files of a journal."""

    def __init__(self, path: Path) -> None:
        self.unreadable = 0
        self.requests = 0
        """Number of requests sent, including failed ones."""
        self.tokens_in = self.tokens_out = 0
        self.models: Counter[str] = Counter()
        """Number of replies by reported model name; empty for the name that was requested."""
        paths = list(journal_files(path))
        self._files: list[BinaryIO] = [file_path.open("rb") for file_path in paths]
        self._stamps = [
            (file_path.name, os.fstat(file.fileno())) for file_path, file in zip(paths, self._files, strict=True)
        ]
        if (index := load_index(path, self._stamps)) is not None:
            self._restore(index)
        else:
            self._read_all()

    def _read_all(self) -> None:
        """Build the index from every line of every file."""
        positions, offsets, files = array("q"), array("q"), array("q")
        for number, file in enumerate(self._files):
            for position, offset in self._final_lines(file):
                positions.append(position)
                offsets.append(offset)
                files.append(number)
        unsorted = np.array(positions, dtype=np.int64)
        order = np.argsort(unsorted, kind="stable")
        self._positions = unsorted[order]
        self._offsets = np.array(offsets, dtype=np.int64)[order]
        self._parts = np.array(files, dtype=np.int64)[order]

    def _restore(self, index: JournalIndex) -> None:
        """Use a stored index of the same bytes."""
        counts = index.counts
        self.unreadable, self.requests = counts.unreadable, counts.requests
        self.tokens_in, self.tokens_out = counts.tokens_in, counts.tokens_out
        self.models = Counter(counts.models)
        self._positions, self._offsets, self._parts = index.positions, index.offsets, index.parts

    def save(self, path: Path) -> None:
        """Store the index beside the journal, so that the next reader need not build it."""
        counts = JournalCounts(
            unreadable=self.unreadable,
            requests=self.requests,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            models=dict(self.models),
        )
        save_index(path, self._stamps, JournalIndex(counts, self._positions, self._offsets, self._parts))

    def _final_lines(self, file: BinaryIO) -> Iterator[tuple[int, int]]:
        """Position and offset of each final record; all lines are counted."""
        offset = 0
        for line in file:
            start, offset = offset, offset + len(line)
            try:
                head = _head_decoder.decode(line)
            except msgspec.DecodeError:
                self.unreadable += 1
                continue
            self.requests += not head.cached
            self.tokens_in += head.tokens_in * (not head.cached)
            self.tokens_out += head.tokens_out * (not head.cached)
            self.models[head.model] += head.type == "answer"
            if head.type == "answer" or head.final:
                yield head.position, start

    def __len__(self) -> int:
        return len(self._positions)

    def attempts(self, position: int, sample: str) -> list[Attempt]:
        """The attempts at the sample at a position; records of another sample id belong to another dataset."""
        if not len(self._positions):
            return []
        first = int(np.searchsorted(self._positions, position))
        latest: dict[tuple[int, int], Answer | Failure] = {}
        for row in range(first, len(self._positions)):
            if self._positions[row] != position:
                break
            record = self._read(int(self._parts[row]), int(self._offsets[row]))
            if record is None or record.sample != sample:
                continue
            previous = latest.get((record.attempt, record.turn))
            if not (isinstance(previous, Answer) and isinstance(record, Failure)):  # an answer supersedes any failure
                latest[record.attempt, record.turn] = record
        return _attempts(latest)

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()

    def _read(self, file_index: int, offset: int) -> Answer | Failure | None:
        file = self._files[file_index]
        file.seek(offset)
        try:
            return _decoder.decode(file.readline())
        except msgspec.DecodeError:
            self.unreadable += 1
            return None


def count_answered(path: Path) -> int:
    """The number of samples that have an answer in any file of a journal."""
    positions = array("q")
    for file_path in journal_files(path):
        with file_path.open("rb") as file:
            for line in file:
                with suppress(msgspec.DecodeError):
                    head = _head_decoder.decode(line)
                    if head.type == "answer":
                        positions.append(head.position)
    return len(np.unique(np.array(positions, dtype=np.int64)))


def _attempts(latest: dict[tuple[int, int], Answer | Failure]) -> list[Attempt]:
    attempts: list[Attempt] = []
    for (number, turn), record in sorted(latest.items()):
        if not 0 < number <= MOST_ATTEMPTS:  # a corrupt line must not fill the memory with attempts
            continue
        while len(attempts) < number:
            attempts.append(Attempt())
        attempt = attempts[number - 1]
        if isinstance(record, Failure):
            attempt.failure = record
        elif turn == len(attempt.answers) + 1:
            attempt.answers.append(record)
            attempt.failure = None
    return attempts
