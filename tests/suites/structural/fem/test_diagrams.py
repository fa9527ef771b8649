"""Diagrams are exact: they obey the differential equations, jump by what is applied, and end in the end forces."""

from __future__ import annotations

import numpy as np
import pytest

from sightline.suites.structural.fem import Frame, MemberLineLoad, MemberPointLoad, Solution, Support, solve
from tests.suites.structural.fem.frames import building, length_of, make, random_frame
from tests.suites.structural.fem.references import direction_of

SEEDS = range(25)


def local_load(frame: Frame, member: int, s: float) -> tuple[float, float]:
    """The line load at a place, along the member and across it."""
    c, n = direction_of(frame, member)
    x = y = 0.0
    for load in frame.loads:
        if isinstance(load, MemberLineLoad) and load.member == member and load.begin < s < load.end:
            t = (s - load.begin) / (load.end - load.begin)
            x += (1 - t) * load.fx_begin + t * load.fx_end
            y += (1 - t) * load.fy_begin + t * load.fy_end
    return c * x + n * y, c * y - n * x


@pytest.mark.parametrize("seed", SEEDS)
def test_slopes_are_loads_and_shears(seed: int) -> None:
    """dN/ds = −q_x, dV/ds = q_y, dM/ds = V, by central differences, which are exact to rounding for parabolas."""
    frame = random_frame(seed)
    solution = solve(frame)
    for member in range(len(frame.members)):
        diagram = solution.diagram(member)
        size = max(solution.peak())
        for start, end in zip(diagram.breaks, diagram.breaks[1:], strict=False):
            if end - start < 1e-3 * diagram.length:
                continue
            middle, step = (start + end) / 2, (end - start) / 4
            low, here, high = (np.array(diagram.at(middle + k * step)) for k in (-1, 0, 1))
            along, across = local_load(frame, member, middle)
            n, v, m = (high - low) / (2 * step)
            assert n == pytest.approx(-along, abs=1e-9 * size / step)
            assert v == pytest.approx(across, abs=1e-9 * size / step)
            bend = diagram.pieces[np.searchsorted(diagram.breaks, middle) - 1, 2, 3] * step**2
            assert m == pytest.approx(here[1] + bend, abs=1e-9 * size / step)


@pytest.mark.parametrize("seed", SEEDS)
def test_jumps_are_what_is_applied(seed: int) -> None:
    frame = random_frame(seed)
    solution = solve(frame)
    points = [load for load in frame.loads if isinstance(load, MemberPointLoad)]
    for load in points:
        c, s = direction_of(frame, load.member)
        diagram = solution.diagram(load.member)
        before, after = diagram.at(load.at, side="left"), diagram.at(load.at, side="right")
        jump = np.array(after) - np.array(before)
        wanted = (-(c * load.fx + s * load.fy), c * load.fy - s * load.fx, -load.m)
        assert jump == pytest.approx(np.array(wanted), abs=1e-9 * max(solution.peak()))
    assert points


