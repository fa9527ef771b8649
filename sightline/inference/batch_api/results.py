"""Defensive reading of batch result files: lines may be missing, repeated, truncated or overly long."""

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
from sightline.models.chat_format import error_of_status, error_text
from sightline.models.openai import OpenAIModel

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
    """Reads the result files of a batch; `faults` counts unusable lines by kind."""

    def __init__(self, requests: Mapping[str, BatchRequest], model: OpenAIModel) -> None:
        self._requests = requests
        self._model = model
        self._seen: set[str] = set()
        self.faults: Counter[str] = Counter()

    def read(self, path: Path) -> Iterator[tuple[BatchRequest, Reply | AskError]]:
        """Each request that the file has a result for, once, with its reply or error."""
        for line in read_lines(path):
            if line is None:
                self.faults["long"] += 1
                continue
            try:
                result = _decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                self.faults["unreadable"] += 1
                continue
            request = self._requests.get(result.custom_id)
            if request is None:
                self.faults["unknown"] += 1
            elif result.custom_id in self._seen:
                self.faults["repeated"] += 1
            else:
                self._seen.add(result.custom_id)
                yield request, _outcome(result, self._model)

    def missing(self) -> Iterator[BatchRequest]:
        """The requests that no file has a result for."""
        for name, request in self._requests.items():
            if name not in self._seen:
                yield request


def describe_faults(batch: str, faults: Mapping[str, int]) -> list[Remark]:
    """One sentence for each kind of fault in the files of a batch."""
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
        return error_of_status(line.response.status_code, scrub(error_text(bytes(line.response.body))) or "–")
    if line.response is not None and line.error is None:
        try:
            return model.parse_reply(bytes(line.response.body))
        except AskError as error:
            return error
    fault = line.error or _Error()
    code = str(fault.code)[:80]
    why = scrub(printable(f"{code}: {fault.message}", 300))
    if not code or any(code_word in code for code_word in _WORTH_ANOTHER_TRY):
        return TryAgainError("The batch brought no reply: {why}", "expired" if "expired" in code else "batch", why=why)
    return RejectedError("The batch brought no reply: {why}", "batch", why=why)


def read_lines(path: Path, longest: int = LONGEST_LINE) -> Iterator[bytes | None]:
    """The non-empty lines of a file; None for a line longer than `longest` bytes, which is never held in memory."""
    remainder = b""
    is_too_long = False
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            *lines, rest = (remainder + block).split(b"\n")
            for line in lines:
                if is_too_long or len(line) > longest:
                    is_too_long = False
                    yield None
                elif line.strip():
                    yield line
            is_too_long = is_too_long or len(rest) > longest
            remainder = b"" if is_too_long else rest
    if is_too_long:
        yield None
    elif remainder.strip():
        yield remainder
