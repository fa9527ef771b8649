"""Beams and frames whose answers stand in every textbook."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sightline.suites.structural.fem import Load, MemberLineLoad, MemberPointLoad, NodeLoad, Solution, Support, solve
from tests.suites.structural.fem.frames import A, E, I, make

L, W, P = 6.0, 3.0e3, 8.0e3
EI = E * I
exactly = pytest.approx


def beam(left: Support, right: Support | None, *loads: Load) -> Solution:
    return solve(make([(0, 0), (L, 0)], [(0, 1)], [left, right] if right else [left], loads))


def uniform(size: float = W, member: int = 0, length: float = L) -> MemberLineLoad:
    return MemberLineLoad(member, 0.0, length, fy_begin=-size, fy_end=-size)


def test_simply_supported_under_uniform_load() -> None:
    solution = beam(Support.pin(0), Support.roller(1), uniform())
    values = solution.diagram(0).at([0.0, L / 2, L])
    assert values.m == exactly([0.0, W * L**2 / 8, 0.0], abs=1e-9 * W)
    assert values.v == exactly([W * L / 2, 0.0, -W * L / 2], abs=1e-9 * W)
    assert solution.deflection(0, L / 2)[1] == exactly(-5 * W * L**4 / (384 * EI))
    assert solution.displacements[0, 2] == exactly(-W * L**3 / (24 * EI))
    assert [r.vector for r in solution.reactions] == [exactly((0.0, W * L / 2, 0.0))] * 2


def test_simply_supported_under_a_force() -> None:
    solution = beam(Support.pin(0), Support.roller(1), MemberPointLoad(0, L / 2, fy=-P))
    assert solution.deflection(0, L / 2)[1] == exactly(-P * L**3 / (48 * EI))
    assert solution.diagram(0).peak() == exactly((0.0, P / 2, P * L / 4))
    a = 0.3 * L
    solution = beam(Support.pin(0), Support.roller(1), MemberPointLoad(0, a, fy=-P))
    assert solution.diagram(0).at(a).m == exactly(P * a * (L - a) / L)
    assert solution.deflection(0, a)[1] == exactly(-P * a**2 * (L - a) ** 2 / (3 * EI * L))


def test_simply_supported_under_a_moment() -> None:
    at, moment = 0.4 * L, 5.0e3
    solution = beam(Support.pin(0), Support.roller(1), MemberPointLoad(0, at, m=moment))
    diagram = solution.diagram(0)
    assert diagram.at(at, side="left").m == exactly(moment * at / L)
    assert diagram.at(at, side="right").m == exactly(moment * at / L - moment)
    assert [r.vector[1] for r in solution.reactions] == exactly([moment / L, -moment / L])


@pytest.mark.parametrize("rising", [True, False])
def test_simply_supported_under_triangular_load(rising: bool) -> None:
    load = MemberLineLoad(0, 0.0, L, fy_begin=0.0 if rising else -W, fy_end=-W if rising else 0.0)
    solution = beam(Support.pin(0), Support.roller(1), load)
    (_, top) = solution.diagram(0).extremes()["m"]
    assert top.value == exactly(W * L**2 / (9 * math.sqrt(3)))
    assert top.s == exactly(L / math.sqrt(3) if rising else L - L / math.sqrt(3))
    shares = (W * L / 6, W * L / 3)
    assert [r.vector[1] for r in solution.reactions] == exactly(shares if rising else shares[::-1])
    near = L * math.sqrt(1 - math.sqrt(8 / 15))
    assert solution.deflection(0, near if rising else L - near)[1] == exactly(-0.006522 * W * L**4 / EI, rel=1e-4)


def test_cantilever() -> None:
    tip = beam(Support.fixed(0), None, NodeLoad(1, fy=-P))
    assert tip.displacements[1] == exactly((0.0, -P * L**3 / (3 * EI), -P * L**2 / (2 * EI)))
    assert tip.reactions[0].vector == exactly((0.0, P, P * L))
    assert tip.diagram(0).at(0.0).m == exactly(-P * L)
    assert beam(Support.fixed(0), None, uniform()).displacements[1, 1] == exactly(-W * L**4 / (8 * EI))
    assert beam(Support.fixed(0), None, NodeLoad(1, fx=P)).displacements[1, 0] == exactly(P * L / (E * A))
    turned = beam(Support.fixed(0), None, NodeLoad(1, m=P))
    assert turned.displacements[1, 1:] == exactly((P * L**2 / (2 * EI), P * L / EI))


@pytest.mark.parametrize(
    ("load", "start", "end"),
    [
        (uniform(), W * L**2 / 12, -W * L**2 / 12),
        (MemberPointLoad(0, L / 2, fy=-P), P * L / 8, -P * L / 8),
        (MemberPointLoad(0, L / 3, fy=-P), P * (L / 3) * (2 / 3) ** 2, -P * (2 * L / 3) * (1 / 3) ** 2),
        (MemberLineLoad(0, 0.0, L, fy_end=-W), W * L**2 / 30, -W * L**2 / 20),
        (MemberPointLoad(0, L / 2, m=P), P / 4, P / 4),
        (MemberLineLoad(0, 0.0, L / 2, fy_begin=-W, fy_end=-W), 11 * W * L**2 / 192, -5 * W * L**2 / 192),
    ],
    ids=["uniform", "force", "force at a third", "triangle", "moment", "half"],
)
def test_fixed_end_moments(load: Load, start: float, end: float) -> None:
    solution = beam(Support.fixed(0), Support.fixed(1), load)
    assert (solution.end_forces[0, 2], solution.end_forces[0, 5]) == exactly((start, end))


def test_propped_cantilever() -> None:
    solution = beam(Support.fixed(0), Support.roller(1), uniform())
    assert solution.reactions[0].vector == exactly((0.0, 5 * W * L / 8, W * L**2 / 8))
    assert solution.reactions[1].components == exactly((3 * W * L / 8,))
    low, high = solution.diagram(0).extremes()["m"]
    assert (low.value, high.value) == exactly((-W * L**2 / 8, 9 * W * L**2 / 128))
    assert (low.s, high.s) == exactly((0.0, 5 * L / 8))


@pytest.mark.parametrize(("spans", "middle"), [(2, 10 / 8), (3, 11 / 10), (4, 32 / 28)])
def test_continuous_beams(spans: int, middle: float) -> None:
    """The reaction at the first inner support, in wL."""
    frame = make(
        [(L * i, 0) for i in range(spans + 1)],
        [(i, i + 1) for i in range(spans)],
        [Support.pin(0), *(Support.roller(i) for i in range(1, spans + 1))],
        [uniform(member=i) for i in range(spans)],
    )
    assert solve(frame).reactions[1].vector[1] == exactly(middle * W * L)


def test_hinged_beam_is_two_beams() -> None:
    """A fixed beam carries half the load of a suspended one at its tip."""
    frame = make(
        [(0, 0), (L, 0), (2 * L, 0)], [(0, 1, "e"), (1, 2)], [Support.fixed(0), Support.roller(2)], [uniform(member=1)]
    )
    solution = solve(frame)
    assert solution.reactions[0].vector == exactly((0.0, W * L / 2, W * L**2 / 2))
    assert solution.diagram(1).at(L / 2).m == exactly(W * L**2 / 8)
    assert solution.diagram(1).at(0.0).m == exactly(0.0, abs=1e-9 * W)


def test_three_hinged_portal() -> None:
    """Thrust = wL²/8h, whatever the stiffnesses."""
    h = 4.0
    frame = make(
        [(0, 0), (0, h), (L / 2, h), (L, h), (L, 0)],
        [(0, 1), (1, 2, "e"), (2, 3), (3, 4)],
        [Support.pin(0), Support.pin(4)],
        [uniform(member=1, length=L / 2), uniform(member=2, length=L / 2)],
    )
    solution = solve(frame)
    thrust = W * L**2 / (8 * h)
    assert solution.reactions[0].vector == exactly((thrust, W * L / 2, 0.0), abs=1e-7)
    assert solution.reactions[1].vector == exactly((-thrust, W * L / 2, 0.0), abs=1e-7)
    assert solution.diagram(0).at(h).m == exactly(-thrust * h)


def test_truss() -> None:
    """A 3-4-5 triangle under a force at its top: no bending anywhere."""
    frame = make(
        [(0, 0), (6, 0), (3, 4)],
        [(0, 1, "se"), (0, 2, "se"), (2, 1, "se")],
        [Support.pin(0), Support.roller(1)],
        [NodeLoad(2, fy=-P)],
    )
    solution = solve(frame)
    assert [solution.diagram(i).at(1.0).n for i in range(3)] == exactly([P * 3 / 8, -P * 5 / 8, -P * 5 / 8])
    assert solution.peak()[1:] == exactly((0.0, 0.0), abs=1e-9)
    energy = ((P * 3 / 8) ** 2 * 6 + 2 * (P * 5 / 8) ** 2 * 5) / (E * A)
    assert -solution.displacements[2, 1] * P == exactly(energy)


@pytest.mark.parametrize("degrees", [30.0, 60.0, 100.0, 120.0, 210.0])
def test_inclined_roller(degrees: float) -> None:
    """Moments about the pin: R sin α L = w L²/2; the node slides at right angles to the held direction."""
    solution = beam(Support.pin(0), Support.roller(1, degrees), uniform())
    angle = math.radians(degrees)
    push = W * L / (2 * math.sin(angle))
    assert solution.reactions[1].components == exactly((push,))
    assert solution.reactions[1].vector == exactly((push * math.cos(angle), W * L / 2, 0.0))
    assert solution.reactions[0].vector == exactly((-push * math.cos(angle), W * L / 2, 0.0))
    slide = solution.displacements[1, :2] @ [math.cos(angle), math.sin(angle)]
    assert slide == exactly(0.0, abs=1e-12 * np.abs(solution.displacements).max())
    assert solution.displacements[1, 0] == exactly(push * math.cos(angle) * L / (E * A))


def test_slider() -> None:
    """Free to move along y but not to turn, a beam of length L is half a fixed-ended one of 2L."""
    solution = beam(Support.fixed(0), Support.slider(1, 0.0), uniform())
    assert solution.reactions[0].vector == exactly((0.0, W * L, W * L**2 / 3))
    assert solution.reactions[1].vector == exactly((0.0, 0.0, W * L**2 / 6))
    assert solution.displacements[1] == exactly((0.0, -W * (2 * L) ** 4 / (384 * EI), 0.0))


def test_supports_at_one_node_are_merged() -> None:
    """Two rollers at a right angle are a pin; a third in a direction already held changes nothing but the shares."""
    pin = beam(Support.fixed(0), Support.pin(1), uniform(), NodeLoad(1, fx=P))
    points, members = [(0, 0), (L, 0)], [(0, 1)]
    loads = [uniform(), NodeLoad(1, fx=P)]
    crossed = [
        Support.fixed(0),
        Support.roller(1, 30.0),
        Support.roller(1, 120.0),
        Support.roller(1, 30.0),
        Support.pin(1),
    ]
    solution = solve(make(points, members, crossed, loads))
    assert solution.displacements == exactly(pin.displacements, abs=1e-15)
    assert solution.end_forces == exactly(pin.end_forces)
    vectors = np.array([r.vector for r in solution.reactions])
    assert vectors[1:].sum(axis=0) == exactly(np.array(pin.reactions[1].vector), abs=1e-9)
    assert solution.reactions[1].components == exactly(solution.reactions[3].components)


def test_a_roller_twice_is_one_roller() -> None:
    points, members, loads = [(0, 0), (L, 0)], [(0, 1)], [uniform(), NodeLoad(1, fx=P)]
    once = solve(make(points, members, [Support.pin(0), Support.roller(1, 60.0)], loads))
    twice = solve(make(points, members, [Support.pin(0), *[Support.roller(1, 60.0), Support.roller(1, 240.0)]], loads))
    assert twice.displacements == exactly(once.displacements, abs=1e-15)
    half = once.reactions[1].components[0] / 2
    assert [r.components[0] for r in twice.reactions[1:]] == exactly([half, -half])
