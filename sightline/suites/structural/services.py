"""What the suite answers over HTTP: a model solved, a reply diagnosed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, Struct, convert, field

from sightline.core.errors import DataError
from sightline.core.interfaces import Service
from sightline.core.records import Remark, Sample, Unparsed
from sightline.i18n import say

if TYPE_CHECKING:
    from sightline.suites.structural.framecalc.reading import Reading


def _told(remark: Remark) -> Meta:
    """A field's description."""
    return Meta(description=remark.text)


_MODEL = _told(Remark("a structural model in FrameCalc JSON: points, links, supports, loads; in m and kN"))


class SolveRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model to solve."""

    model: Annotated[dict[str, Any], _MODEL]


class SupportReaction(Struct, frozen=True, kw_only=True):
    """One component of a support's reaction, acting on the structure."""

    at_id: Annotated[str, _told(Remark("the support"))] = field(name="atId")
    type: Annotated[str, _told(Remark("ux, uy, rz, or normal for a roller's own direction"))]
    value: Annotated[float, _told(Remark("in kN or kN·m"))]


class LinkSample(Struct, frozen=True, kw_only=True):
    """Inner forces at one place of a link."""

    s: Annotated[float, _told(Remark("distance from the link's end a, in m"))]
    n: Annotated[float, _told(Remark("axial force, positive in compression, in kN"))]
    v: Annotated[float, _told(Remark("shear force, in kN"))]
    m: Annotated[float, _told(Remark("bending moment with dm/ds = −v, in kN·m"))]


class LinkForces(Struct, frozen=True, kw_only=True):
    """Inner forces along a link."""

    link_id: str = field(name="linkId")
    samples: list[LinkSample]


class Displacement(Struct, frozen=True, kw_only=True):
    """How a point moves, in m and rad."""

    ux: float
    uy: float
    rz: float


class Solved(Struct, frozen=True, kw_only=True):
    """The solution of a model, in the conventions of the format."""

    reactions: list[SupportReaction]
    axial: Annotated[list[LinkForces], _told(Remark("N, V and M along every link"))]
    displacements: Annotated[dict[str, Displacement], _told(Remark("by point"))]
    mended: Annotated[list[str], _told(Remark("what had to be mended before the model could be read"))]


class DiagnoseRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reply to hold against a true model."""

    truth: Annotated[dict[str, Any], _MODEL]
    output: Annotated[str, _told(Remark("the model's reply as it came"))]
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

    part: Annotated[str, _told(Remark("member, joint, support, hinge, stiffness or load"))]
    at: Annotated[list[tuple[float, float]], _told(Remark("one place, or both ends of a member"))]
    expected: str
    found: str
    text: str


class Diagnosed(Struct, frozen=True, kw_only=True):
    """What a reply earns, and what is wrong with it."""

    score: Annotated[float, _told(Remark("0, 0.25, 0.5, 0.75 or 1: how far up the ladder the reply comes"))]
    stage: Annotated[str, _told(Remark("the first stage that is wrong; right: none; unreadable: there is no model"))]
    problems: list[WrongPart] = []
    mended: Annotated[list[str], _told(Remark("what had to be mended before the model could be read"))] = []
    reason: Annotated[str, _told(Remark("why, in a sentence"))] = ""


def solve_request(asked: SolveRequest) -> Solved:
    """Reactions, inner forces and displacements of a model."""
    from sightline.suites.structural.tools import solve

    mended = [str(remark) for remark in _read(asked.model).mended]
    solved = convert({**solve(asked.model), "mended": mended}, Solved)
    moves = (value for moved in solved.displacements.values() for value in (moved.ux, moved.uy, moved.rz))
    if not all(map(math.isfinite, (*(one.value for one in solved.reactions), *moves))):
        raise DataError("The model's numbers are too large to be solved.")
    return solved


def diagnose_request(asked: DiagnoseRequest) -> Diagnosed:
    """Where on the ladder a reply stands."""
    from sightline.scoring.parsers.json_object import read_json_object
    from sightline.suites.structural.physics.diagnosis import UnreadableModel, diagnose_raw
    from sightline.suites.structural.tools import check_truth

    truth = _read(asked.truth).model
    assert truth is not None
    check_truth(truth)
    read = read_json_object(asked.output)
    if isinstance(read, Unparsed):
        return Diagnosed(score=0.0, stage="unreadable", reason=say(read.reason))
    found = diagnose_raw(read.value, asked.truth, "", asked.tolerance)
    if isinstance(found, UnreadableModel):
        return Diagnosed(score=0.0, stage="unreadable", reason=str(found.reason))
    told = found.to_dict()
    reason = "; ".join(filter(None, (told.pop("note"), *(problem["text"] for problem in told["problems"][:3]))))
    return convert({**told, "reason": reason}, Diagnosed)


def sample_of(truth: Mapping[str, Any]) -> Sample:
    """A sample whose truth is a model in FrameCalc JSON, which must stand and be solvable."""
    from sightline.suites.structural.difficulty import category_of, difficulty_of
    from sightline.suites.structural.framecalc.convert import solve_model

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


def _read(raw: object) -> Reading:
    from sightline.suites.structural.framecalc.reading import read_model

    reading = read_model(raw)
    if reading.model is None:
        raise DataError("There is no structural model in the request: {why}", why=reading.problem)
    return reading


_BEAM: dict[str, Any] = {
    "points": [{"id": "P1", "x": 0, "y": 0}, {"id": "P2", "x": 6, "y": 0}],
    "links": [{"id": "L1", "a": "P1", "b": "P2"}],
    "supports": [
        {"id": "S1", "at": {"type": "point", "id": "P1"}, "kind": "pin"},
        {"id": "S2", "at": {"type": "point", "id": "P2"}, "kind": "roller"},
    ],
    "loads": [
        {
            "id": "W1",
            "kind": "distributedLoad",
            "at": {"type": "link", "id": "L1"},
            "wStart": 4,
            "wEnd": 4,
            "angleDeg": 270,
        }
    ],
}
_REPLY = (
    '<json>{"points": [{"id": "A", "x": 0, "y": 0}, {"id": "B", "x": 6, "y": 0}], '
    '"links": [{"id": "L1", "a": "A", "b": "B"}], '
    '"supports": [{"at": {"type": "point", "id": "A"}, "kind": "pin"}, '
    '{"at": {"type": "point", "id": "B"}, "kind": "roller"}], '
    '"loads": [{"kind": "distributedLoad", "at": {"type": "link", "id": "L1"}, "wStart": 5, "wEnd": 5, '
    '"angleDeg": 270}]}</json>'
)

SERVICES: Mapping[str, Service] = {
    "solve": Service(
        title=Remark("Solve a structural model"),
        takes=SolveRequest,
        gives=Solved,
        answer=solve_request,
        example=SolveRequest(model=_BEAM),
    ),
    "diagnose": Service(
        title=Remark("Tell which part of a structural model is wrong"),
        takes=DiagnoseRequest,
        gives=Diagnosed,
        answer=diagnose_request,
        example=DiagnoseRequest(truth=_BEAM, output=_REPLY),
    ),
}
