"""Public functions of the suite: `sightline.solve(model)` and `sightline.diagnose(answer, truth)`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sightline.core.errors import DataError, SightlineError
from sightline.core.records import Unparsed
from sightline.core.remarks import format_remark
from sightline.core.settings import check, table
from sightline.scoring.parsers.json_object import read_json_object
from sightline.suites.structural.framecalc.analysis import list_reactions, sample_internal_forces, solve_model
from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.model import Model
from sightline.suites.structural.physics.diagnosis import Diagnosis, UnreadableModel, diagnose_raw
from sightline.suites.structural.suite import Options

Source = Mapping[str, Any] | str | Path
"""A model as a mapping, as JSON text, or as the path of a file."""
_REPLY_MARKERS = ("\n", "<json>", "```")
"""Strings that occur in replies but not in file paths."""


def load_raw(source: Source) -> Any:
    """The JSON value of a source."""
    if isinstance(source, Mapping):
        return dict(source)
    origin, text = _text(source)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError("Cannot read {path}: {why}", path=origin, why=error) from None


def load_reply(source: Source) -> Any:
    """The JSON object of a source that may be a complete reply: in tags, in a code fence, or within text."""
    if isinstance(source, Mapping):
        return dict(source)
    origin, text = _text(source)
    parsed = read_json_object(text)
    if isinstance(parsed, Unparsed):
        raise DataError("Cannot read {path}: {why}", path=origin, why=format_remark(parsed.reason))
    return parsed.value


def _text(source: str | Path) -> tuple[str, str]:
    """Origin of a source for error messages, and its text."""
    text = str(source)
    if isinstance(source, str) and (text.lstrip().startswith("{") or any(mark in text for mark in _REPLY_MARKERS)):
        return "the call", text
    try:
        return text, Path(source).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError("Cannot read {path}: {why}", path=source, why=error.strerror) from None
    except ValueError as error:  # text that is not UTF-8, or an invalid path
        raise DataError("Cannot read {path}: {why}", path=source, why=error) from None


def load_model(source: Source) -> Model:
    """The structural model of a source; raises `DataError` if there is none."""
    reading = read_model(load_raw(source))
    if reading.model is None:
        path = source if isinstance(source, str | Path) else "the call"
        raise DataError("{path} holds no structural model: {why}", path=path, why=reading.problem)
    return reading.model


def solve(model: Source) -> dict[str, Any]:
    """Reactions, N/V/M along every link and displacements of every point, in the conventions of the format."""
    parsed = load_model(model)
    solution = solve_model(parsed)
    displacements = {
        point.id: {"ux": float(u[0]), "uy": float(u[1]), "rz": float(u[2])}
        for point, u in zip(parsed.points, solution.displacements, strict=True)
    }
    return {
        "reactions": list_reactions(parsed, solution),
        "axial": sample_internal_forces(parsed, solution),
        "displacements": displacements,
    }


def diagnose(answer: Source, truth: Source, tolerance: float = 0.01) -> dict[str, Any]:
    """`{"score", "stage", "problems"}` of an answer: 0, 0.25, 0.5, 0.75 or 1, and the wrong parts by name.

    The answer may be a whole reply, the model in `<json>` tags or in a code fence.
    """
    return diagnosis(answer, truth, tolerance).to_dict()


def diagnosis(answer: Source, truth: Source, tolerance: float = 0.01, origin: str = "the call") -> Diagnosis:
    """Like `diagnose`, with the overlay of the models; `origin` names the tolerance's source in error messages."""
    check(next(row for row in table(Options) if row.name == "tolerance"), tolerance, origin)
    check_truth(load_model(truth))
    result = diagnose_raw(load_reply(answer), load_raw(truth), "", tolerance)
    if isinstance(result, UnreadableModel):
        raise DataError("The answer holds no structural model: {why}", why=result.reason)
    return result


def check_truth(model: Model) -> None:
    """Raise `DataError` if the true model can't be solved."""
    try:
        solve_model(model)
    except SightlineError as error:
        raise DataError("Cannot solve the true model: {why}", why=error) from None
