"""The journal of a run: an append-only log of requests as JSON lines, its writer, its reader, and the stored index.

Each process of a run writes its own file: `journal.jsonl`, or `journal.NAME.jsonl`. Journaled replies are not requested
again. The reader looks the attempts at a sample up by its position in the dataset: it holds a few bytes per line, and
the lines themselves stay on disk.
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Annotated, Any, BinaryIO

import msgspec
import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import asdict
from numpy.typing import NDArray

from sightline.core.atomic_io import atomic_path
from sightline.core.errors import AskError, StorageError, exception_remark
from sightline.core.records import Answer, Attempt, Failure, Picture, Probe, Reply, token_count
from sightline.data.json_decoding import JsonDecoder

MAIN = "main"
MAX_ATTEMPTS = 1000
_TAIL_BLOCK = 64 * 1024
_MIN_QUEUED = 0.001
"""Seconds of waiting that are worth a field of the journal."""
_NAME = re.compile(r"[\w-]{1,80}")
_encoder = msgspec.json.Encoder()
_decoder = JsonDecoder[Answer | Failure](Answer | Failure)


def journal_file(journal: Path, name: str) -> Path:
    """The path of the journal file with a name."""
    return journal if name == MAIN else journal.with_name(f"{journal.stem}.{name}{journal.suffix}")


def journal_files(journal: Path) -> list[Path]:
    """All existing files of a journal, the main one first; symbolic links are ignored, as they may lead anywhere."""
    paths = [journal] if journal.exists() else []
    if journal.suffix:
        for path in sorted(journal.parent.glob(f"{journal.stem}.*{journal.suffix}")):
            name = path.name[len(journal.stem) + 1 : -len(journal.suffix)]
            if _NAME.fullmatch(name) and path.is_file() and not path.is_symlink():
                paths.append(path)
    return paths


class RequestKey(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What identifies one request of a run: the sample, repeat, attempt, turn and try that it belongs to."""

    position: int
    sample: str
    repeat: int = 1
    attempt: int = 1
    turn: int = 1
    tries: int = 1
    pictures: tuple[Picture, ...] = ()
    """The images of a request of the Batch API, whose reply comes later."""

    @property
    def custom_id(self) -> str:
        """The id that the Batch API returns with the reply."""
        repeat = "" if self.repeat == 1 else f"r{self.repeat}-"
        return f"{repeat}{self.position}-{self.attempt}-{self.turn}-{self.tries}"

    def answer(self, reply: Reply, model: str, seconds: float = 0.0, queued: float = 0.0) -> Answer:
        """The journal record of a reply; `model` is the name that was requested, `queued` the seconds before that."""
        return Answer(
            sample=self.sample,
            position=self.position,
            repeat=self.repeat,
            attempt=self.attempt,
            turn=self.turn,
            tries=self.tries,
            pictures=reply.pictures or self.pictures,
            text=reply.text,
            stop=reply.stop,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            seconds=round(seconds, 4),
            cached=reply.cached,
            at=round(time(), 3),
            model=reply.model if reply.model != model else "",
            reasoning=reply.reasoning,
            tokens_reasoning=reply.tokens_reasoning,
            tool_calls=reply.tool_calls,
            first_token=reply.first_token,
            queued=round(queued, 4) if queued >= _MIN_QUEUED else 0.0,
        )

    def failure(self, error: AskError, final: bool, seconds: float = 0.0) -> Failure:
        """The journal record of a failed request; `final` if it is not retried."""
        fields = asdict(self)
        del fields["pictures"]
        return Failure(
            **fields,
            kind=error.kind,
            message=exception_remark(error),
            final=final,
            seconds=round(seconds, 4),
            at=round(time(), 3),
        )


def write_error(path: Path, error: OSError) -> StorageError:
    """The error of a run that can't write to its folder."""
    return StorageError(
        "Cannot write to {path}: {why}",
        hint="Free disk space or fix the file permissions, then rerun the same command to resume.",
        path=path,
        why=error.strerror or error,
    )


