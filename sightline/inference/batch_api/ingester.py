"""Batch ingestion: results of the Batch API are journaled as ordinary answers and failures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from time import time

from msgspec import Struct

from sightline.core.errors import AskError, TryAgainError, exception_remark
from sightline.core.records import Answer, Failure, Reply
from sightline.inference.batch_api.batch_files import BatchRequest
from sightline.inference.batch_api.results import ResultReader
from sightline.inference.budget import Budget
from sightline.inference.journal.reader import JournalReader
from sightline.inference.journal.writer import JournalWriter
from sightline.inference.run_progress import RunProgress
from sightline.models.openai import OpenAIModel


class BatchIngester(Struct):
    """Journals results, and records for this start which samples are retried and which are given up."""

    model: OpenAIModel
    journal: JournalWriter
    budget: Budget
    progress: RunProgress
    max_tries: int
    tries: dict[int, int]
    given_up: set[int]

    def ingest(
        self, requests: dict[str, BatchRequest], files: list[Path], reader: JournalReader, complete: bool
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
                self.record_failure(request, TryAgainError("The batch brought no word on this request.", "missing"))
                counts["failures"] += 1
        return counts, results.faults

    def _record_answer(self, request: BatchRequest, reply: Reply, reader: JournalReader) -> bool:
        if _is_known(request, reader):
            return False
        answer = Answer(
            position=request.position,
            sample=request.sample,
            attempt=request.attempt,
            turn=request.turn,
            text=reply.text,
            stop=reply.stop,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            tries=request.tries,
            at=round(time(), 3),
            model=reply.model if reply.model != self.model.name else "",
        )
        self.journal.write(answer)
        self.progress.record_model(reply.model or self.model.name)
        self.budget.record_cost(reply.tokens_in, reply.tokens_out)
        self.progress.tokens_in += reply.tokens_in
        self.progress.tokens_out += reply.tokens_out
        self.progress.cost = self.budget.cost
        self.tries.pop(request.position, None)
        return True

    def record_failure(self, request: BatchRequest, error: AskError) -> None:
        """Journal a failed request: to be retried in another round, or final."""
        last = request.tries >= self.max_tries or not isinstance(error, TryAgainError)
        failure = Failure(
            position=request.position,
            sample=request.sample,
            attempt=request.attempt,
            turn=request.turn,
            kind=error.kind,
            message=exception_remark(error),
            final=last,
            tries=request.tries,
            at=round(time(), 3),
        )
        self.journal.write(failure)
        self.progress.waiting_for = f"{error.kind}: {error}"
        if last:
            self.given_up.add(request.position)
        else:
            self.progress.retried += 1
            self.tries[request.position] = request.tries


def _is_known(request: BatchRequest, reader: JournalReader) -> bool:
    attempts = reader.attempts(request.position, request.sample)
    return len(attempts) >= request.attempt and len(attempts[request.attempt - 1].answers) >= request.turn
