"""Progress as plain lines, for notebooks and logs: no terminal and no widget is needed."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from sightline.asking.tally import Tally
from sightline.execution import Progress
from sightline.language import say
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest

EVERY_SECONDS = 5.0
Say = Callable[[str], None]


class LineProgress(Progress):
    """Prints a line at the start, one every few seconds, and one at the end of asking."""

    def __init__(self, every: float = EVERY_SECONDS, out: Say = print) -> None:
        self._every = every
        self._out = out
        self._told = monotonic()
        self._total: int | None = None

    def begin(self, folder: RunFolder, manifest: Manifest, resumed: bool, torn_bytes: int) -> None:
        """See `Progress`."""
        self._out(say("Going on with {folder}" if resumed else "Run folder: {folder}", folder=folder.path))

    def counted(self, total: int | None) -> None:
        """See `Progress`."""
        self._total = total

    def asking(self, tally: Tally) -> None:
        """See `Progress`."""
        if self._is_due():
            self._out(self._line(tally))

    def asked(self, tally: Tally) -> None:
        """See `Progress`."""
        self._out(self._line(tally))

    def grading(self, count: int) -> None:
        """See `Progress`."""
        if self._is_due():
            self._out(say("{count} graded", count=f"{count:,}"))

    def _is_due(self) -> bool:
        now = monotonic()
        due = now - self._told >= self._every
        self._told = now if due else self._told
        return due

    def _line(self, tally: Tally) -> str:
        parts = [f"{tally.done:,}" + (f" / {self._total:,}" if self._total else "")]
        if tally.retried or tally.failed:
            parts.append(say("{retried} tried again, {failed} failed", retried=tally.retried, failed=tally.failed))
        if tally.cost:
            parts.append(say("cost {cost}", cost=f"{tally.cost:.2f}"))
        if tally.accuracy is not None:
            parts.append(say("score {score}", score=f"{100 * tally.accuracy:.1f} %"))
        return " · ".join(parts)
