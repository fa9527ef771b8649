"""Results of the Batch API: defensive reading of result files, and their ingestion into the journal.

Lines may be missing, repeated, truncated or overly long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from sightline.core.errors import AskError, RejectedError, TryAgainError
from sightline.core.records import Reply
from sightline.core.remarks import Remark
from sightline.i18n.printable import printable
from sightline.inference.budget import Budget
from sightline.inference.journal import JournalReader, JournalWriter, RequestKey
from sightline.inference.run_progress import RunProgress
from sightline.models.chat_format import error_of_status, error_text
from sightline.models.openai import OpenAIModel

MAX_LINE_BYTES = 16 * 2**20
_BLOCK = 2**20
_RETRYABLE_CODES = ("expired", "server", "rate", "timeout", "internal", "overload")


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

    def __init__(self, requests: Mapping[str, RequestKey], model: OpenAIModel) -> None:
        self._requests = requests
        self._model = model
        self._seen: set[str] = set()
        self.faults: Counter[str] = Counter()

    def read(self, path: Path) -> Iterator[tuple[RequestKey, Reply | AskError]]:
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

    def missing(self) -> Iterator[RequestKey]:
        """The requests that no file has a result for."""
        for name, request in self._requests.items():
            if name not in self._seen:
                yield request


def describe_faults(batch: str, faults: Mapping[str, int]) -> list[Remark]:
    """One sentence for each kind of fault in the files of a batch."""
    sentences = {
        "unknown": Remark("Batch {batch}: {count} result lines refer to unknown requests."),
        "repeated": Remark("Batch {batch}: {count} result lines are duplicates; the first one of each is used."),
        "unreadable": Remark("Batch {batch}: {count} result lines cannot be parsed."),
        "long": Remark("Batch {batch}: {count} result lines are too long and are ignored."),
    }
    return [Remark(sentences[kind].text, {"batch": batch, "count": count}) for kind, count in faults.items() if count]


def _outcome(line: _Line, model: OpenAIModel) -> Reply | AskError:
    scrub = model.endpoint.key.scrub
    if line.response is not None and line.response.status_code != 200:
        adjusted = model.adjust(line.response.status_code, bytes(line.response.body), model.current_settings)
        if adjusted is not None:
            return adjusted
        return error_of_status(line.response.status_code, scrub(error_text(bytes(line.response.body))) or "–")
    if line.response is not None and line.error is None:
        try:
            return model.parse_reply(bytes(line.response.body))
        except AskError as error:
            return error
    fault = line.error or _Error()
    code = str(fault.code)[:80]
    why = scrub(printable(f"{code}: {fault.message}", 300))
    if not code or any(word in code for word in _RETRYABLE_CODES):
        return TryAgainError("The batch returned no reply: {why}", "expired" if "expired" in code else "batch", why=why)
    return RejectedError("The batch returned no reply: {why}", "batch", why=why)


def read_lines(path: Path, longest: int = MAX_LINE_BYTES) -> Iterator[bytes | None]:
    """The non-empty lines of a file; None for a line longer than `longest` bytes, which is never held in memory."""
    with path.open("rb") as file:
        while line := file.readline(longest + 1):
            if len(line) > longest and not line.endswith(b"\n"):
                while (rest := file.readline(_BLOCK)) and not rest.endswith(b"\n"):
                    pass
                yield None
            elif line.strip():
                yield line.removesuffix(b"\n")


class BatchIngester(Struct):
    """Journals results, and records for this start which samples are retried and which are given up."""

    model: OpenAIModel
    journal: JournalWriter
    budget: Budget
    progress: RunProgress
    max_tries: int
    tries: dict[tuple[int, int], int]
    """Failed tries by position and repeat."""
    given_up: set[tuple[int, int]]

    def ingest(
        self, requests: dict[str, RequestKey], files: list[Path], reader: JournalReader, complete: bool
    ) -> tuple[Counter[str], Counter[str]]:
        """Journal all results of a batch file; if the batch is complete, requests without a result have failed.

        Returns the numbers of answers and failures, and counts of the faults of the files. Answers that are already in
        the journal, from a start that was killed during ingestion, are not written again.
        """
        results = ResultReader(requests, self.model)
        counts: Counter[str] = Counter()
        for path in files:
            for request, outcome in results.read(path):
                if isinstance(outcome, Reply):
                    counts["answers"] += self._record_answer(request, outcome, reader)
                else:
                    self.record_failure(request, outcome)
                    counts["failures"] += 1
        if complete:
            for request in results.missing():
                self.record_failure(request, TryAgainError("The batch results do not include this request.", "missing"))
                counts["failures"] += 1
        return counts, results.faults

    def _record_answer(self, request: RequestKey, reply: Reply, reader: JournalReader) -> bool:
        if _is_known(request, reader):
            return False
        self.journal.write(request.answer(reply, self.model.name))
        self.progress.record_model(reply.model or self.model.name)
        self.progress.record_usage(reply, self.budget)
        self.tries.pop((request.position, request.repeat), None)
        return True

    def record_failure(self, request: RequestKey, error: AskError) -> None:
        """Journal a failed request: to be retried in another round, or final."""
        is_final = request.tries >= self.max_tries or not isinstance(error, TryAgainError)
        failure = request.failure(error, is_final)
        self.journal.write(failure)
        self.progress.record_failure(failure)
        if is_final:
            self.given_up.add((request.position, request.repeat))
        else:
            self.tries[request.position, request.repeat] = request.tries


def _is_known(request: RequestKey, reader: JournalReader) -> bool:
    attempts = reader.attempts(request.position, request.sample, request.repeat)
    return len(attempts) >= request.attempt and len(attempts[request.attempt - 1].answers) >= request.turn
