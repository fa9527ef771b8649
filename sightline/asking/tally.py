"""What an asking has come to so far: for progress, for the manifest, for exit codes."""

from __future__ import annotations

from msgspec import Struct

from sightline.records import Grade


class Tally(Struct):
    """Counts of one asking; `kept` samples were answered in an earlier start of the same run."""

    answered: int = 0
    failed: int = 0
    invalid: int = 0
    kept: int = 0
    retried: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    credit: float = 0.0
    graded: int = 0
    in_flight: int = 0
    waiting_for: str = ""
    """What the last failed try was about."""

    @property
    def done(self) -> int:
        """Samples that need no more asking."""
        return self.answered + self.failed + self.invalid + self.kept

    @property
    def accuracy(self) -> float | None:
        """Mean score of what has been graded so far."""
        return self.credit / self.graded if self.graded else None

    def take(self, grade: Grade) -> None:
        """Count a first attempt's grade into the running mean."""
        self.credit += grade.score
        self.graded += 1
