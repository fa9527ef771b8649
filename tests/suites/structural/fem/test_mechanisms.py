"""A structure that can move is named as one, and none that can't is called so, whatever its scale."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from msgspec.structs import replace

from sightline.core.errors import SightlineError
from sightline.suites.structural.fem import (
    Frame,
    MechanismError,
    Member,
    MemberPointLoad,
    Node,
    NodeLoad,
    Structure,
    Support,
    solve,
)
from tests.suites.structural.fem.frames import building, make, random_frame

PIN, ROLLER, FIXED = Support.pin, Support.roller, Support.fixed
SQUARE = [(0, 0), (0, 3), (4, 3), (4, 0)]
BARS = [(0, 1, "se"), (1, 2, "se"), (2, 3, "se")]

MECHANISMS = {
    "four-bar parallelogram": (make(SQUARE, BARS, [PIN(0), PIN(3)]), 1, "moves along x", 1),
    "beam on rollers only": (make([(0, 0), (4, 0)], [(0, 1)], [ROLLER(0), ROLLER(1)]), 0, "moves along x", 1),
    "hinge in a simply supported beam": (
        make([(0, 0), (2, 0), (4, 0)], [(0, 1, "e"), (1, 2)], [PIN(0), ROLLER(2)]), 1, "moves along y", 1
    ),
    "all supports parallel": (
        make(SQUARE, [(0, 1), (1, 2), (2, 3)], [ROLLER(0), ROLLER(3), ROLLER(1)]), 0, "moves along x", 1
    ),
    "all supports through one point": (
        make([(-3, 0), (0, 4), (3, 0)], [(0, 1), (1, 2)], [ROLLER(0, 45.0), ROLLER(2, 135.0), ROLLER(1)]),
        0, "moves along (0.707, -0.707)", 1,
    ),
    "disconnected parts": (
        make([(0, 0), (4, 0), (6, 1), (6, 5)], [(0, 1), (2, 3)], [FIXED(0)]), 2, "moves along x", 3
    ),
    "unsupported node": (make([(0, 0), (4, 0), (5, 5)], [(0, 1)], [FIXED(0)]), 2, "moves along x", 2),
    "collinear truss joint": (
        make([(0, 0), (2, 1), (4, 2)], [(0, 1, "se"), (1, 2, "se")], [PIN(0), PIN(2)]),
        1, "moves along (0.447, -0.894)", 1,
    ),
    "turns about a pin": (make([(0, 0), (4, 3)], [(0, 1)], [PIN(0)]), 1, "moves along (0.6, -0.8)", 1),
    "no supports": (make([(0, 0), (4, 0)], [(0, 1)], []), 0, "moves along y", 3),
    "square truss without a diagonal": (
        make(SQUARE, [*BARS, (3, 0, "se")], [PIN(0), ROLLER(3)]), 1, "moves along x", 1
    ),
    "shaft that turns": (
        make([(0, 0), (4, 0)], [(0, 1)], [PIN(0), Support(1, ((1.0, 0.0, 0.0),))]), 1, "moves along y", 1
    ),
    "inclined rollers in the way of sliding": (
        make([(0, 0), (4, 3)], [(0, 1)], [ROLLER(0, 126.86989764584402), ROLLER(1, 126.86989764584402)]),
        0, "moves along (0.8, 0.6)", 1,
    ),
}  # fmt: skip


def scaled(frame: Frame, length: float, young: float, slender: float) -> Frame:
    """The frame in other units, of members with A L²/I = slender."""
    members = []
    for member in frame.members:
        a, b = frame.nodes[member.start], frame.nodes[member.end]
        span = length * math.hypot(b.x - a.x, b.y - a.y)
        area = 1e-3 * span**2
        members.append(replace(member, E=young, A=area, I=area * span**2 / slender))
    return Frame(
        nodes=tuple(Node(length * node.x, length * node.y) for node in frame.nodes),
        members=tuple(members),
        supports=frame.supports,
        loads=frame.loads,
    )


@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_are_found_and_named(name: str) -> None:
    frame, node, motion, modes = MECHANISMS[name]
    with pytest.raises(MechanismError) as caught:
        Structure(frame)
    assert (caught.value.node, caught.value.motion, caught.value.modes) == (node, motion, modes)
    place = frame.nodes[node]
    assert str(caught.value) == f"The structure is a mechanism: node {node} at ({place.x:g}, {place.y:g}) {motion}."


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("length", [0.1, 1.0, 1000.0])
@pytest.mark.parametrize("young", [1e3, 2e11])
@pytest.mark.parametrize("slender", [10.0, 1e4, 1e8])
def test_mechanisms_at_any_scale(name: str, length: float, young: float, slender: float) -> None:
    frame, node, motion, modes = MECHANISMS[name]
    with pytest.raises(MechanismError) as caught:
        Structure(scaled(frame, length, young, slender))
    assert (caught.value.node, caught.value.motion, caught.value.modes) == (node, motion, modes)


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("degrees", [17.0, 45.0, 203.0])
def test_mechanisms_in_any_direction(name: str, degrees: float) -> None:
    frame, node, _, modes = MECHANISMS[name]
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turned = replace(
        frame,
        nodes=tuple(Node(c * n.x - s * n.y + 50.0, s * n.x + c * n.y - 70.0) for n in frame.nodes),
        supports=tuple(
            Support(u.node, tuple((c * h[0] - s * h[1], s * h[0] + c * h[1], h[2]) for h in u.held))
            for u in frame.supports
        ),
    )
    with pytest.raises(MechanismError) as caught:
        Structure(turned)
    assert (caught.value.node, caught.value.modes) == (node, modes)


@pytest.mark.parametrize("seed", range(60))
def test_firm_structures_are_firm_at_any_scale(seed: int) -> None:
    """Random frames, slender up to A L²/I = 1e8; what is solved is in equilibrium."""
    frame = random_frame(seed)
    rng = random.Random(seed)
    length, young = 10.0 ** rng.uniform(-2.0, 2.0), 10.0 ** rng.uniform(3.0, 11.3)
    loads = tuple(load for load in frame.loads if isinstance(load, NodeLoad))
    for slender in (1e2, 1e6, 1e8):
        solution = solve(scaled(replace(frame, loads=loads), length, young, slender))
        applied = np.array([(load.fx, load.fy) for load in loads]).sum(axis=0)
        forces = solution.node_reactions[:, :2].sum(axis=0) + applied
        assert np.abs(forces).max() <= 1e-9 * max(*solution.peak()[:2], np.abs(solution.node_reactions).max())


def chain(count: int, degrees: float, slender: float) -> Frame:
    """A cantilever of many members."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    frame = make(
        [(i * c, i * s) for i in range(count + 1)],
        [(i, i + 1) for i in range(count)],
        [FIXED(0)],
        [NodeLoad(count, -s, c)],
    )
    return scaled(frame, 1.0, 1e9, slender)


