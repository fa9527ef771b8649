"""Results into the journal: replies as ordinary answers, errors as ordinary failures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from time import time

from msgspec import Struct

from sightline.core.errors import AskError, TryAgainError
from sightline.core.records import Answer, Failure, Reply
from sightline.inference.batch_api.batch_files import BatchRequest
from sightline.inference.batch_api.results import ResultReader
from sightline.inference.budget import Budget
from sightline.inference.journal.reader import JournalReader
from sightline.inference.journal.writer import JournalWriter
from sightline.inference.run_progress import RunProgress
from sightline.models.openai import OpenAIModel


class BatchIngester(Struct):
    """Writes what came back, and remembers for this start which requests are tried again and which are given up."""

    model: OpenAIModel
    journal: JournalWriter
    budget: Budget
    tally: RunProgress
    max_tries: int
    tries: dict[int, int]
    given_up: set[int]

    def take(
        self, rows: dict[str, BatchRequest], files: list[Path], history: JournalReader, complete: bool
    ) -> tuple[Counter[str], Counter[str]]:
        """Journal all results of a part; where the batch is complete, what is missing in them has failed.

        Returns how many answers and failures there were, and what was wrong with the files.
        What the journal holds already, from a start that was ended in the middle of this, is not written again.
        """
        results = ResultReader(rows, self.model)
        counts: Counter[str] = Counter()
        for path in files:
            for row, outcome in results.read(path):
                if isinstance(outcome, Reply):
                    counts["answers"] += self._answered(row, outcome, history)
                else:
                    self.failed(row, outcome)
                    counts["failures"] += 1
        if complete:
            for row in results.missing():
                self.failed(row, TryAgainError("The batch brought no word on this request.", "missing"))
                counts["failures"] += 1
        return counts, results.faults

    def _answered(self, row: BatchRequest, reply: Reply, history: JournalReader) -> bool:
        if _is_known(row, history):
            return False
        answer = Answer(
            position=row.position,
            sample=row.sample,
            attempt=row.attempt,
            turn=row.turn,
            text=reply.text,
            stop=reply.stop,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            tries=row.tries,
            at=round(time(), 3),
            model=reply.model if reply.model != self.model.name else "",
        )
        self.journal.write(answer)
        self.tally.record_model(reply.model or self.model.name)
        self.budget.pay(reply.tokens_in, reply.tokens_out)
        self.tally.tokens_in += reply.tokens_in
        self.tally.tokens_out += reply.tokens_out
        self.tally.cost = self.budget.cost
        self.tries.pop(row.position, None)
        return True

    def failed(self, row: BatchRequest, error: AskError) -> None:
        """One request that came to nothing: another round, or the end."""
        last = row.tries >= self.max_tries or not isinstance(error, TryAgainError)
        failure = Failure(
            position=row.position,
            sample=row.sample,
            attempt=row.attempt,
            turn=row.turn,
            kind=error.kind,
            message=str(error),
            final=last,
            tries=row.tries,
            at=round(time(), 3),
        )
        self.journal.write(failure)
        self.tally.waiting_for = f"{error.kind}: {error}"
        if last:
            self.given_up.add(row.position)
        else:
            self.tally.retried += 1
            self.tries[row.position] = row.tries


def _is_known(row: BatchRequest, history: JournalReader) -> bool:
    attempts = history.of(row.position, row.sample)
    return len(attempts) >= row.attempt and len(attempts[row.attempt - 1].answers) >= row.turn
