"""Usage of a run: requests, tokens, cost and time, counted from the journal."""

from __future__ import annotations

from msgspec.structs import replace

from sightline.core.records import Attempt, token_count
from sightline.inference.journal import JournalReader
from sightline.runs.manifest import Manifest
from sightline.scoring.summary import Usage


def compute_usage(usage: Usage, history: JournalReader, manifest: Manifest) -> Usage:
    """Return the usage with requests, tokens and cost filled in from the journal."""
    prices = manifest.config.get("price_in") or 0, manifest.config.get("price_out") or 0
    return replace(
        usage,
        requests=history.counts.requests,
        tokens_in=history.counts.tokens_in,
        tokens_out=history.counts.tokens_out,
        tokens_reasoning=history.counts.tokens_reasoning,
        cost=(history.counts.tokens_in * prices[0] + history.counts.tokens_out * prices[1]) / 1e6,
    )


class UsageCounter:
    """Sums over answers for the usage figures: time in the model, in the queue, and to the first token."""

    def __init__(self) -> None:
        self.cached = self._streamed = self._tokens = 0
        self._seconds = self._queued = self._first_token = self._seconds_writing = 0.0

    def add(self, attempts: list[Attempt]) -> None:
        """Add the answers of a sample."""
        for attempt in attempts:
            for answer in attempt.answers:
                self.cached += answer.cached
                if answer.cached:
                    continue
                self._seconds += answer.seconds
                self._queued += answer.queued
                self._streamed += answer.first_token > 0
                self._first_token += answer.first_token
                self._tokens += token_count(answer.tokens_out) or 0
                self._seconds_writing += max(0.0, answer.seconds - answer.first_token)

    def usage(self, seconds_asking: float) -> Usage:
        """The figures; `seconds_asking` is the duration of the whole inference."""
        return Usage(
            cached=self.cached,
            seconds_in_model=self._seconds,
            seconds_queued=self._queued,
            seconds_to_first_token=self._first_token / self._streamed if self._streamed else None,
            tokens_per_second=_rate(self._tokens, self._seconds_writing),
            total_tokens_per_second=_rate(self._tokens, seconds_asking),
        )


def _rate(count: int, seconds: float) -> float | None:
    return count / seconds if count and seconds > 0 else None
