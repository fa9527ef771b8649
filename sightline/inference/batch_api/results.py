"""Files of results, read with care: a server may leave lines out, repeat them, tear them or make them endless."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from sightline.core.errors import AskError, RejectedError, TryAgainError
from sightline.core.records import Remark, Reply
from sightline.i18n.printable import printable
from sightline.inference.batch_api.batch_files import BatchRequest
from sightline.models.openai import OpenAIModel
from sightline.models.wire import error_text, explain

LONGEST_LINE = 16 * 2**20
_BLOCK = 2**20
_WORTH_ANOTHER_TRY = ("expired", "server", "rate", "timeout", "internal", "overload")


class _Response(Struct):
    status_code: int = 200
    body: Raw = Raw(b"null")


class _Error(Struct):
    code: Any = ""
    message: Any = ""


class _Line(Struct):
    custom_id: str
    response: _Response | None = None
    error: _Error | None = None


_decoder = msgspec.json.Decoder(_Line)


class ResultReader:
    """Reads what came back for a part; `faults` counts what was wrong with the files."""

    def __init__(self, rows: Mapping[str, BatchRequest], model: OpenAIModel) -> None:
        self._rows = rows
        self._model = model
        self._seen: set[str] = set()
        self.faults: Counter[str] = Counter()

    def read(self, path: Path) -> Iterator[tuple[BatchRequest, Reply | AskError]]:
        """Each request that the file has a word on, once."""
        for line in read_lines(path):
            if line is None:
                self.faults["long"] += 1
                continue
            try:
                found = _decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                self.faults["unreadable"] += 1
                continue
            row = self._rows.get(found.custom_id)
            if row is None:
                self.faults["unknown"] += 1
            elif found.custom_id in self._seen:
                self.faults["repeated"] += 1
            else:
                self._seen.add(found.custom_id)
                yield row, _outcome(found, self._model)

    def missing(self) -> Iterator[BatchRequest]:
        """The requests that no file had a word on."""
        for name, row in self._rows.items():
            if name not in self._seen:
                yield row


def describe_faults(batch: str, faults: Mapping[str, int]) -> list[Remark]:
    """What was wrong with the files of a batch, a sentence each."""
    sentences = {
        "unknown": Remark("Batch {batch}: {count} lines are about requests that it does not hold."),
        "repeated": Remark("Batch {batch}: {count} lines repeat a request; the first counts."),
        "unreadable": Remark("Batch {batch}: {count} lines can't be read."),
        "long": Remark("Batch {batch}: {count} lines are too long to be a reply."),
    }
    return [Remark(sentences[kind].text, {"batch": batch, "count": count}) for kind, count in faults.items() if count]


def _outcome(line: _Line, model: OpenAIModel) -> Reply | AskError:
    scrub = model.endpoint.key.scrub
    if line.response is not None and line.response.status_code != 200:
        return explain(line.response.status_code, scrub(error_text(bytes(line.response.body))) or "–")
    if line.response is not None and line.error is None:
        try:
            return model.read(bytes(line.response.body))
        except AskError as error:
            return error
    fault = line.error or _Error()
    code = str(fault.code)[:80]
    why = scrub(printable(f"{code}: {fault.message}", 300))
    if not code or any(word in code for word in _WORTH_ANOTHER_TRY):
        return TryAgainError("The batch brought no reply: {why}", "expired" if "expired" in code else "batch", why=why)
    return RejectedError("The batch brought no reply: {why}", "batch", why=why)


def read_lines(path: Path, longest: int = LONGEST_LINE) -> Iterator[bytes | None]:
    """The lines of a file; None for one that is longer than any reply can be, which is never held whole."""
    held = b""
    endless = False
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            *whole, rest = (held + block).split(b"\n")
            for line in whole:
                if endless or len(line) > longest:
                    endless = False
                    yield None
                elif line.strip():
                    yield line
            endless = endless or len(rest) > longest
            held = b"" if endless else rest
    if endless:
        yield None
    elif held.strip():
        yield held
