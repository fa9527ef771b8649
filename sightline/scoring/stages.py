"""How far scoring is, as plain lines; a line now and then, whatever the stage."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from sightline.language import say


class LineStages:
    """Called for every step of a stage."""

    def __init__(self, every: float = 5.0, out: Callable[[str], None] = print) -> None:
        self._every, self._out = every, out
        self._told = monotonic()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """See `Watcher`."""
        if monotonic() - self._told >= self._every:
            self._told = monotonic()
            self._out(f"{say(stage)}: {done:,} / {total:,}")
