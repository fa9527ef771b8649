"""A frame assembled and factorised once, then solved for any number of load cases."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sightline.core.errors import SightlineError
from sightline.suites.structural.fem.algebra import multiply_each
from sightline.suites.structural.fem.arrays import Floats, member_arrays
from sightline.suites.structural.fem.assembly import assemble
from sightline.suites.structural.fem.block_factor import BlockFactor
from sightline.suites.structural.fem.constraints import constrain
from sightline.suites.structural.fem.load_case import LoadCase, build_load_case
from sightline.suites.structural.fem.mechanism import find_mechanism, make_mechanism_error
from sightline.suites.structural.fem.model import Frame, Load
from sightline.suites.structural.fem.qr_factor import QrFactor
from sightline.suites.structural.fem.solution import Solution

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
        nodal = _stacked([load_case.nodal for load_case in load_cases])
        simple = _to_world(_stacked([load_case.simple for load_case in load_cases]), members.cos, members.sin)
        shape_back = parts.shape.transpose(0, 2, 1)
        natural = -_stacked([load_case.restraint for load_case in load_cases])
        natural[:, 1:] = multiply_each(parts.factors, natural[:, 1:])
        displacements = np.zeros_like(nodal)
        error = previous_error = np.inf
        for iteration in range(_MAX_REFINEMENTS):
            ends = multiply_each(shape_back, natural) + simple
            residual = self._constraints.to_basis(nodal - self._gathered(ends)).reshape(len(free), -1)
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

    def _gathered(self, ends: Floats) -> Floats:
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


def _stacked(tables: list[Floats]) -> Floats:
    return tables[0][..., None] if len(tables) == 1 else np.stack(tables, axis=-1)


def _to_world(ends: Floats, cos: Floats, sin: Floats) -> Floats:
    cos, sin = cos[:, None], sin[:, None]
    turned = ends.copy()
    for x, y in ((0, 1), (3, 4)):
        turned[:, x] = cos * ends[:, x] - sin * ends[:, y]
        turned[:, y] = sin * ends[:, x] + cos * ends[:, y]
    return turned
