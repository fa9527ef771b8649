"""Solution of a load case: displacements, reactions, end forces, diagrams, peaks, deflected shapes."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from sightline.suites.structural.fem.algebra import multiply, orthonormal_basis, solve_few
from sightline.suites.structural.fem.arrays import Floats, MemberArrays
from sightline.suites.structural.fem.diagram import Diagram, Peak, make_diagram
from sightline.suites.structural.fem.load_case import LoadCase, clip_load
from sightline.suites.structural.fem.model import Frame

_SAME_DIRECTION = 1e-9
_AXES = {(1.0, 0.0, 0.0): 0, (0.0, 1.0, 0.0): 1, (0.0, 0.0, 1.0): 2}


class Reaction(Struct, frozen=True):
    """What a support does to the structure."""

    node: int
    components: tuple[float, ...]
    """Along each held direction: these times the directions add up to `vector`."""
    vector: tuple[float, float, float]
    """(fx, fy, m) in world axes."""


class Solution:
    """The answer to one load case. Signs are those of `sightline.suites.structural.fem.diagram`."""

    def __init__(
        self,
        frame: Frame,
        members: MemberArrays,
        load_case: LoadCase,
        displacements: Floats,
        natural: Floats,
        held: Floats,
    ) -> None:
        self.frame = frame
        self.displacements = displacements
        """(nodes, 3): ux, uy, and the rotation; 0 for the rotation of a joint where every member end is hinged."""
        self.node_reactions = held
        """(nodes, 3): fx, fy, m of all supports at a node together."""
        self.end_forces = _end_forces(members, natural, load_case.simple)
        """(members, 6): fx, fy, m on the member at its start, then at its end, in its local axes."""
        self._members = members
        self._loading = load_case
        self._diagrams: dict[int, Diagram] = {}

    @cached_property
    def reactions(self) -> tuple[Reaction, ...]:
        """One per support, in order; directions that several supports share at a node are divided evenly."""
        rows: dict[int, list[tuple[float, float, float]]] = {}
        for support in self.frame.supports:
            rows.setdefault(support.node, []).extend(support.held)
        totals = self.node_reactions.tolist()
        shares = {node: iter(_shares(directions, totals[node])) for node, directions in rows.items()}
        reactions = []
        for support in self.frame.supports:
            components = tuple(next(shares[support.node]) for _ in support.held)
            x = y = m = 0.0
            for size, held in zip(components, support.held, strict=True):
                x, y, m = x + size * held[0], y + size * held[1], m + size * held[2]
            reactions.append(Reaction(support.node, components, (x, y, m)))
        return tuple(reactions)

    def diagram(self, member: int) -> Diagram:
        """N, V and M along a member, exact."""
        if member not in self._diagrams:
            members, loads = self._members, self._loading.on_member.get(member, ())
            direction = float(members.cos[member]), float(members.sin[member])
            length = float(members.length[member])
            fitting = [clip_load(load, length) for load in loads]
            self._diagrams[member] = make_diagram(length, direction, self.end_forces[member], fitting)
        return self._diagrams[member]

    def peak(self) -> Peak:
        """The largest |N|, |V| and |M| anywhere in the structure."""
        ends = np.abs(self.end_forces).max(axis=0)
        peaks = [Peak(*(float(max(ends[i], ends[i + 3])) for i in range(3)))]
        peaks += [self.diagram(member).peak() for member in self._loading.on_member]
        return Peak(max(p.n for p in peaks), max(p.v for p in peaks), max(p.m for p in peaks))

    def deflection(self, member: int, s: ArrayLike) -> Floats:
        """World displacements (…, 2) at distances from a member's start, exact between the nodes too.

        A member with I = 0 stays straight.
        """
        members = self._members
        cos, sin = float(members.cos[member]), float(members.sin[member])
        ends = self.displacements[members.ends[member], :2].tolist()
        (u0, v0), (u1, v1) = ((cos * x + sin * y, cos * y - sin * x) for x, y in ends)
        length, ea, ei = members.length[member], members.ea[member], members.ei[member]
        s = np.asarray(s, dtype=float)
        (stretch, bend), (whole_stretch, whole_bend) = (self.diagram(member).integrals(at) for at in (s, length))
        flexibility = 1.0 / ei if ei > 0.0 else 0.0
        along = u0 + stretch / ea + (u1 - u0 - whole_stretch / ea) * (s / length)
        across = v0 + bend * flexibility + (v1 - v0 - whole_bend * flexibility) * (s / length)
        return np.stack([cos * along - sin * across, sin * along + cos * across], axis=-1)


def _shares(directions: list[tuple[float, float, float]], total: list[float]) -> list[float]:
    axes = [_AXES.get(direction, -1) for direction in directions]
    if -1 not in axes and len(set(axes)) == len(axes):
        return [total[axis] for axis in axes]
    # the smallest of all components that add up to the total, within the space that the directions span
    held = np.array(directions, float)
    rows, rank = orthonormal_basis((held / np.sqrt((held * held).sum(axis=1, keepdims=True))).tolist(), _SAME_DIRECTION)
    within = multiply(rows[:rank], held.T)
    ways, _ = orthonormal_basis(within.tolist(), 0.0)
    needed = multiply(rows[:rank], np.array(total)[:, None])[:, 0]
    sizes = solve_few(multiply(within, ways[:rank].T).tolist(), needed.tolist())
    return [float(size) for size in multiply(ways[:rank].T, np.array(sizes)[:, None])[:, 0]]


def _end_forces(members: MemberArrays, natural: Floats, simple: Floats) -> Floats:
    axial, start, end = natural.T
    shear = (start + end) / members.length
    forces = simple.copy()
    forces[:, 0] -= axial
    forces[:, 1] += shear
    forces[:, 2] += start
    forces[:, 3] += axial
    forces[:, 4] -= shear
    forces[:, 5] += end
    return forces