@pytest.mark.parametrize(("count", "slender"), [(5, 1e8), (60, 1e8), (60, 1e3), (200, 1e5)])
@pytest.mark.parametrize("degrees", [0.0, 45.0])
def test_long_slender_cantilevers(count: int, slender: float, degrees: float) -> None:
    """The stiffness matrix is nearly singular in double precision, yet the structure stands, and PL³/3EI holds."""
    frame = chain(count, degrees, slender)
    solution = solve(frame)
    stiffness = frame.members[0].E * frame.members[0].I
    tip = float(np.hypot(*solution.displacements[-1, :2]))
    assert tip == pytest.approx(count**3 / (3 * stiffness), rel=1e-6)
    assert abs(solution.reactions[0].vector[2]) == pytest.approx(count, rel=1e-9)
    assert np.abs(solution.end_forces[:, 0]).max() < 1e-8


def stiff_and_soft() -> Frame:
    """A steel frame on a rubber post, short against long: 24 powers of ten between the stiffnesses."""
    return Frame(
        nodes=(Node(0.0, 0.0), Node(600.0, 800.0), Node(600.08, 800.06)),
        members=(
            Member(start=0, end=1, E=1e3, A=1e-2, I=1e-5),
            Member(start=1, end=2, E=2e11, A=1e-1, I=1e-3),
        ),
        supports=(FIXED(0),),
        loads=(NodeLoad(2, fx=8e-6, fy=-6e-6),),
    )


def test_stiff_and_soft_in_one_structure() -> None:
    solution = solve(stiff_and_soft())
    # The force is across the first member and acts at its end but for the short arm.
    assert solution.displacements[1, 2] == pytest.approx(
        -1e-5 * (1000.0**2 / 2 + 1000.0 * 0.096) / (1e3 * 1e-5), rel=1e-4
    )
    assert solution.reactions[0].vector == pytest.approx((-8e-6, 6e-6, 8e-6 * 800.06 + 6e-6 * 600.08), rel=1e-9)


def test_a_moment_on_a_hinged_joint_turns_it() -> None:
    truss = make([(0, 0), (4, 0), (2, 2)], [(0, 1, "se"), (1, 2, "se"), (2, 0, "se")], [PIN(0), ROLLER(1)])
    structure = Structure(truss)
    assert structure.solve([NodeLoad(2, fy=-1.0)]).displacements[2, 2] == 0.0
    for case in ([NodeLoad(2, m=1.0)], [NodeLoad(0, m=1e-30)]):
        with pytest.raises(MechanismError) as caught:
            structure.solve(case)
        assert (caught.value.node, caught.value.motion) == (case[0].node, "rotates")
    with pytest.raises(MechanismError):
        structure.solve_many([[NodeLoad(2, fy=-1.0)], [NodeLoad(2, m=1.0)]])
    held = replace(truss, supports=(*truss.supports, Support(2, ((0.0, 0.0, 1.0),))), loads=(NodeLoad(2, m=5.0),))
    assert solve(held).reactions[2].vector == (0.0, 0.0, -5.0)


