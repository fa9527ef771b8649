"""Files of requests, and where each one is on its way to the server and back. All of it outlives the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Raw, Struct

from sightline.core.atomic_io import write_json
from sightline.core.errors import DataError, RejectedError
from sightline.models.wire import BATCH_ENDPOINT

_encoder = msgspec.json.Encoder()


class BatchRequest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One request of a part: which sample it is about."""

    position: int
    sample: str
    attempt: int = 1
    turn: int = 1
    tries: int = 1

    @property
    def custom_id(self) -> str:
        """The name under which the reply comes back."""
        return f"{self.position}-{self.attempt}-{self.turn}-{self.tries}"


class BatchFile(Struct, kw_only=True):
    """One file of requests."""

    number: int
    requests: int
    state: Literal["written", "uploaded", "handed in", "over"] = "written"
    file: str = ""
    """Its id at the server."""
    batch: str = ""
    status: str = ""


class _Request(Struct):
    custom_id: str
    body: Raw
    method: str = "POST"
    url: str = BATCH_ENDPOINT


class BatchFiles:
    """The parts of a run, and the folder they are in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._state = folder / "state.json"
        self.all: list[BatchFile] = load_batch_files(folder)

    @property
    def under_way(self) -> list[BatchFile]:
        """Those that are not over."""
        return [part for part in self.all if part.state != "over"]

    def save(self) -> None:
        """Keep what is known, before anything else is done."""
        self.folder.mkdir(exist_ok=True)
        write_json(self._state, self.all)

    def requests_file(self, part: BatchFile) -> Path:
        """What is uploaded."""
        return self.folder / f"{part.number:04}.jsonl"

    def results_file(self, part: BatchFile, kind: str) -> Path:
        """What was downloaded: `output` or `error`."""
        return self.folder / f"{part.number:04}.{kind}.jsonl"

    def rows(self, part: BatchFile) -> Iterator[BatchRequest]:
        """The requests of a part."""
        with self._rows_file(part.number).open("rb") as lines:
            for line in lines:
                yield msgspec.json.decode(line, type=BatchRequest)

    def finish(self, part: BatchFile) -> None:
        """All results are in the journal: the files have done their service."""
        part.state = "over"
        self.save()
        paths = [self.requests_file(part), self._rows_file(part.number)]
        for path in [*paths, self.results_file(part, "output"), self.results_file(part, "error")]:
            path.unlink(missing_ok=True)

    def _rows_file(self, number: int) -> Path:
        return self.folder / f"{number:04}.rows.jsonl"

    def writer(self, most_requests: int, most_bytes: int) -> BatchFileWriter:
        """Begins the next part."""
        number = 1 + max((part.number for part in self.all), default=0)
        self.folder.mkdir(exist_ok=True)
        return BatchFileWriter(self, number, most_requests, most_bytes)


class BatchFileWriter:
    """Fills one part up to its limits; nothing counts until it is closed."""

    def __init__(self, parts: BatchFiles, number: int, most_requests: int, most_bytes: int) -> None:
        self._parts = parts
        self._part = BatchFile(number=number, requests=0)
        self._limits = most_requests, most_bytes
        self._size = 0
        self._requests = parts.requests_file(self._part).open("wb")
        self._rows = parts._rows_file(number).open("wb")

    def add(self, row: BatchRequest, body: bytes) -> bool:
        """Add a request; False where it needs another part."""
        line = _encoder.encode(_Request(row.custom_id, Raw(body))) + b"\n"
        most_requests, most_bytes = self._limits
        if len(line) > most_bytes:
            raise RejectedError(
                "The request has {size} bytes; a batch takes {most}.", "too_large", size=len(line), most=most_bytes
            )
        if self._part.requests >= most_requests or self._size + len(line) > most_bytes:
            return False
        self._requests.write(line)
        self._rows.write(_encoder.encode(row) + b"\n")
        self._size += len(line)
        self._part.requests += 1
        return True

    def close(self) -> BatchFile | None:
        """The part, written; None where nothing was added."""
        if not self._part.requests:
            self.abandon()
            return None
        self._requests.close()
        self._rows.close()
        self._parts.all.append(self._part)
        self._parts.save()
        return self._part

    def abandon(self) -> None:
        """As if the part had never been begun."""
        for file in (self._requests, self._rows):
            with suppress(OSError):  # a full disk refuses what is still to be written
                file.close()
            Path(file.name).unlink(missing_ok=True)


def load_batch_files(folder: Path) -> list[BatchFile]:
    """The parts that a run has written so far."""
    path = folder / "state.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[BatchFile]) if path.exists() else []
    except (OSError, msgspec.DecodeError) as error:
        raise DataError("{path} can't be read: {why}", path=path, why=error) from None
