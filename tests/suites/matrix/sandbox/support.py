"""The ways of isolation that hold on this machine."""

from __future__ import annotations

from functools import partial

import pytest

from sightline.suites.matrix.sandbox import Limits, Sandbox, Way, box, why_not
from sightline.suites.matrix.sandbox.worker import Worker

BOTH: tuple[Way, ...] = ("bubblewrap", "landlock")
REASONS = {way: why_not(way) for way in BOTH}
WAYS: list[Way] = [way for way in BOTH if not REASONS[way]]


def sandbox_of(way: Way, limits: Limits | None = None, workers: int = 1) -> Sandbox:
    """A sandbox of one way, or a skipped test where it does not hold."""
    if REASONS[way]:
        pytest.skip(REASONS[way])
    return Sandbox(limits, way=way, workers=workers)


def start_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers without NumPy and Matplotlib, for tests that start several and need neither."""
    monkeypatch.setattr(box, "Worker", partial(Worker, preload=False))