def test_a_hinged_joint_on_a_support_that_turns_with_it() -> None:
    """A held direction may couple rotation with displacement; then the rotation is an unknown after all."""
    half = math.sqrt(0.5)
    geared = make([(0, 0), (4, 0)], [(0, 1, "e")], [FIXED(0), Support(1, ((half, 0.0, half),))], [NodeLoad(1, m=2.0)])
    solution = solve(geared)
    assert solution.displacements[1, 0] == pytest.approx(-solution.displacements[1, 2])
    assert solution.end_forces[0, 3] == pytest.approx(-2.0)
    assert solution.reactions[1].vector == pytest.approx((-2.0, 0.0, -2.0))


def test_many_free_parts() -> None:
    points = [(float(i), 0.0) for i in range(44)]
    frame = make(points, [(2 * i, 2 * i + 1) for i in range(22)], [FIXED(0)])
    with pytest.raises(MechanismError) as caught:
        Structure(frame)
    assert caught.value.modes == 63


def test_a_large_mechanism_is_found() -> None:
    frame = building(20, 20)
    storey = range(10 * 21, 11 * 21)
    hinged = [replace(m, hinge_start=i in storey, hinge_end=i in storey) for i, m in enumerate(frame.members)]
    with pytest.raises(MechanismError) as caught:
        Structure(replace(frame, members=tuple(hinged)))
    assert (caught.value.motion, caught.value.modes) == ("moves along x", 1)
    hinged[storey[3]] = frame.members[storey[3]]
    assert Structure(replace(frame, members=tuple(hinged))).solve().peak().m > 0.0
    with pytest.raises(MechanismError) as caught:
        Structure(replace(frame, nodes=(*frame.nodes, Node(3.0, 500.0))))
    assert (caught.value.node, caught.value.modes) == (441, 2)


NAN = float("nan")


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (Frame(nodes=(Node(0, 0),), members=()), "no members"),
        (make([(0, 0), (0, 0)], [(0, 1)], [FIXED(0)]), "Member 0 has no length"),
        (make([(0, 0), (1, NAN)], [(0, 1)], [FIXED(0)]), "Node 1 has a coordinate"),
        (make([(0, 0), (1, 0)], [(0, 2)], [FIXED(0)]), "Member 0 refers to a node"),
        (make([(0, 0), (1, 0)], [(0, -1)], [FIXED(0)]), "Member 0 refers to a node"),
        (make([(0, 0), (1, 0)], [(0, 1)], [FIXED(7)]), "holds node 7"),
        (make([(0, 0), (1, 0)], [(0, 1)], [Support(0, ((0.0, 0.0, 0.0),))]), "no direction"),
        (make([(0, 0), (1, 0)], [(0, 1)], [Support(0, ((NAN, 0.0, 0.0),))]), "no direction"),
        (make([(0, 0), (1, 0)], [(0, 1)], [FIXED(0)], [], (1.0, 0.0, 1.0)), "Member 0 needs"),
        (make([(0, 0), (1, 0)], [(0, 1)], [FIXED(0)], [], (-1.0, 1.0, 1.0)), "Member 0 needs"),
        (make([(0, 0), (1, 0)], [(0, 1)], [FIXED(0)], [], (1.0, 1.0, math.inf)), "Member 0 needs"),
        (make([(0, 0), (1, 0)], [(0, 1)], [FIXED(0)], [], (1.0, 1.0, 0.0)), "Member 0 needs"),
        (make([(0, 0), (1, 0)], [(0, 1)], [FIXED(0)], [NodeLoad(1, fx=NAN)]), "node 1 has a value"),
        (make([(0, 0), (1, 0)], [(0, 1)], [FIXED(0)], [NodeLoad(2, fx=1)]), "acts on node 2"),
        (make([(0, 0), (1, 0)], [(0, 1)], [FIXED(0)], [MemberPointLoad(0, 1.1, fx=1)]), "from 1.1 to 1.1"),
        (make([(0, 0), (1, 0)], [(0, 1)], [FIXED(0)], [MemberPointLoad(3, 0.5, fx=1)]), "acts on member 3"),
    ],
)  # fmt: skip
def test_what_can_not_be_computed_is_refused(frame: Frame, words: str) -> None:
    with pytest.raises(SightlineError, match=words) as caught:
        solve(frame)
    assert not isinstance(caught.value, MechanismError)