@pytest.mark.parametrize("seed", SEEDS)
def test_ends_are_the_end_forces(seed: int) -> None:
    frame = random_frame(seed)
    solution = solve(frame)
    size = max(solution.peak())
    for member in range(len(frame.members)):
        diagram = solution.diagram(member)
        fx, fy, m, fx_end, fy_end, m_end = solution.end_forces[member]
        assert np.array(diagram.at(0.0, side="left")) == pytest.approx(np.array([-fx, fy, -m]), abs=1e-9 * size)
        assert np.array(diagram.at(diagram.length)) == pytest.approx(
            np.array([fx_end, -fy_end, m_end]), abs=1e-9 * size
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_hinges_carry_no_moment(seed: int) -> None:
    frame = random_frame(seed)
    solution = solve(frame)
    for i, member in enumerate(frame.members):
        if member.hinge_start:
            assert solution.end_forces[i, 2] == 0.0
        if member.hinge_end:
            assert solution.end_forces[i, 5] == 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_peaks_are_the_largest_of_all_values(seed: int) -> None:
    """Never exceeded by samples, and reached where the extremes say."""
    frame = random_frame(seed)
    solution = solve(frame)
    sampled = np.zeros(3)
    for member in range(len(frame.members)):
        diagram = solution.diagram(member)
        places = np.linspace(0.0, diagram.length, 2001)
        values = np.abs([diagram.at(places), diagram.at(places, side="left")]).max(axis=(0, 2))
        assert (values <= np.array(diagram.peak()) * (1 + 1e-9) + 1e-9 * max(solution.peak())).all()
        sampled = np.maximum(sampled, values)
        for k, extremes in enumerate(diagram.extremes().values()):
            for extreme in extremes:
                sides = [diagram.at(extreme.s, side=side)[k] for side in ("left", "right")]
                assert min(abs(side - extreme.value) for side in sides) <= 1e-9 * max(solution.peak())
    assert np.array(solution.peak()) == pytest.approx(sampled, rel=2e-3)


@pytest.mark.parametrize("seed", SEEDS)
def test_deflections_meet_the_nodes_and_bend_as_the_moment_says(seed: int) -> None:
    frame = random_frame(seed)
    solution = solve(frame)
    for i, member in enumerate(frame.members):
        length = length_of(frame, i)
        ends = solution.deflection(i, [0.0, length])
        nodes = solution.displacements[[member.start, member.end]]
        moves = np.abs(solution.displacements[:, :2]).max()
        assert ends == pytest.approx(nodes[:, :2], abs=1e-9 * moves)
        c, s = direction_of(frame, i)
        step = 1e-3 * length
        if not member.hinge_start:
            start = solution.deflection(i, [0.0, step, 2 * step]) @ (-s, c)
            slope = (-3 * start[0] + 4 * start[1] - start[2]) / (2 * step)
            bend = abs(solution.diagram(i).at(0.0).m) + solution.peak().v * length
            close = bend * step * 1e-2 / (member.E * member.I) + 1e-9 * moves / step
            assert slope == pytest.approx(nodes[0, 2], abs=close)


def test_shape_of_arrays_is_kept() -> None:
    diagram = solve(building(1, 1)).diagram(2)
    for shape in ((), (3,), (2, 3), (0,)):
        values = diagram.at(np.full(shape, 1.0))
        assert all(np.shape(value) == shape for value in values)
    assert np.shape(solve(building(1, 1)).deflection(2, np.ones((2, 3)))) == (2, 3, 2)


def cantilever(*loads: MemberPointLoad | MemberLineLoad) -> Solution:
    return solve(make([(0, 0), (4, 0)], [(0, 1)], [Support.fixed(0)], loads))


@pytest.mark.parametrize("at", [0.0, 4.0])
def test_loads_at_the_very_ends(at: float) -> None:
    """Outside the load stands the end force, inside the value that the member feels."""
    solution = cantilever(MemberPointLoad(0, at, fx=1.0, fy=2.0, m=3.0))
    diagram = solution.diagram(0)
    assert solution.reactions[0].vector == pytest.approx((-1.0, -2.0, -3.0 - 2.0 * at))
    fx, fy, m, *end = solution.end_forces[0]
    assert np.array(diagram.at(0.0, side="left")) == pytest.approx(np.array([-fx, fy, -m]))
    assert np.array(diagram.at(4.0, side="right")) == pytest.approx(np.zeros(3), abs=1e-12)
    assert end == pytest.approx([0.0] * 3, abs=1e-12)
    inside = diagram.at(2.0)
    assert (inside.n, inside.v, inside.m) == pytest.approx(
        (1.0, -2.0, 3.0 + 2.0 * 2.0) if at else (0.0,) * 3, abs=1e-12
    )


def test_a_moment_at_a_hinged_end_bends_the_member() -> None:
    """It acts on the member's side of the hinge."""
    frame = make(
        [(0, 0), (4, 0), (8, 0)],
        [(0, 1, "e"), (1, 2)],
        [Support.fixed(0), Support.pin(1), Support.pin(2)],
        [MemberPointLoad(0, 4.0, m=7.0)],
    )
    solution = solve(frame)
    assert solution.diagram(0).at(4.0, side="left").m == pytest.approx(7.0)
    assert solution.end_forces[0, 5] == 0.0
    assert np.abs(solution.end_forces[1]).max() < 1e-12


def test_places_in_rounded_decimals_are_one_place() -> None:
    """0.1 + 0.2 and 0.3 are the same break, and a load a hair beyond the end is at the end."""
    diagram = cantilever(MemberPointLoad(0, 0.1 + 0.2, fy=1.0), MemberLineLoad(0, 0.3, 2.0, 0, 1, 0, 1)).diagram(0)
    assert list(diagram.breaks) == pytest.approx([0.0, 0.3, 2.0, 4.0])
    beyond = cantilever(MemberPointLoad(0, 4.0 + 1e-11, fy=1.0))
    assert beyond.reactions[0].vector == pytest.approx((0.0, -1.0, -4.0))
    assert beyond.diagram(0).breaks[-1] == 4.0


def test_loads_that_overlap_add_up() -> None:
    lines = [
        MemberLineLoad(0, 1.0, 3.0, fy_begin=-2.0, fy_end=-2.0),
        MemberLineLoad(0, 2.0, 4.0, fy_begin=-1.0, fy_end=-5.0),
    ]
    both, parts = cantilever(*lines).diagram(0), [cantilever(line).diagram(0) for line in lines]
    places = np.linspace(0.0, 4.0, 33)
    assert np.array(both.at(places)) == pytest.approx(sum(np.array(part.at(places)) for part in parts), abs=1e-9)
    short = cantilever(MemberLineLoad(0, 1.0, 1.0 + 1e-13, fy_begin=1e13, fy_end=1e13))
    assert short.diagram(0).at(3.0).v == pytest.approx(0.0, abs=1e-6)
    assert short.diagram(0).at(0.5).v == pytest.approx(-1.0, rel=1e-2)


def test_a_load_on_a_hinged_member_bends_it_like_a_simple_beam() -> None:
    """The deflection between nodes is that of a simply supported beam on top of the chord."""
    frame = make(
        [(0, 0), (3, 4), (6, 0)],
        [(0, 1, "se"), (1, 2, "se")],
        [Support.pin(0), Support.pin(2)],
        [MemberLineLoad(0, 0.0, 5.0, -0.8e3, 0.6e3, -0.8e3, 0.6e3)],
    )
    solution = solve(frame)
    assert solution.diagram(0).at(2.5).m == pytest.approx(-1e3 * 25 / 8)
    chord = solution.displacements[:2, :2].mean(axis=0)
    bow = (solution.deflection(0, 2.5) - chord) @ (-0.8, 0.6)
    member = frame.members[0]
    assert bow == pytest.approx(5 * 1e3 * 5**4 / (384 * member.E * member.I))
