"""Detection of mechanisms: zero-energy modes of the unit-stiffness structure.

Decided by geometry alone: with unit stiffnesses the answer can't depend on E, A, I or the unit of length, and slender
members are as firm as stocky ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.core.errors import SightlineError
from sightline.core.remarks import Remark
from sightline.suites.structural.fem.assembly import Assembly, Constraints
from sightline.suites.structural.fem.elements import Floats, Indices, MemberArrays, unit_stiffness_roots
from sightline.suites.structural.fem.factorization import BlockFactor
from sightline.suites.structural.fem.linear_algebra import LIBRARY

_STRAINLESS = 1e-10
_SHIFT = 1e-12
_CHAIN_SHIFT = 1e-7
_ONE_BLOCK = 1000
_TRIAL_MODES = 16
_MAX_MODES = 256
_TIE = 1e-6


class MechanismError(SightlineError):
    """The structure can move freely. Facts: `node`, its `x` and `y`, `motion` (English) and `modes`, how many ways."""

    def __init__(self, template: str, /, hint: str = "", **facts: Any) -> None:
        super().__init__(template, hint, **facts)
        self.node: int = facts.get("node", -1)
        self.motion: str = facts.get("motion", "")
        self.modes: int = facts.get("modes", 1)

    def with_node_name(self, name: str) -> MechanismError:
        """The same error with the node's index replaced by a name."""
        error = MechanismError(self.template, self.hint, **{**self.arguments, "node": name})
        error.node = self.node
        return error

    @property
    def remark(self) -> Remark:
        """The message, with the motion as a remark of its own."""
        way = self.motion.removeprefix("moves along ")
        motion = Remark("rotates") if self.motion == "rotates" else Remark("moves along {way}", {"way": way})
        remark = super().remark
        return Remark(remark.text, {**remark.args, "motion": motion})

    def __str__(self) -> str:
        return str(self.remark)


def make_mechanism_error(members: MemberArrays, node: int, motion: str, modes: int) -> MechanismError:
    """The error that names a node and its motion."""
    x, y = (f"{value:.6g}" for value in members.xy[node])
    return MechanismError(
        "The structure is a mechanism: node {node} at ({x}, {y}) {motion}.",
        node=node, x=x, y=y, motion=motion, modes=modes,
    )  # fmt: skip


def find_mechanism(members: MemberArrays, constraints: Constraints, assembly: Assembly) -> MechanismError | None:
    """The error that describes the free motion, or nothing where the structure is firm."""
    modes = _free_modes(members, assembly)
    if not modes.shape[1]:
        return None
    moves = np.zeros((3 * members.nodes, modes.shape[1]))
    moves[constraints.free.ravel()] = modes
    moves = constraints.to_world(moves.reshape(members.nodes, 3, -1))
    node, motion = _largest_motion(moves, float(np.median(members.length)))
    return make_mechanism_error(members, node, motion, modes.shape[1])


def _free_modes(members: MemberArrays, assembly: Assembly) -> Floats:
    """(unknowns, modes): motions that deform nothing, found by subspace iteration and judged by their strain.

    A strain is distinguished from rounding down to 1e-15, where the eigenvalue, its square, drowns at 1e-8.
    """
    count = assembly.unknowns
    strains = unit_stiffness_roots(members) @ assembly.shape_free
    numbers = assembly.number[assembly.dofs]
    soft = _ShiftedInverse(strains, numbers, count)
    size = min(_TRIAL_MODES, count)
    while True:
        trial = np.linalg.qr(np.random.default_rng(1).standard_normal((count, size)))[0]
        for _ in range(soft.rounds):
            trial = np.linalg.qr(soft.solve(trial))[0]
        moves = np.vstack([soft.factor.scale[:, None] * trial, np.zeros((1, size))])
        _, sizes, ways = np.linalg.svd(_at_least_square((strains @ moves[numbers]).reshape(-1, size)), False)
        still = sizes < _threshold(members)
        if not still.all() or size in (count, _MAX_MODES):
            return np.asarray(moves[:-1] @ ways[still].T)
        size = min(4 * size, count, _MAX_MODES)


def _at_least_square(rows: Floats) -> Floats:
    """With rows of zeros, so that each way of moving has its strain."""
    return np.vstack([rows, np.zeros((max(0, rows.shape[1] - len(rows)), rows.shape[1]))])


class _ShiftedInverse:
    """Shifted inverse of the unit stiffness, for inverse subspace iteration on the softest modes.

    In a chain of blocks a nearly singular pivot spoils the next: there the shift is larger and each solution refined.
    """

    def __init__(self, strains: Floats, numbers: Indices, count: int) -> None:
        self._chained = count > _ONE_BLOCK
        self._shift = _CHAIN_SHIFT if self._chained else _SHIFT
        self.rounds = 12 if self._chained else 6
        self._elements, self._numbers = strains.transpose(0, 2, 1) @ strains, numbers
        self.factor = BlockFactor(self._elements, numbers, count, self._shift, _ONE_BLOCK, LIBRARY)

    def solve(self, right: Floats) -> Floats:
        """The solution for each column."""
        solution = self.factor.scaled_solve(right)
        for _ in range(3 if self._chained else 0):
            solution = solution + self.factor.scaled_solve(right - self._multiply(solution))
        return solution

    def _multiply(self, columns: Floats) -> Floats:
        moves = np.vstack([self.factor.scale[:, None] * columns, np.zeros((1, columns.shape[1]))])
        forces = np.zeros_like(moves)
        np.add.at(forces, self._numbers, self._elements @ moves[self._numbers])
        return np.asarray(self.factor.scale[:, None] * forces[:-1] + self._shift * columns)


def _threshold(members: MemberArrays) -> float:
    """Coordinates far from the origin are rounded more coarsely, and with them the members' directions."""
    rounding = np.finfo(float).eps * float(np.abs(members.xy).max() / members.length.min())
    return max(_STRAINLESS, 64.0 * rounding)


def _largest_motion(moves: Floats, length: float) -> tuple[int, str]:
    """The node that moves most over all modes, and how; the first of several that move alike."""
    nodes, _, count = moves.shape
    metric = np.array([1.0, 1.0, length])[:, None]
    even = np.linalg.qr((moves * metric).reshape(3 * nodes, count))[0].reshape(nodes, 3, count)
    gram = even @ even.transpose(0, 2, 1)
    shifts, turns = gram[:, 0, 0] + gram[:, 1, 1], gram[:, 2, 2]
    if shifts.max() < _TIE**2 * turns.max():
        return int(np.argmax(turns >= (1.0 - _TIE) * turns.max())), "rotates"
    node = int(np.argmax(shifts >= (1.0 - _TIE) * shifts.max()))
    sizes, ways = np.linalg.eigh(gram[node, :2, :2])
    x, y = (1.0, 0.0) if sizes[1] - sizes[0] <= _TIE * sizes[1] else ways[:, 1]
    return node, f"moves along {_direction(float(x), float(y))}"


def _direction(x: float, y: float) -> str:
    if abs(y) < _TIE:
        return "x"
    if abs(x) < _TIE:
        return "y"
    sign = 1.0 if x > 0.0 else -1.0
    return f"({sign * x:.3g}, {sign * y:.3g})"
