"""Two tools for people with a model in hand: `sightline.solve(model)` and `sightline.diagnose(answer, truth)`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sightline.errors import DataError
from sightline.fem.structure import solve as solve_frame
from sightline.suites.structural.framecalc.convert import to_frame
from sightline.suites.structural.framecalc.reading import read_model
from sightline.suites.structural.framecalc.results import reactions, samples
from sightline.suites.structural.model import Model
from sightline.suites.structural.physics.diagnosis import Diagnosis, UnreadableModel, diagnose_raw

Source = Mapping[str, Any] | str | Path
"""A model as a mapping, as JSON text, or as the path of a file."""


def load_raw(source: Source) -> Any:
    """The JSON value behind a source."""
    if isinstance(source, Mapping):
        return dict(source)
    text = str(source)
    where = "the call"
    if isinstance(source, Path) or not text.lstrip().startswith("{"):
        where = text
        try:
            text = Path(source).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise DataError("Can't read {path}: {why}", path=source, why=error.strerror) from None
    try:
        return json.loads(text)
    except ValueError as error:
        raise DataError("{path} can't be read: {why}", path=where, why=error) from None


def load_model(source: Source) -> Model:
    """The structural model behind a source, or why there is none."""
    reading = read_model(load_raw(source))
    if reading.model is None:
        path = source if isinstance(source, str | Path) else "the call"
        raise DataError("{path} holds no structural model: {why}", path=path, why=reading.problem)
    return reading.model


def solve(model: Source) -> dict[str, Any]:
    """Reactions, N/V/M along every link and displacements of every point, in the conventions of the format."""
    read = load_model(model)
    solution = solve_frame(to_frame(read))
    moved = {
        point.id: {"ux": float(u[0]), "uy": float(u[1]), "rz": float(u[2])}
        for point, u in zip(read.points, solution.displacements, strict=True)
    }
    return {"reactions": reactions(read, solution), "axial": samples(read, solution), "displacements": moved}


def diagnose(answer: Source, truth: Source, tolerance: float = 0.01) -> dict[str, Any]:
    """`{"score", "stage", "problems"}` of an answer: 0, 0.25, 0.5, 0.75 or 1, and the wrong parts by name."""
    return diagnosis(answer, truth, tolerance).to_dict()


def diagnosis(answer: Source, truth: Source, tolerance: float = 0.01) -> Diagnosis:
    """The same with the models laid over each other."""
    load_model(truth)
    found = diagnose_raw(load_raw(answer), load_raw(truth), "", tolerance)
    if isinstance(found, UnreadableModel):
        raise DataError("The answer holds no structural model: {why}", why=found.reason)
    return found
