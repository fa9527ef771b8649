"""HTTP services of the suite: solve a model, diagnose a reply."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, Struct, convert, field

from sightline.core.errors import DataError
from sightline.core.interfaces import Service
from sightline.core.records import Sample, Unparsed
from sightline.core.remarks import Remark, format_remark

if TYPE_CHECKING:
    from sightline.suites.structural.framecalc.reader import ModelReading


def _describe(remark: Remark) -> Meta:
    """Description of a field."""
    return Meta(description=remark.text)


_MODEL = _describe(Remark("a structural model in FrameCalc JSON: points, links, supports, loads; in m and kN"))


class SolveRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model to solve."""

    model: Annotated[dict[str, Any], _MODEL]


class SupportReaction(Struct, frozen=True, kw_only=True):
    """One component of a support's reaction, acting on the structure."""

    at_id: Annotated[str, _describe(Remark("the support"))] = field(name="atId")
    type: Annotated[str, _describe(Remark("ux, uy, rz, or normal for a roller's own direction"))]
    value: Annotated[float, _describe(Remark("in kN or kN·m"))]


class LinkSample(Struct, frozen=True, kw_only=True):
    """Internal forces at a position along a link."""

    s: Annotated[float, _describe(Remark("distance from the link's end a, in m"))]
    n: Annotated[float, _describe(Remark("axial force, positive in compression, in kN"))]
    v: Annotated[float, _describe(Remark("shear force, in kN"))]
    m: Annotated[float, _describe(Remark("bending moment with dm/ds = −v, in kN·m"))]


class LinkForces(Struct, frozen=True, kw_only=True):
    """Internal forces along a link."""

    link_id: str = field(name="linkId")
    samples: list[LinkSample]


class Displacement(Struct, frozen=True, kw_only=True):
    """Displacement of a point, in m and rad."""

    ux: float
    uy: float
    rz: float


class Solved(Struct, frozen=True, kw_only=True):
    """The solution of a model, in the conventions of the format."""

    reactions: list[SupportReaction]
    axial: Annotated[list[LinkForces], _describe(Remark("N, V and M along every link"))]
    displacements: Annotated[dict[str, Displacement], _describe(Remark("by point"))]
    mended: Annotated[list[str], _describe(Remark("repairs made before the model could be parsed"))]


class DiagnoseRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reply to compare with a true model."""

    truth: Annotated[dict[str, Any], _MODEL]
    output: Annotated[str, _describe(Remark("the raw reply of the model"))]
    tolerance: Annotated[
        float,
        Meta(
            ge=1e-6,
            le=0.2,
            description=Remark("share of a field's own peak within which two structures are the same").text,
        ),
    ] = 0.01


class WrongPart(Struct, frozen=True, kw_only=True):
    """One wrong part of a reply."""

    part: Annotated[str, _describe(Remark("dimension, point, member, joint, support, hinge, stiffness, load or model"))]
    at: Annotated[
        list[tuple[float, float]], _describe(Remark("one place, or both ends of a member; empty for the whole model"))
    ]
    expected: str
    found: str
    text: str


class Diagnosed(Struct, frozen=True, kw_only=True):
    """Score of a reply, and its problems."""

    score: Annotated[float, _describe(Remark("0, 0.25, 0.5, 0.75 or 1: score by the first wrong stage"))]
    stage: Annotated[
        str, _describe(Remark("the first stage that is wrong; right: none; unreadable: there is no model"))
    ]
    problems: list[WrongPart] = []
    mended: Annotated[list[str], _describe(Remark("repairs made before the model could be parsed"))] = []
    reason: Annotated[str, _describe(Remark("why, in a sentence"))] = ""


def solve_request(request: SolveRequest) -> Solved:
    """Handle a solve request: reactions, internal forces and displacements of a model."""
    from sightline.suites.structural.tools import solve

    mended = [str(remark) for remark in _read(request.model).repairs]
    solved = convert({**solve(request.model), "mended": mended}, Solved)
    components = (
        value
        for displacement in solved.displacements.values()
        for value in (displacement.ux, displacement.uy, displacement.rz)
    )
    if not all(map(math.isfinite, (*(reaction.value for reaction in solved.reactions), *components))):
        raise DataError("The model's numbers are too large to be solved.")
    return solved


def diagnose_request(request: DiagnoseRequest) -> Diagnosed:
    """Handle a diagnose request: score, first wrong stage and problems of a reply."""
    from sightline.scoring.parsers.json_object import read_json_object
    from sightline.suites.structural.physics.diagnosis import UnreadableModel, diagnose_raw
    from sightline.suites.structural.tools import check_truth

    truth = _read(request.truth).model
    assert truth is not None
    check_truth(truth)
    parsed = read_json_object(request.output)
    if isinstance(parsed, Unparsed):
        return Diagnosed(score=0.0, stage="unreadable", reason=format_remark(parsed.reason))
    diagnosis = diagnose_raw(parsed.value, request.truth, "", request.tolerance)
    if isinstance(diagnosis, UnreadableModel):
        return Diagnosed(score=0.0, stage="unreadable", reason=str(diagnosis.reason))
    report = diagnosis.to_dict()
    reason = "; ".join(filter(None, (report.pop("note"), *(problem["text"] for problem in report["problems"][:3]))))
    return convert({**report, "reason": reason}, Diagnosed)


def sample_from_truth(truth: Mapping[str, Any]) -> Sample:
    """A sample whose target is a solvable model in FrameCalc JSON."""
    from sightline.suites.structural.framecalc.analysis import solve_model
    from sightline.suites.structural.model import category_of, difficulty_of

    model = _read(truth).model
    assert model is not None
    solve_model(model)
    category = category_of(model)
    difficulty = difficulty_of(model, category)
    return Sample(
        id="",
        task=category,
        question="",
        target=dict(truth),
        tags={"category": category, "difficulty": str(difficulty)},
        weight=float(difficulty),
    )


def _read(raw: object) -> ModelReading:
    from sightline.suites.structural.framecalc.reader import read_model

    reading = read_model(raw)
    if reading.model is None:
        raise DataError("There is no structural model in the request: {why}", why=reading.problem)
    return reading


_EXAMPLES = json.loads(Path(__file__).with_name("service_examples.json").read_text("utf-8"))
SERVICES: Mapping[str, Service] = {
    "solve": Service(
        title=Remark("Solve a structural model"),
        request_type=SolveRequest,
        response_type=Solved,
        answer=solve_request,
        example=SolveRequest(model=_EXAMPLES["model"]),
    ),
    "diagnose": Service(
        title=Remark("Find the wrong parts of a structural model"),
        request_type=DiagnoseRequest,
        response_type=Diagnosed,
        answer=diagnose_request,
        example=DiagnoseRequest(truth=_EXAMPLES["model"], output=_EXAMPLES["reply"]),
    ),
}
