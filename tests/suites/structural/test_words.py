"""What is said of supports and loads is one of the phrases that translators know."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from sightline.core.remarks import Remark
from sightline.i18n import set_language
from sightline.suites.structural.model import PointSupport
from sightline.suites.structural.physics import descriptions


@pytest.fixture(autouse=True)
def in_chinese():
    set_language("zh")
    yield
    set_language("")


def translated_remark(phrase: Remark) -> str:
    return str(Remark("load {right} at {place} is missing", {"right": phrase, "place": "(0, 0)"}))


@pytest.mark.parametrize("kind", ["pin", "fixed", "roller", "slider"])
@pytest.mark.parametrize("angle", [0.0, 90.0, 30.0])
def test_supports(kind: str, angle: float) -> None:
    phrase = str(descriptions.format_supports([PointSupport(id="s", point="p", kind=kind, angle=angle)]))
    assert "支座" in phrase and "holding" not in phrase


def test_loads() -> None:
    for x, y, m in product((-2.0, 0.0, 2.5), (-3.0, 0.0), (-1.0, 0.0, 4.0)):
        text = translated_remark(descriptions.format_load(np.array([x, y, m])))
        assert not any(word in text for word in ("right", "left", "up", "down", "clockwise", "nothing")), text
    varied = translated_remark(descriptions.format_line_load(np.array([[0.0, -1.0], [0.0, -5.0]])))
    assert "1 → 5 kN/m" in varied and "向下" in varied
