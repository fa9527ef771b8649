"""Frames to try the solver on: a builder of few words, regular frames, and random ones."""

from __future__ import annotations

import math
import random

from sightline.suites.structural.fem import (
    Frame,
    Load,
    MechanismError,
    Member,
    MemberLineLoad,
    MemberPointLoad,
    Node,
    NodeLoad,
    Structure,
    Support,
)

E, A, I = 2.0e11, 4.0e-3, 3.0e-5  # noqa: E741  # the usual letters


def make(
    points: list[tuple[float, float]],
    members: list[tuple[int, int] | tuple[int, int, str]],
    supports: list[Support],
    loads: list[Load] | tuple[Load, ...] = (),
    section: tuple[float, float, float] = (E, A, I),
) -> Frame:
    """A frame; a member's third word says where it is hinged: "s", "e" or "se"."""
    young, area, inertia = section
    made = []
    for start, end, *hinges in members:
        word = hinges[0] if hinges else ""
        made.append(
            Member(start=start, end=end, E=young, A=area, I=inertia, hinge_start="s" in word, hinge_end="e" in word)
        )
    return Frame(
        nodes=tuple(Node(float(x), float(y)) for x, y in points),
        members=tuple(made),
        supports=tuple(supports),
        loads=tuple(loads),
    )


def building(bays: int, storeys: int) -> Frame:
    """A rigid-jointed building frame under gravity and wind."""
    points = [(4.0 * i, 3.0 * j) for j in range(storeys + 1) for i in range(bays + 1)]
    width = bays + 1
    columns = [(j * width + i, (j + 1) * width + i) for j in range(storeys) for i in range(width)]
    beams = [(j * width + i, j * width + i + 1) for j in range(1, storeys + 1) for i in range(bays)]
    loads: list[Load] = [
        MemberLineLoad(len(columns) + k, 0.0, 4.0, fy_begin=-2.0e4, fy_end=-2.0e4) for k in range(len(beams))
    ]
    loads += [NodeLoad(j * width, fx=5.0e3 * j) for j in range(1, storeys + 1)]
    return make(points, columns + beams, [Support.fixed(i) for i in range(width)], loads)


def length_of(frame: Frame, member: int) -> float:
    """A member's length."""
    a, b = (frame.nodes[i] for i in (frame.members[member].start, frame.members[member].end))
    return math.hypot(b.x - a.x, b.y - a.y)


def random_loads(rng: random.Random, frame: Frame, whole_lines: bool = False) -> tuple[Load, ...]:
    """Loads of each kind; line loads uniform over the whole member where the reference knows no others."""
    fully_hinged = hinged_joints(frame)
    loads: list[Load] = []
    for _ in range(rng.randint(1, 3)):
        node = rng.randrange(len(frame.nodes))
        moment = 0.0 if node in fully_hinged else rng.uniform(-5.0, 5.0)
        loads.append(NodeLoad(node, rng.uniform(-9.0, 9.0), rng.uniform(-9.0, 9.0), moment))
    for _ in range(rng.randint(1, 4)):
        member = rng.randrange(len(frame.members))
        length = length_of(frame, member)
        moment = 0.0 if whole_lines else rng.uniform(-5.0, 5.0)
        at = rng.uniform(0.05, 0.95) * length
        loads.append(MemberPointLoad(member, at, rng.uniform(-9.0, 9.0), rng.uniform(-9.0, 9.0), moment))
    for _ in range(rng.randint(1, 4)):
        member = rng.randrange(len(frame.members))
        length = length_of(frame, member)
        ends = [0.0, length] if whole_lines else sorted(rng.uniform(0.0, length) for _ in range(2))
        x, y = rng.uniform(-4.0, 4.0), rng.uniform(-4.0, 4.0)
        x_end, y_end = (x, y) if whole_lines else (rng.uniform(-4.0, 4.0), rng.uniform(-4.0, 4.0))
        loads.append(MemberLineLoad(member, ends[0], ends[1], x, y, x_end, y_end))
    return tuple(loads)


def hinged_joints(frame: Frame) -> set[int]:
    """Nodes where every member end is hinged."""
    rigid = {m.start for m in frame.members if not m.hinge_start} | {m.end for m in frame.members if not m.hinge_end}
    return set(range(len(frame.nodes))) - rigid


def random_frame(seed: int, oblique: bool = True, whole_lines: bool = False) -> Frame:
    """A firm frame of 3 to 9 nodes with hinges, supports of each kind and loads of each kind."""
    rng = random.Random(seed)
    while True:
        frame = _any_frame(rng, oblique)
        try:
            Structure(frame)
        except MechanismError:
            continue
        return Frame(
            nodes=frame.nodes,
            members=frame.members,
            supports=frame.supports,
            loads=random_loads(rng, frame, whole_lines),
        )


def _any_frame(rng: random.Random, oblique: bool) -> Frame:
    count = rng.randint(3, 9)
    scale = 10.0 ** rng.uniform(-1.0, 2.0)
    nodes = tuple(
        Node(scale * (i % 3 + rng.uniform(-0.3, 0.3)), scale * (i // 3 + rng.uniform(-0.3, 0.3))) for i in range(count)
    )
    pairs = {tuple(rng.sample((i, rng.randrange(i)), 2)) for i in range(1, count)}
    pairs |= {tuple(rng.sample(range(count), 2)) for _ in range(rng.randint(0, count))}
    unique = {tuple(sorted(pair)): pair for pair in sorted(pairs)}
    young = 10.0 ** rng.uniform(3.0, 11.3)
    members = []
    hinged = rng.randrange(count)
    for start, end in unique.values():
        length = math.hypot(nodes[end].x - nodes[start].x, nodes[end].y - nodes[start].y)
        area = rng.uniform(0.5, 2.0) * 0.01 * scale**2
        inertia = area * length**2 / 10.0 ** rng.uniform(2.0, 4.0)
        start_hinge, end_hinge = (node == hinged or rng.random() < 0.15 for node in (start, end))
        members.append(
            Member(
                start=start, end=end, E=young, A=area, I=inertia, hinge_start=start_hinge, hinge_end=end_hinge
            )
        )  # fmt: skip
    kinds = [Support.pin, Support.fixed, Support.roller, lambda node: Support.slider(node, 90.0)]
    if oblique:
        kinds += [
            lambda node: Support.roller(node, rng.uniform(0.0, 360.0)),
            lambda node: Support.slider(node, rng.uniform(0.0, 360.0)),
        ]
    supports = tuple(rng.choice(kinds)(node) for node in rng.sample(range(count), rng.randint(1, min(4, count))))
    return Frame(nodes=nodes, members=tuple(members), supports=supports)
