"""Two tools for people with a model in hand: `sightline.solve(model)` and `sightline.diagnose(answer, truth)`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sightline.core.errors import DataError, SightlineError
from sightline.core.records import Unparsed
from sightline.core.settings import check, table
from sightline.i18n import say
from sightline.scoring.parsers.json_object import read_json_object
from sightline.suites.structural import Options
from sightline.suites.structural.framecalc.convert import solve_model
from sightline.suites.structural.framecalc.reading import read_model
from sightline.suites.structural.framecalc.results import reactions, samples
from sightline.suites.structural.model import Model
from sightline.suites.structural.physics.diagnosis import Diagnosis, UnreadableModel, diagnose_raw

Source = Mapping[str, Any] | str | Path
"""A model as a mapping, as JSON text, or as the path of a file."""
_MARKS = ("\n", "<json>", "```")
"""What no path has, but a reply."""


def load_raw(source: Source) -> Any:
    """The JSON value behind a source."""
    if isinstance(source, Mapping):
        return dict(source)
    where, text = _text(source)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError("{path} can't be read: {why}", path=where, why=error) from None


def load_reply(source: Source) -> Any:
    """The JSON object behind a source that may be a whole reply: in tags, in a code fence, or among words."""
    if isinstance(source, Mapping):
        return dict(source)
    where, text = _text(source)
    read = read_json_object(text)
    if isinstance(read, Unparsed):
        raise DataError("{path} can't be read: {why}", path=where, why=say(read.reason))
    return read.value


def _text(source: str | Path) -> tuple[str, str]:
    """Where a source stands and what it says."""
    given = str(source)
    if isinstance(source, str) and (given.lstrip().startswith("{") or any(mark in given for mark in _MARKS)):
        return "the call", given
    try:
        return given, Path(source).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError("Can't read {path}: {why}", path=source, why=error.strerror) from None
    except ValueError as error:  # text that is no UTF-8, a path that can't be one
        raise DataError("{path} can't be read: {why}", path=source, why=error) from None


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
    solution = solve_model(read)
    moved = {
        point.id: {"ux": float(u[0]), "uy": float(u[1]), "rz": float(u[2])}
        for point, u in zip(read.points, solution.displacements, strict=True)
    }
    return {"reactions": reactions(read, solution), "axial": samples(read, solution), "displacements": moved}


def diagnose(answer: Source, truth: Source, tolerance: float = 0.01) -> dict[str, Any]:
    """`{"score", "stage", "problems"}` of an answer: 0, 0.25, 0.5, 0.75 or 1, and the wrong parts by name.

    The answer may be a whole reply, the model in `<json>` tags or in a code fence.
    """
    return diagnosis(answer, truth, tolerance).to_dict()


def diagnosis(answer: Source, truth: Source, tolerance: float = 0.01, where: str = "the call") -> Diagnosis:
    """The same with the models laid over each other; `where` the tolerance was given is told if it can't be one."""
    _check(tolerance, where)
    check_truth(load_model(truth))
    found = diagnose_raw(load_reply(answer), load_raw(truth), "", tolerance)
    if isinstance(found, UnreadableModel):
        raise DataError("The answer holds no structural model: {why}", why=found.reason)
    return found


def check_truth(model: Model) -> None:
    """Refuse a truth that nothing can be held against."""
    try:
        solve_model(model)
    except SightlineError as error:
        raise DataError("The true model can't be solved: {why}", why=error) from None


def _check(tolerance: float, where: str) -> None:
    """Hold the tolerance to the bounds that a run has."""
    check(next(row for row in table(Options) if row.name == "tolerance"), tolerance, where)
