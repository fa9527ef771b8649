"""Full marks mean the same solution: what stands on which side of a hinge, or on which of two crossing members."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from msgspec.structs import replace

from sightline.core.errors import SightlineError
from sightline.suites.structural.framecalc.analysis import solve_model
from sightline.suites.structural.model import Force, Link, Load, Model, Moment, Point, PointSupport
from sightline.suites.structural.physics.diagnosis import Diagnosis, diagnose_models

pytestmark = pytest.mark.slow

LENGTH = 4.0
ARMS = {"L1": (-LENGTH, 0.0), "L2": (LENGTH, 0.0), "L3": (0.0, LENGTH)}
"""Members that run to the joint in the middle, all clamped at their far ends."""


def star(arms: int, hinged: tuple[bool, ...], on: str, support: str = "") -> Model:
    """Members from a joint J, some hinged to it; a moment on the joint itself, or on the end of one of the members."""
    names = list(ARMS)[:arms]
    load: Load = Moment(id="M", value=10.0, link=on, offset=LENGTH) if on else Moment(id="M", value=10.0, point="J")
    middle = [PointSupport(id="SJ", point="J", kind=support)] if support else []
    return Model(
        points=(Point("J", 0.0, 0.0), *(Point(f"P{name}", *ARMS[name]) for name in names)),
        links=tuple(Link(id=name, a=f"P{name}", b="J", hinge_b=h) for name, h in zip(names, hinged, strict=True)),
        supports=(*(PointSupport(id=f"S{name}", point=f"P{name}", kind="fixed") for name in names), *middle),
        loads=(load,),
    )


def numbers(model: Model) -> np.ndarray | None:
    """Reactions, and inner forces along the members; None for a mechanism."""
    try:
        solution = solve_model(model)
    except SightlineError:
        return None
    found: list[float] = []
    for reaction in solution.reactions:
        found += reaction.vector
    for member in range(len(model.links)):
        values = solution.diagram(member).at([0.3 * LENGTH, 0.9 * LENGTH])
        found += [*values.n, *values.v, *values.m]
    return np.array(found)


def is_same(one: Model, other: Model) -> bool:
    """An independent look: alone, with a force on the joint and with forces on the members, do both answer alike?"""
    for more in (
        (),
        (Force(id="F", value=7.0, angle=250.0, point="J"),),
        tuple(Force(id=k.id, value=5.0, angle=40.0, link=k.id, offset=0.4 * LENGTH) for k in one.links),
    ):
        a, b = (numbers(replace(model, loads=(*model.loads, *more))) for model in (one, other))
        if a is None or b is None or np.abs(a - b).max() > 1e-6 * np.abs(a).max():
            return False
    return True


@pytest.mark.parametrize(("arms", "support"), [(2, ""), (3, ""), (2, "pin"), (2, "fixed")])
def test_full_marks_are_given_just_where_the_solutions_are_the_same(arms: int, support: str) -> None:
    """Every way of hinging the joint, with the moment on the joint or on any end, against every other."""
    ways = list(product(product((False, True), repeat=arms), ("", *list(ARMS)[:arms])))
    models = [star(arms, hinged, on, support) for hinged, on in ways]
    firm = (Force(id="F", value=7.0, angle=250.0, link="L1", offset=1.0),)
    models = [model for model in models if numbers(replace(model, loads=firm)) is not None]
    truths = [model for model in models if numbers(model) is not None]
    told = {True: 0, False: 0}
    for truth, answer in product(truths, models):
        found = diagnose_models(answer, truth, "frame")
        assert (found.score == 1) == is_same(truth, answer), (truth, answer)
        assert found.score == 1 or found.problems, (truth, answer)
        told[found.score == 1] += 1
    assert told[True] >= len(truths) and told[False]


def graded(answer: Model, truth: Model) -> Diagnosis:
    return diagnose_models(answer, truth, "frame")


def test_a_moment_on_the_other_side_of_a_hinge_is_another_load() -> None:
    truth = star(2, (True, False), "")  # L1 is hinged, so that L2 bears the moment
    others = {
        "the other end hinged": star(2, (False, True), ""),
        "on L1's end": star(2, (True, False), "L1"),
        "beside it": replace(truth, loads=(Moment(id="M", value=10.0, link="L1", offset=0.9975 * LENGTH),)),
        "nobody bears it": star(2, (True, True), ""),
    }
    for name, answer in others.items():
        found = graded(answer, truth)
        assert (found.score, found.stage) == (0.75, "loads"), name
        assert [str(problem.remark) for problem in found.problems] == [
            "load 10 kN·m counter-clockwise at (0, 0) must act on the side of member (0, 0)–(4, 0)"
        ]
    assert "J" in str(graded(others["nobody bears it"], truth).note)
    for answer in (star(2, (True, False), "L2"), star(2, (False, True), "L2"), star(2, (True, True), "L2")):
        assert graded(answer, truth).score == 1
    assert graded(others["on L1's end"], others["the other end hinged"]).score == 1


def test_a_small_moment_does_not_hide_behind_a_force_at_the_same_place() -> None:
    truth = star(2, (False, False), "")
    truth = replace(truth, loads=(*truth.loads, Force(id="F", value=5000.0, angle=270.0, point="J")))
    assert graded(replace(truth, loads=truth.loads[1:]), truth).stage == "loads"


def cross(on: str) -> Model:
    """Two beams that cross without touching, and a force on one of them where they do."""
    points = (Point("A", -3.0, 0.0), Point("B", 3.0, 0.0), Point("C", 0.0, -2.0), Point("D", 0.0, 2.0))
    return Model(
        points=points,
        links=(Link(id="AB", a="A", b="B"), Link(id="CD", a="C", b="D")),
        supports=tuple(PointSupport(id=p.id, point=p.id, kind="fixed") for p in points),
        loads=(Force(id="F", value=10.0, angle=300.0, link=on, offset=3.0 if on == "AB" else 2.0),),
    )


def test_a_force_where_members_cross_acts_on_one_of_them() -> None:
    """The crossing is a place only where somebody has a point there: an answer that splits both beams has."""
    truth = cross("AB")
    halves = (
        Link(id="AB", a="A", b="X"),
        Link(id="XB", a="X", b="B"),
        *(link for link in truth.links if link.id == "CD"),
    )
    split = replace(truth, points=(*truth.points, Point("X", 0.0, 0.0)), links=halves)
    on_joint = replace(split, loads=(Force(id="F", value=10.0, angle=300.0, point="X"),))
    on_other = replace(split, loads=(Force(id="F", value=10.0, angle=300.0, link="CD", offset=2.0),))
    assert graded(on_joint, truth).score == 1
    found = graded(on_other, truth)
    assert found.stage == "loads" and len(found.problems) == 1
    assert graded(cross("CD"), truth).stage == "loads"
