"""How far scoring is: who wants to know, and for a pipe a plain line now and then, whatever the stage."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from sightline.i18n import tr

Watcher = Callable[[str, int, int], None]
"""Told what is done, how much of it, and of how much."""


class LineStages:
    """Called for every step of a stage."""

    def __init__(self, every: float = 5.0, out: Callable[[str], None] = print) -> None:
        self._every, self._out = every, out
        self._told = monotonic()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """See `Watcher`."""
        if monotonic() - self._told >= self._every:
            self._told = monotonic()
            self._out(f"{tr(stage)}: {done:,} / {total:,}")
