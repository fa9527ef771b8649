"""Direct stiffness solver: a frame is assembled and factorised once, then solved for any number of load cases."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from sightline.core.errors import SightlineError
from sightline.suites.structural.fem.assembly import assemble, constrain
from sightline.suites.structural.fem.diagram import Diagram, Peak, make_diagram
from sightline.suites.structural.fem.elements import Floats, MemberArrays, member_arrays
from sightline.suites.structural.fem.factorization import BlockFactor, QrFactor
from sightline.suites.structural.fem.frame import Frame, Load
from sightline.suites.structural.fem.linear_algebra import multiply, multiply_each, orthonormal_basis, solve_few
from sightline.suites.structural.fem.loads import LoadCase, build_load_case, clip_load
from sightline.suites.structural.fem.mechanism import find_mechanism, make_mechanism_error

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


_MAX_INVERSE_NORM = 1e9  # a mechanism's scaled stiffness, rounded, has an inverse of 1e13 and more
_TARGET_RESIDUAL = 1e-12
_MAX_RESIDUAL = 1e-9
_MAX_REFINEMENTS = 20
_TINY = 1e-300


class Structure:
    """A frame ready to be solved; raises `MechanismError` if anything in it can move freely."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self._members = member_arrays(frame)
        self._constraints = constrain(frame.supports, self._members)
        self._assembly = assemble(self._members, self._constraints)
        self._factor = self._factorise()

    def solve(self, loads: Sequence[Load] | None = None) -> Solution:
        """Solve for the loads of the frame, or for others."""
        return self.solve_many([self.frame.loads if loads is None else loads])[0]

    def solve_many(self, cases: Sequence[Sequence[Load]]) -> list[Solution]:
        """One solution per load case, from a single factorisation."""
        if not cases:
            return []
        load_cases = [build_load_case(loads, self._members) for loads in cases]
        for load_case in load_cases:
            loose = np.flatnonzero(self._constraints.idle & (load_case.nodal[:, 2] != 0.0))
            if len(loose):
                raise make_mechanism_error(self._members, int(loose[0]), "rotates", 1)
        displacements, natural, reactions = self._solve_refined(load_cases)
        return [
            Solution(self.frame, self._members, load_case, displacements[..., i], natural[..., i], reactions[..., i])
            for i, load_case in enumerate(load_cases)
        ]

    def _factorise(self) -> BlockFactor | QrFactor:
        parts = self._assembly
        numbers = parts.number[parts.dofs]
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # a mechanism's numbers may overflow on the way
                factor = BlockFactor(parts.element_stiffness(), numbers, parts.unknowns)
                if factor.inverse_norm() < _MAX_INVERSE_NORM:
                    return factor
        except np.linalg.LinAlgError:
            pass
        if error := find_mechanism(self._members, self._constraints, parts):
            raise error
        return QrFactor(self._members, parts)

    def _solve_refined(self, load_cases: list[LoadCase]) -> tuple[Floats, Floats, Floats]:
        """Displacements, natural forces (N, start and end moment) and reactions, cases along the last axis.

        Iterative refinement: the residual at the nodes is solved for again. The forces are summed over the iterations,
        never computed from the final displacements, so equilibrium holds to rounding even where bending is 1e8 times
        softer than stretching.
        """
        members, parts, free = self._members, self._assembly, self._constraints.free.ravel()
        nodal = _stack([load_case.nodal for load_case in load_cases])
        simple = _to_world(_stack([load_case.simple for load_case in load_cases]), members.cos, members.sin)
        shape_back = parts.shape.transpose(0, 2, 1)
        natural = -_stack([load_case.restraint for load_case in load_cases])
        natural[:, 1:] = multiply_each(parts.factors, natural[:, 1:])
        displacements = np.zeros_like(nodal)
        error = previous_error = np.inf
        for iteration in range(_MAX_REFINEMENTS):
            ends = multiply_each(shape_back, natural) + simple
            residual = self._constraints.to_basis(nodal - self._sum_at_nodes(ends)).reshape(len(free), -1)
            if iteration:
                previous_error, error = error, self._imbalance(residual, nodal, ends)
            if error <= _TARGET_RESIDUAL or (error <= _MAX_RESIDUAL and error > previous_error / 4.0):
                residual[free] = 0.0
                return displacements, natural, self._constraints.to_world(-residual.reshape(nodal.shape))
            step, forces = self._solve_step(residual)
            displacements += step
            natural += forces
        raise SightlineError("The stiffnesses in this structure differ by too many powers of ten to be solved.")

    def _solve_step(self, loads: Floats) -> tuple[Floats, Floats]:
        """Displacements and natural forces under loads (3 × nodes, cases) in the nodes' bases."""
        free = self._constraints.free
        moves = np.zeros_like(loads)
        if isinstance(self._factor, QrFactor):
            moves[free.ravel()], forces = self._factor.solve(loads[free.ravel()])
            return self._constraints.to_world(moves.reshape(*free.shape, -1)), forces
        moves[free.ravel()] = self._factor.solve(loads[free.ravel()])
        step = self._constraints.to_world(moves.reshape(*free.shape, -1))
        return step, multiply_each(self._assembly.stiffness, step.reshape(len(loads), -1)[self._assembly.dofs])

    def _imbalance(self, residual: Floats, nodal: Floats, ends: Floats) -> float:
        """The largest unbalanced force or moment, over the largest that acts; the worst of the cases."""
        cases = nodal.shape[2]
        off = np.abs(np.where(self._constraints.free[..., None], residual.reshape(nodal.shape), 0.0)).max(axis=0)
        acting = np.maximum(np.abs(nodal).max(axis=0), np.abs(ends.reshape(-1, 3, cases)).max(axis=0))
        # Forces and moments are measured by each other too, or a state without one of them could never be balanced.
        length = self._members.length.mean()
        acting[:2] = acting[:2].max(axis=0) + acting[2] / length
        acting[2] = acting[0] * length
        worst = float((off / (acting + _TINY)).max())
        return worst if np.isfinite(worst) else np.inf

    def _sum_at_nodes(self, ends: Floats) -> Floats:
        """End forces (members, 6, cases) summed at the nodes."""
        cases = ends.shape[2]
        index = self._assembly.dofs
        if cases > 1:
            index = index[:, :, None] * cases + np.arange(cases)
        size = 3 * self._members.nodes * cases
        return np.asarray(np.bincount(index.ravel(), ends.ravel(), size), float).reshape(-1, 3, cases)


def solve(frame: Frame) -> Solution:
    """Solve a frame under its own loads."""
    return Structure(frame).solve()


def _stack(tables: list[Floats]) -> Floats:
    return tables[0][..., None] if len(tables) == 1 else np.stack(tables, axis=-1)


def _to_world(ends: Floats, cos: Floats, sin: Floats) -> Floats:
    cos, sin = cos[:, None], sin[:, None]
    turned = ends.copy()
    for x, y in ((0, 1), (3, 4)):
        turned[:, x] = cos * ends[:, x] - sin * ends[:, y]
        turned[:, y] = sin * ends[:, x] + cos * ends[:, y]
    return turned