class JournalWriter:
    """Appends records as lines, one unbuffered write each, so that a kill leaves at most one torn line at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self.torn_bytes = move_torn_line(path)
            self._file = path.open("ab", buffering=0)
            self._end = path.stat().st_size
        except OSError as error:
            raise write_error(path, error) from None

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
            raise write_error(self._path, error) from None
        self._end += len(line)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


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


def _end_of_last_line(file: BinaryIO, size: int) -> int:
    start = size
    while start > 0:
        length = min(_TAIL_BLOCK, start)
        start -= length
        file.seek(start)
        newline = file.read(length).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
    return 0


class JournalCounts(Struct, kw_only=True):
    """Counts over all lines of a journal."""

    unreadable: int = 0
    requests: int = 0
    """Number of requests sent, including failed ones."""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_reasoning: int = 0
    uncounted: int = 0
    """Number of replies whose tokens the server did not count."""
    truncated: int = 0
    """Number of replies that ended at the limit of their length."""
    answers: int = 0
    models: dict[str, int] = {}
    """Number of replies by reported model name; empty for the name that was requested."""


class _Head(Struct):
    """The fields of a line that the index needs; the others are not decoded."""

    type: str
    position: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] = -1
    """Limited to what the index can hold: a corrupt line may contain any number."""
    final: bool = False
    cached: bool = False
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    model: str = ""
    tokens_reasoning: int = 0
    stop: str = ""


_head_decoder = JsonDecoder[_Head](_Head)


class JournalReader:
    """Random access by position to the final records of all files of a journal."""

    def __init__(self, path: Path) -> None:
        self.counts = JournalCounts()
        paths = journal_files(path)
        self._files: list[BinaryIO] = [file_path.open("rb") for file_path in paths]
        self._stamps = [
            (file_path.name, os.fstat(file.fileno())) for file_path, file in zip(paths, self._files, strict=True)
        ]
        if (index := load_index(path, self._stamps)) is not None:
            self.counts, self._records = index
        else:
            self._read_all()
        self._positions = np.ascontiguousarray(self._records["position"])

    def _read_all(self) -> None:
        """Build the index from every line of every file."""
        positions, offsets, numbers = array("q"), array("q"), array("q")
        for number, file in enumerate(self._files):
            for position, offset in self._final_lines(file):
                positions.append(position)
                offsets.append(offset)
                numbers.append(number)
        records: NDArray[Any] = np.zeros(len(positions), _RECORD)
        for name, column in (("position", positions), ("offset", offsets), ("part", numbers)):
            records[name] = np.array(column, dtype=np.int64)
        self._records = records[np.argsort(records["position"], kind="stable")]

    def save(self, path: Path) -> None:
        """Store the index beside the journal, so that the next reader need not build it."""
        save_index(path, self._stamps, self.counts, self._records)

    def _final_lines(self, file: BinaryIO) -> Iterator[tuple[int, int]]:
        """Position and offset of each final record; all lines are counted."""
        counts, offset = self.counts, 0
        for line in file:
            start, offset = offset, offset + len(line)
            try:
                head = _head_decoder.decode(line)
            except msgspec.DecodeError:
                counts.unreadable += 1
                continue
            if not head.cached:
                counts.requests += 1
                tokens_in, tokens_out = token_count(head.tokens_in), token_count(head.tokens_out)
                counts.tokens_in += tokens_in or 0
                counts.tokens_out += tokens_out or 0
                counts.uncounted += tokens_in is None or tokens_out is None
                counts.tokens_reasoning += token_count(head.tokens_reasoning) or 0
            if head.type == "answer":
                counts.answers += 1
                counts.truncated += head.stop == "truncated"
                counts.models[head.model] = counts.models.get(head.model, 0) + 1
            if head.type == "answer" or head.final:
                yield head.position, start

    def __len__(self) -> int:
        return len(self._records)

    def attempts(self, position: int, sample: str, repeat: int = 1) -> list[Attempt]:
        """The attempts of one repeat at the sample at a position; records of another id belong to another dataset."""
        latest: dict[tuple[int, int], Answer | Failure] = {}
        first = int(np.searchsorted(self._positions, position)) if len(self._positions) else 0
        for row in range(first, len(self._positions)):
            if self._positions[row] != position:
                break
            record = self._read(row)
            if record is None or record.sample != sample or record.repeat != repeat:
                continue
            previous = latest.get((record.attempt, record.turn))
            if not (isinstance(previous, Answer) and isinstance(record, Failure)):  # an answer supersedes any failure
                latest[record.attempt, record.turn] = record
        return _attempts(latest)

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()

    def _read(self, row: int) -> Answer | Failure | None:
        _, offset, number = self._records[row].item()
        file = self._files[number]
        file.seek(offset)
        try:
            return _decoder.decode(file.readline())
        except msgspec.DecodeError:
            self.counts.unreadable += 1
            return None


def _attempts(latest: dict[tuple[int, int], Answer | Failure]) -> list[Attempt]:
    attempts: list[Attempt] = []
    for (number, turn), record in sorted(latest.items()):
        if not 0 < number <= MAX_ATTEMPTS:  # a corrupt line must not fill the memory with attempts
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


Stamps = Sequence[tuple[str, os.stat_result]]
_MAGIC = b"sightline journal index 2\n"
_RECORD = np.dtype([("position", "<i8"), ("offset", "<i8"), ("part", "<i4")])
_MAX_HEADER_BYTES = 1 << 24


class _IndexHeader(Struct):
    """An index is valid only for the bytes it was built from: names, sizes and modification times of the files."""

    parts: list[tuple[str, int, int]]
    lines: int
    counts: JournalCounts


def index_path(journal: Path) -> Path:
    """The path of the index of a journal."""
    return journal.with_suffix(".index")


def save_index(journal: Path, stamps: Stamps, counts: JournalCounts, records: NDArray[Any]) -> None:
    """Write the index (position → file and byte offset) atomically."""
    header = msgspec.json.encode(_IndexHeader(_stamp_rows(stamps), len(records), counts))
    with atomic_path(index_path(journal)) as temporary:
        temporary.write_bytes(_MAGIC + len(header).to_bytes(8, "little") + header + records.tobytes())


def load_index(journal: Path, stamps: Stamps) -> tuple[JournalCounts, NDArray[Any]] | None:
    """The stored index of a journal; None if it is missing, damaged, or its files have changed since."""
    path = index_path(journal)
    try:
        if path.is_symlink():
            return None
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return None
            size = int.from_bytes(file.read(8), "little")
            if size > _MAX_HEADER_BYTES:
                return None
            header = msgspec.json.decode(file.read(size), type=_IndexHeader)
            if header.parts != _stamp_rows(stamps):
                return None
            data = file.read()
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
    if len(data) != header.lines * _RECORD.itemsize:
        return None
    records = np.frombuffer(data, _RECORD)
    parts = records["part"]
    is_valid = len(records) == 0 or (parts.min() >= 0 and parts.max() < len(stamps) and records["offset"].min() >= 0)
    return (header.counts, records) if is_valid else None


def _stamp_rows(stamps: Stamps) -> list[tuple[str, int, int]]:
    return [(name, status.st_size, status.st_mtime_ns) for name, status in stamps]
