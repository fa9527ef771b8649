"""Makers without their pictures."""

from __future__ import annotations

import pytest

from sightline.suites.matrix.generator.action import figures
from sightline.suites.matrix.generator.canvas import Canvas
from sightline.suites.matrix.generator.reasoning import cross_modal


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is drawn: what is asked and what is right don't depend on it."""

    def blank(self: Canvas, width: int, height: int, paper: str = "", oversampling: int = 2) -> None:
        self.width, self.height = width, height

    monkeypatch.setattr(Canvas, "__init__", blank)
    for name in ("polygon", "line", "rectangle", "rounded", "disc", "ellipse", "arrow", "text"):
        monkeypatch.setattr(Canvas, name, lambda *_, **__: None)
    monkeypatch.setattr(Canvas, "png", lambda _: b"")
    monkeypatch.setattr(cross_modal, "draw_scene", lambda *_: b"")
    monkeypatch.setattr(figures, "render", lambda *_: b"")
