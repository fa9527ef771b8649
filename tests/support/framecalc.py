"""Models to read: a small one to change at will, and those that the original has solved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.model import STANDARD_A, STANDARD_E, STANDARD_I, Model

SOLVED = Path(__file__).resolve().parents[3] / "shared" / "data" / "structural-eval"
NAMES = sorted(path.stem for path in (SOLVED / "raw_models").glob("*.json"))


def beam() -> dict[str, Any]:
    """6 m long with a point at 4 m, pinned and rolling, with one load of each kind."""
    return {
        "points": [{"id": "P1", "x": 0, "y": 0}, {"id": "P2", "x": 4, "y": 0}, {"id": "P3", "x": 6, "y": 0}],
        "links": [
            {"id": "L1", "a": "P1", "b": "P2", "E": STANDARD_E, "A": STANDARD_A, "Iz": STANDARD_I, "density": 7850},
            {"id": "L2", "a": "P2", "b": "P3", "E": STANDARD_E, "A": STANDARD_A, "Iz": STANDARD_I, "density": 7850},
        ],
        "supports": [
            {"id": "S1", "at": {"type": "point", "id": "P1"}, "kind": "pin", "angleDeg": 0},
            {"id": "S2", "at": {"type": "point", "id": "P2"}, "kind": "roller", "angleDeg": 0},
        ],
        "loads": [
            {"id": "LD1", "kind": "pointLoad", "at": {"type": "point", "id": "P3"}, "value": 10, "angleDeg": 270},
            {
                "id": "LD2",
                "kind": "distributedLoad",
                "at": {"type": "link", "id": "L1"},
                "wStart": 5,
                "wEnd": 5,
                "angleDeg": 90,
                "angleMode": "relative",
                "flip": -1,
            },
            {"id": "LD3", "kind": "bendingMoment", "at": {"type": "point", "id": "P2"}, "value": 8, "flip": -1},
        ],
    }


def changed(path: str, value: Any) -> dict[str, Any]:
    """The beam with one thing set by its path; `...` takes it out."""
    raw: Any = beam()
    *way, last = path.split(".")
    inner = raw
    for step in way:
        inner = inner[int(step)] if step.isdigit() else inner[step]
    key: Any = int(last) if last.isdigit() else last
    if value is ...:
        del inner[key]
    else:
        inner[key] = value
    return raw  # type: ignore[no-any-return]


def model_of(raw: object) -> Model:
    reading = read_model(raw)
    assert reading.problem is None, str(reading.problem)
    assert reading.model is not None
    return reading.model
