"""Makers without their pictures."""

from __future__ import annotations

import pytest

from sightline.suites.matrix.generator.action import figures
from sightline.suites.matrix.generator.reasoning import subjects
from sightline.suites.matrix.generator.sheet import Sheet


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is drawn: what is asked and what is right don't depend on it."""

    def blank(self: Sheet, width: int, height: int, paper: str = "", fine: int = 2) -> None:
        self.width, self.height = width, height

    monkeypatch.setattr(Sheet, "__init__", blank)
    for name in ("polygon", "line", "rectangle", "rounded", "disc", "ellipse", "arrow", "text"):
        monkeypatch.setattr(Sheet, name, lambda *_, **__: None)
    monkeypatch.setattr(Sheet, "png", lambda _: b"")
    monkeypatch.setattr(subjects, "picture_of", lambda *_: b"")
    monkeypatch.setattr(figures, "render", lambda *_: b"")
