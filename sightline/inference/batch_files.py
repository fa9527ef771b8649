"""Batch files: JSON-lines files of requests and their state at the server, stored in the run folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Raw, Struct

from sightline.core.atomic_io import write_json
from sightline.core.errors import DataError, RejectedError
from sightline.inference.journal import RequestKey
from sightline.models.chat_format import BATCH_ENDPOINT

_encoder = msgspec.json.Encoder()


class BatchFile(Struct, kw_only=True):
    """One file of requests and its state."""

    number: int
    requests: int
    state: Literal["written", "uploaded", "handed in", "over"] = "written"
    file: str = ""
    """The id of the uploaded file at the server."""
    batch: str = ""
    status: str = ""


class _Request(Struct):
    custom_id: str
    body: Raw
    method: str = "POST"
    url: str = BATCH_ENDPOINT


class BatchFiles:
    """The batch files of a run, and the folder that contains them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._state = folder / "state.json"
        self.all: list[BatchFile] = load_batch_files(folder)

    @property
    def pending(self) -> list[BatchFile]:
        """The batch files whose results are not yet in the journal."""
        return [batch_file for batch_file in self.all if batch_file.state != "over"]

    def save(self) -> None:
        """Store the state of all batch files."""
        self.folder.mkdir(exist_ok=True)
        write_json(self._state, self.all)

    def requests_file(self, batch_file: BatchFile) -> Path:
        """The path of the file that is uploaded."""
        return self.folder / f"{batch_file.number:04}.jsonl"

    def results_file(self, batch_file: BatchFile, kind: str) -> Path:
        """The path of a downloaded file; `kind` is `output` or `error`."""
        return self.folder / f"{batch_file.number:04}.{kind}.jsonl"

    def requests(self, batch_file: BatchFile) -> Iterator[RequestKey]:
        """The requests of a batch file."""
        with self._rows_file(batch_file.number).open("rb") as lines:
            for line in lines:
                yield msgspec.json.decode(line, type=RequestKey)

    def finish(self, batch_file: BatchFile) -> None:
        """Mark a batch file as finished once all results are in the journal, and delete its files."""
        batch_file.state = "over"
        self.save()
        paths = [self.requests_file(batch_file), self._rows_file(batch_file.number)]
        for path in [*paths, self.results_file(batch_file, "output"), self.results_file(batch_file, "error")]:
            path.unlink(missing_ok=True)

    def _rows_file(self, number: int) -> Path:
        return self.folder / f"{number:04}.rows.jsonl"

    def writer(self, max_requests: int, max_bytes: int) -> BatchFileWriter:
        """A writer of the next batch file."""
        number = 1 + max((batch_file.number for batch_file in self.all), default=0)
        self.folder.mkdir(exist_ok=True)
        return BatchFileWriter(self, number, max_requests, max_bytes)


class BatchFileWriter:
    """Writes one batch file up to its limits; it becomes part of the run only when it is closed."""

    def __init__(self, batch_files: BatchFiles, number: int, max_requests: int, max_bytes: int) -> None:
        self._batch_files = batch_files
        self._batch_file = BatchFile(number=number, requests=0)
        self._limits = max_requests, max_bytes
        self._size = 0
        self._requests = batch_files.requests_file(self._batch_file).open("wb")
        self._rows = batch_files._rows_file(number).open("wb")

    def add(self, request: RequestKey, body: bytes) -> bool:
        """Add a request; False if the file is full."""
        line = _encoder.encode(_Request(request.custom_id, Raw(body))) + b"\n"
        max_requests, max_bytes = self._limits
        if len(line) > max_bytes:
            raise RejectedError(
                "The request has {size} bytes, but a batch file may have at most {limit}.",
                "too_large",
                size=len(line),
                limit=max_bytes,
            )
        if self._batch_file.requests >= max_requests or self._size + len(line) > max_bytes:
            return False
        self._requests.write(line)
        self._rows.write(_encoder.encode(request) + b"\n")
        self._size += len(line)
        self._batch_file.requests += 1
        return True

    def close(self) -> BatchFile | None:
        """Finish the batch file and return it; None if nothing was added."""
        if not self._batch_file.requests:
            self.abandon()
            return None
        self._requests.close()
        self._rows.close()
        self._batch_files.all.append(self._batch_file)
        self._batch_files.save()
        return self._batch_file

    def abandon(self) -> None:
        """Delete the files of an unfinished batch file."""
        for file in (self._requests, self._rows):
            with suppress(OSError):  # flushing fails on a full disk
                file.close()
            Path(file.name).unlink(missing_ok=True)


def load_batch_files(folder: Path) -> list[BatchFile]:
    """The stored batch files of a run."""
    path = folder / "state.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[BatchFile]) if path.exists() else []
    except (OSError, msgspec.DecodeError) as error:
        raise DataError("Cannot read {path}: {why}", path=path, why=error) from None
