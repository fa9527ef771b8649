"""The ways of isolation that hold on this machine."""

from __future__ import annotations

from functools import partial

import pytest

from sightline.suites.matrix.sandbox import IsolationMethod, Limits, Sandbox, unavailable_reason
from sightline.suites.matrix.sandbox import sandbox as sandbox_module
from sightline.suites.matrix.sandbox.worker import Worker

BOTH: tuple[IsolationMethod, ...] = ("bubblewrap", "landlock")
REASONS = {method: unavailable_reason(method) for method in BOTH}
ISOLATION_METHODS: list[IsolationMethod] = [method for method in BOTH if not REASONS[method]]


def sandbox_of(method: IsolationMethod, limits: Limits | None = None, workers: int = 1) -> Sandbox:
    """A sandbox of one way, or a skipped test where it does not hold."""
    if REASONS[method]:
        pytest.skip(REASONS[method])
    return Sandbox(limits, method=method, workers=workers)


def start_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers without NumPy and Matplotlib, for tests that start several and need neither."""
    monkeypatch.setattr(sandbox_module, "Worker", partial(Worker, preload=False))
