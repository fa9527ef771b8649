"""What holds for every frame: equilibrium, reciprocity, superposition; the answer knows no axes and no numbering."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.suites.structural.fem import (
    Frame,
    Load,
    Member,
    MemberLineLoad,
    MemberPointLoad,
    Node,
    NodeLoad,
    Solution,
    Structure,
    Support,
    solve,
)
from tests.suites.structural.fem.frames import building, hinged_joints, length_of, make, random_frame, random_loads
from tests.suites.structural.fem.references import direction_of

SEEDS = range(40)
TIGHT = 1e-9

Array = NDArray[np.float64]


def same(got: Array, wanted: Array, tolerance: float = TIGHT) -> bool:
    """Equal but for rounding, measured by the largest of each column kind (forces, moments)."""
    got, wanted = np.atleast_2d(got), np.atleast_2d(wanted)
    assert got.shape == wanted.shape
    return all(
        np.abs(got[:, k] - wanted[:, k]).max()
        <= tolerance * max(np.abs(wanted).max() * 1e-3, np.abs(wanted[:, k]).max())
        for k in range(got.shape[1])
    )


def forces_of(frame: Frame, load: Load) -> list[tuple[float, float, float, float, float]]:
    """A load as forces (x, y, fx, fy, m) with the same resultant and moment about any point."""
    if isinstance(load, NodeLoad):
        node = frame.nodes[load.node]
        return [(node.x, node.y, load.fx, load.fy, load.m)]
    c, s = direction_of(frame, load.member)
    start = frame.nodes[frame.members[load.member].start]
    if isinstance(load, MemberPointLoad):
        return [(start.x + c * load.at, start.y + s * load.at, load.fx, load.fy, load.m)]
    span = load.end - load.begin
    ends = ((load.fx_begin, load.fy_begin, load.begin + span / 3), (load.fx_end, load.fy_end, load.end - span / 3))
    return [(start.x + c * at, start.y + s * at, fx * span / 2, fy * span / 2, 0.0) for fx, fy, at in ends]


@pytest.mark.parametrize("seed", SEEDS)
def test_loads_and_reactions_balance(seed: int) -> None:
    frame = random_frame(seed)
    solution = solve(frame)
    acting = [force for load in frame.loads for force in forces_of(frame, load)]
    held = [(frame.nodes[r.node].x, frame.nodes[r.node].y, *r.vector) for r in solution.reactions]
    table = np.array(acting + held)
    x, y, fx, fy, m = table.T
    assert fx.sum() == pytest.approx(0.0, abs=TIGHT * np.abs(table[:, 2:4]).max())
    assert fy.sum() == pytest.approx(0.0, abs=TIGHT * np.abs(table[:, 2:4]).max())
    turning = m + x * fy - y * fx
    assert turning.sum() == pytest.approx(0.0, abs=TIGHT * np.abs(turning).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_reactions_act_only_where_and_how_something_is_held(seed: int) -> None:
    frame = random_frame(seed)
    solution = solve(frame)
    for support, reaction in zip(frame.supports, solution.reactions, strict=True):
        held = np.array(support.held)
        assert np.array(reaction.components) @ held == pytest.approx(np.array(reaction.vector))
        moved = held @ solution.displacements[support.node]
        assert np.abs(moved).max() <= 1e-12 * np.abs(solution.displacements).max()
    free = sorted(set(range(len(frame.nodes))) - {support.node for support in frame.supports})
    assert not solution.node_reactions[free].any()


def work(frame: Frame, loads: tuple[Load, ...], solution: Solution) -> float:
    """What point loads do along the displacements of a solution."""
    total = 0.0
    for load in loads:
        if isinstance(load, NodeLoad):
            total += float(np.dot((load.fx, load.fy, load.m), solution.displacements[load.node]))
        else:
            assert isinstance(load, MemberPointLoad)
            total += float(solution.deflection(load.member, load.at) @ (load.fx, load.fy))
    return total


@pytest.mark.parametrize("seed", SEEDS)
def test_reciprocity(seed: int) -> None:
    """Maxwell–Betti: the work of one set of loads along the answer to another is the same either way."""
    frame = random_frame(seed)
    rng = random.Random(seed)
    cases = []
    for _ in range(2):
        loads = [load for load in random_loads(rng, frame) if not isinstance(load, MemberLineLoad)]
        cases.append(tuple(replace(load, m=0.0) if isinstance(load, MemberPointLoad) else load for load in loads))
    first, second = Structure(frame).solve_many(cases)
    there, back = work(frame, cases[0], second), work(frame, cases[1], first)
    own = math.sqrt(work(frame, cases[0], first) * work(frame, cases[1], second))
    assert there == pytest.approx(back, abs=TIGHT * own)


@pytest.mark.parametrize("seed", SEEDS)
def test_superposition_and_many_cases_at_once(seed: int) -> None:
    frame = random_frame(seed)
    structure = Structure(frame)
    whole, *parts = structure.solve_many([frame.loads, *((load,) for load in frame.loads)])
    for name in ("displacements", "node_reactions", "end_forces"):
        assert same(sum(getattr(part, name) for part in parts), getattr(whole, name))
        assert same(getattr(structure.solve(), name), getattr(whole, name), 1e-11)
    for member in range(len(frame.members)):
        places = np.linspace(0.0, length_of(frame, member), 7)
        total = sum(np.array(part.diagram(member).at(places)) for part in parts)
        size = max(whole.peak())
        assert np.abs(total - np.array(whole.diagram(member).at(places))).max() <= TIGHT * size


def moved(frame: Frame, place: Callable[[float, float], tuple[float, float]], degrees: float) -> Frame:
    """The whole structure with its supports and loads turned and shifted."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def turn(x: float, y: float) -> tuple[float, float]:
        return c * x - s * y, s * x + c * y

    loads: list[Load] = []
    for load in frame.loads:
        if isinstance(load, MemberLineLoad):
            ends = (*turn(load.fx_begin, load.fy_begin), *turn(load.fx_end, load.fy_end))
            loads.append(MemberLineLoad(load.member, load.begin, load.end, *ends))
        else:
            fx, fy = turn(load.fx, load.fy)
            loads.append(replace(load, fx=fx, fy=fy))
    return Frame(
        nodes=tuple(Node(*place(*turn(node.x, node.y))) for node in frame.nodes),
        members=frame.members,
        supports=tuple(Support(s.node, tuple((*turn(h[0], h[1]), h[2]) for h in s.held)) for s in frame.supports),
        loads=tuple(loads),
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("degrees", [0.0, 37.0, 90.0, 180.0])
def test_the_answer_turns_and_shifts_with_the_structure(seed: int, degrees: float) -> None:
    frame = random_frame(seed)
    size = max(abs(node.x) for node in frame.nodes)
    here = solve(frame)
    there = solve(moved(frame, lambda x, y: (x + 3.0 * size, y - 2.0 * size), degrees))
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    assert same(there.end_forces, here.end_forces)
    assert same(there.displacements @ turn, here.displacements)
    assert same(there.node_reactions @ turn, here.node_reactions)


def split(frame: Frame, member: int, at: float) -> Frame:
    """The frame with a node inside a member; loads on it go to the part where they act."""
    old = frame.members[member]
    a, b = frame.nodes[old.start], frame.nodes[old.end]
    share = at / length_of(frame, member)
    node, fresh = len(frame.nodes), len(frame.members)
    members = list(frame.members)
    members[member] = replace(old, end=node, hinge_end=False)
    members.append(replace(old, start=node, hinge_start=False))
    loads: list[Load] = []
    for load in frame.loads:
        if isinstance(load, NodeLoad) or load.member != member:
            loads.append(load)
        elif isinstance(load, MemberPointLoad):
            loads.append(load if load.at <= at else replace(load, member=fresh, at=load.at - at))
        else:
            loads += split_line(load, fresh, at)
    return Frame(
        nodes=(*frame.nodes, Node(a.x + share * (b.x - a.x), a.y + share * (b.y - a.y))),
        members=tuple(members),
        supports=frame.supports,
        loads=tuple(loads),
    )


def split_line(load: MemberLineLoad, fresh: int, at: float) -> list[Load]:
    if load.end <= at:
        return [load]
    if load.begin >= at:
        return [replace(load, member=fresh, begin=load.begin - at, end=load.end - at)]
    t = (at - load.begin) / (load.end - load.begin)
    x, y = (1 - t) * load.fx_begin + t * load.fx_end, (1 - t) * load.fy_begin + t * load.fy_end
    first = replace(load, end=at, fx_end=x, fy_end=y)
    return [first, replace(load, member=fresh, begin=0.0, end=load.end - at, fx_begin=x, fy_begin=y)]


@pytest.mark.parametrize("seed", SEEDS)
def test_splitting_members_changes_nothing(seed: int) -> None:
    frame = random_frame(seed)
    whole = solve(frame)
    for member in range(len(frame.members)):
        length = length_of(frame, member)
        at = 0.37 * length
        parts = solve(split(frame, member, at))
        assert same(parts.displacements[:-1], whole.displacements)
        assert same(parts.node_reactions[:-1], whole.node_reactions)
        size = max(whole.peak())
        for place in np.linspace(0.0, length, 9):
            piece, s = (member, place) if place < at else (len(frame.members), place - at)
            got, wanted = parts.diagram(piece).at(s), whole.diagram(member).at(place)
            assert np.abs(np.array(got) - np.array(wanted)).max() <= TIGHT * size
            moves = np.abs(whole.displacements[:, :2]).max() + np.abs(whole.deflection(member, at)).max()
            assert np.abs(parts.deflection(piece, s) - whole.deflection(member, place)).max() <= TIGHT * moves


@pytest.mark.parametrize("seed", SEEDS)
def test_the_direction_of_a_member_changes_nothing(seed: int) -> None:
    frame = random_frame(seed)
    lengths = [length_of(frame, i) for i in range(len(frame.members))]
    loads: list[Load] = []
    for load in frame.loads:
        if isinstance(load, MemberPointLoad):
            loads.append(replace(load, at=lengths[load.member] - load.at))
        elif isinstance(load, MemberLineLoad):
            full = lengths[load.member]
            x, y, x_end, y_end = load.fx_end, load.fy_end, load.fx_begin, load.fy_begin
            loads.append(MemberLineLoad(load.member, full - load.end, full - load.begin, x, y, x_end, y_end))
        else:
            loads.append(load)
    turned = [
        replace(m, start=m.end, end=m.start, hinge_start=m.hinge_end, hinge_end=m.hinge_start) for m in frame.members
    ]
    here, there = solve(frame), solve(replace(frame, members=tuple(turned), loads=tuple(loads)))
    assert same(there.displacements, here.displacements)
    assert same(there.node_reactions, here.node_reactions)
    assert same(there.end_forces[:, [3, 4, 5, 0, 1, 2]] * [-1, -1, 1, -1, -1, 1], here.end_forces)
    for member, length in enumerate(lengths):
        places = np.linspace(0.0, length, 7) + 1e-4 * length
        n, v, m = here.diagram(member).at(places[:-1])
        back = there.diagram(member).at(length - places[:-1])
        assert np.abs(np.array([back.n - n, back.v - v, back.m + m])).max() <= TIGHT * max(here.peak())


def test_one_hinge_less_at_a_joint_changes_nothing() -> None:
    """Where all but one of the member ends are hinged, no moment is left for the last."""
    for seed in SEEDS:
        frame = random_frame(seed)
        whole = solve(frame)
        for node in hinged_joints(frame) - {support.node for support in frame.supports}:
            member = next(i for i, m in enumerate(frame.members) if node in (m.start, m.end))
            side = "hinge_start" if frame.members[member].start == node else "hinge_end"
            members = list(frame.members)
            members[member] = replace(members[member], **{side: False})
            other = solve(replace(frame, members=tuple(members)))
            assert same(other.end_forces, whole.end_forces)
            assert same(other.displacements[:, :2], whole.displacements[:, :2])


def test_some_random_frames_have_hinged_joints() -> None:
    """Else the law above would be empty."""
    frames = [random_frame(seed) for seed in SEEDS]
    assert sum(bool(hinged_joints(f) - {s.node for s in f.supports}) for f in frames) >= 3


def test_patch_of_constant_strain() -> None:
    """A bar split at uneven places stretches evenly, whatever its direction."""
    direction = np.array([0.6, 0.8])
    places = [0.0, 0.7, 0.9, 3.0, 3.1, 7.0]
    frame = make(
        [tuple(t * direction) for t in places],
        [(i, i + 1) for i in range(5)],
        [Support.fixed(0)],
        [NodeLoad(5, *(1e6 * direction))],
        (2.0e11, 0.01, 1.0e-4),
    )
    solution = solve(frame)
    wanted = np.outer(places, direction) * 1e6 / (2.0e11 * 0.01)
    assert solution.displacements[:, :2] == pytest.approx(wanted, abs=1e-13)
    assert np.abs(solution.displacements[:, 2]).max() < 1e-13
    assert np.concatenate([solution.diagram(i).at([0.0, 0.05]).n for i in range(5)]) == pytest.approx(np.full(10, 1e6))
    assert max(solution.peak()[1:]) < 1e-5


def test_rigid_body_motion_strains_nothing() -> None:
    """Hung on one soft bar each way, a stiff frame moves as one piece."""
    stiff = building(2, 2)
    nodes = (*stiff.nodes, Node(-5.0, 0.0), Node(0.0, -5.0), Node(8.0, -5.0))
    n = len(stiff.nodes)
    bar = {"E": 1.0, "A": 1.0, "I": 0.0, "hinge_start": True, "hinge_end": True}
    bars = [Member(start=n, end=0, **bar), Member(start=n + 1, end=0, **bar), Member(start=n + 2, end=2, **bar)]
    supports = tuple(Support.pin(n + i) for i in range(3))
    frame = Frame(nodes=nodes, members=(*stiff.members, *bars), supports=supports, loads=(NodeLoad(4, 1.0, 2.0, 3.0),))
    moves = solve(frame).displacements[:n]
    xy = np.array([(node.x, node.y) for node in stiff.nodes])
    turn = moves[0, 2]
    rigid = moves[0] + np.column_stack([-turn * (xy[:, 1] - xy[0, 1]), turn * (xy[:, 0] - xy[0, 0]), 0 * xy[:, 0]])
    assert np.abs(moves).max() > 1.0
    assert moves == pytest.approx(rigid, abs=1e-4)


@pytest.mark.parametrize("seed", range(10))
def test_the_order_of_nodes_and_members_does_not_matter(seed: int) -> None:
    frame = random_frame(seed)
    nodes = np.random.default_rng(seed).permutation(len(frame.nodes))
    rank = np.argsort(nodes)
    loads = [replace(load, node=int(rank[load.node])) if isinstance(load, NodeLoad) else load for load in frame.loads]
    other = Frame(
        nodes=tuple(frame.nodes[i] for i in nodes),
        members=tuple(replace(m, start=int(rank[m.start]), end=int(rank[m.end])) for m in frame.members),
        supports=tuple(Support(int(rank[s.node]), s.held) for s in frame.supports[::-1]),
        loads=tuple(loads[::-1]),
    )
    assert same(solve(other).end_forces, solve(frame).end_forces)
    assert same(solve(other).displacements[rank], solve(frame).displacements)
