"""What is wrong has a name, and only what is wrong: whatever was changed, and wherever it was drawn."""

from __future__ import annotations

import random
from itertools import product

import pytest
from msgspec.structs import replace

from sightline.suites.structural.model import Force, Link, Model, Point, PointSupport
from sightline.suites.structural.physics.diagnosis import diagnose_models
from tests.suites.structural.test_mutations import DIFFERENT, Mutation, graded, node_moved
from tests.suites.structural.test_mutations import truths as truths

Truths = list[tuple[str, Model]]


def one_link(model: Model, chance: random.Random, **factors: float) -> Model:
    """One member with its stiffnesses times some factors."""
    k = chance.randrange(len(model.links))
    link = model.links[k]
    new = replace(link, **{name: factor * getattr(link, name) for name, factor in factors.items()})
    return replace(model, links=(*model.links[:k], new, *model.links[k + 1 :]))


def area_doubled(model: Model, chance: random.Random) -> Model:
    return one_link(model, chance, A=2.0)


def inertia_tripled(model: Model, chance: random.Random) -> Model:
    return one_link(model, chance, Iz=3.0)


def link_doubled(model: Model, chance: random.Random) -> Model:
    """A second member beside one of the members, with another area."""
    link = chance.choice(model.links)
    return replace(model, links=(*model.links, replace(link, id="beside", A=2 * link.A)))


def roller_turned_a_little(model: Model, chance: random.Random) -> Model:
    def turned(support: PointSupport) -> PointSupport:
        return replace(support, angle=support.angle + 0.5)

    return replace(model, supports=tuple(map(turned, model.supports)))


CHANGES: list[Mutation] = [
    *(mutation for mutations in DIFFERENT.values() for mutation in mutations),
    area_doubled,
    inertia_tripled,
    link_doubled,
    roller_turned_a_little,
]


@pytest.mark.parametrize("tolerance", [0.01, pytest.param(1e-4, marks=pytest.mark.slow)])
def test_whatever_costs_marks_has_a_name(truths: Truths, tolerance: float) -> None:
    """Two changes at a time, since one may hide the other."""
    chance = random.Random(5)
    wrong = 0
    for (name, truth), (first, second) in zip(truths * 6, list(product(CHANGES, repeat=2)), strict=False):
        answer = first(truth, chance)
        if answer and answer.loads and answer.supports:
            answer = second(answer, chance)
        if answer is None:
            continue
        found = diagnose_models(answer, truth, name.partition("_")[0], tolerance)
        if found.score < 1:
            wrong += 1
            assert found.problems, (name, first.__name__, second.__name__, found.stage)
    assert wrong > 150


def test_a_diagnosis_does_not_depend_on_the_origin(truths: Truths) -> None:
    chance = random.Random(3)
    for (name, truth), mutation in zip(truths, CHANGES * 4, strict=False):
        answer = mutation(truth, chance)
        if answer is None:
            continue
        moved = replace(answer, points=tuple(replace(p, x=p.x + 16.0, y=p.y - 32.0) for p in answer.points))
        one, other = graded(name, answer, truth), graded(name, moved, truth)
        assert one.score == other.score
        assert [str(p.remark) for p in one.problems] == [str(p.remark) for p in other.problems], (name, mutation)


def test_one_wrong_point_is_the_only_one_accused(truths: Truths) -> None:
    """Wherever it lies: also as the lowest or the leftmost of all. No member is accused instead."""
    tried = 0
    for seed, (name, truth) in product(range(4), truths):
        if len(truth.points) < 4:
            continue
        answer = node_moved(truth, random.Random(seed))
        (wrong,) = (k for k, point in enumerate(truth.points) if point != answer.points[k])
        (problem,) = graded(name, answer, truth).problems
        tried += 1
        assert problem.part == "point", (name, str(problem.remark))
        expected = truth.points[wrong]
        assert problem.at[0] == (expected.x, expected.y), (name, str(problem.remark))
    assert tried > 100


def portal() -> Model:
    """Two columns and a beam, pinned below, with a force on the beam's left end."""
    points = (Point("A", 0.0, 0.0), Point("B", 0.0, 4.0), Point("C", 6.0, 4.0), Point("D", 6.0, 0.0))
    return Model(
        points=points,
        links=tuple(Link(id=a + b, a=a, b=b) for a, b in ("AB", "BC", "CD")),
        supports=(PointSupport(id="S1", point="A", kind="pin"), PointSupport(id="S2", point="D", kind="pin")),
        loads=(Force(id="F", value=10.0, angle=0.0, point="B"),),
    )


def said(answer: Model, truth: Model) -> list[str]:
    return [str(problem.remark) for problem in diagnose_models(answer, truth, "frame").problems]


def test_a_point_that_is_too_low_is_the_only_one_accused() -> None:
    truth = portal()
    answer = replace(truth, points=(Point("A", 0.0, -0.5), *truth.points[1:]))
    assert said(answer, truth) == ["the point at (0, -0.5) should be at (0, 0)"]
    arm = replace(
        truth, points=(*truth.points, Point("E", -1.0, 4.0)), links=(*truth.links, Link(id="E", a="E", b="B"))
    )
    assert said(arm, truth) == ["there is no member (-1, 4)–(0, 4) in the drawing"]


def test_a_member_given_twice_brings_no_hinge_with_it() -> None:
    braced = replace(portal(), links=(*portal().links, Link(id="AC", a="A", b="C", hinge_a=True, hinge_b=True)))
    twice = replace(braced, links=(*braced.links, Link(id="AB2", a="A", b="B", A=0.02)))
    assert said(twice, braced) == ["there is no member (0, 0)–(0, 4) in the drawing"]


def test_members_that_cross_or_are_joined() -> None:
    crossing = replace(portal(), links=(*portal().links, Link(id="AC", a="A", b="C"), Link(id="BD", a="B", b="D")))
    halves = tuple(Link(id=f"{end}X", a=end, b="X") for end in "ABCD")
    joined = replace(portal(), points=(*portal().points, Point("X", 3.0, 2.0)), links=(*portal().links, *halves))
    assert said(joined, crossing) == ["point (3, 2): members are joined here that only cross in the drawing"]
    assert said(crossing, joined) == ["point (3, 2): members only cross here that are joined in the drawing"]
    assert diagnose_models(joined, crossing, "frame").stage == "geometry"


def test_a_bar_with_another_area_is_named() -> None:
    truth = portal()
    thick = replace(truth, links=(truth.links[0], replace(truth.links[1], A=2 * truth.links[1].A), truth.links[2]))
    assert diagnose_models(thick, truth, "frame").score == 1  # shortening is nothing beside bending
    bars = replace(
        truth, links=tuple(replace(k, hinge_a=True, hinge_b=True) for k in (*truth.links, Link(id="AC", a="A", b="C")))
    )
    other = replace(bars, links=(replace(bars.links[0], A=3 * bars.links[0].A), *bars.links[1:]))
    found = diagnose_models(other, bars, "truss")
    assert found.stage == "connections"
    assert said(other, bars) == ["member (0, 0)–(0, 4): its EA is 3 times what it should be beside the others"]
