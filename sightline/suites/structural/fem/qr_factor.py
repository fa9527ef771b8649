"""QR factorisation of the weighted deformations, for stable structures with an ill-conditioned stiffness matrix.

The square root W has the square root of the condition number, so twice as many powers of ten fit between the stiffest
and the softest motion. With W = QR and the stiffness matrix K = WᵀW = RᵀR, loads p move the nodes by R⁻¹R⁻ᵀp and
deform the members by Q R⁻ᵀp, weighted. The members' forces come from the latter. Computed from the motions they would
be the small difference of large numbers: where a stiff member rides on a soft one, its motion is all but rigid, and
rounding it once is worth more force than the loads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sightline.core.errors import SightlineError
from sightline.suites.structural.fem.algebra import multiply, multiply_each
from sightline.suites.structural.fem.arrays import Floats, Indices, MemberArrays
from sightline.suites.structural.fem.assembly import Assembly
from sightline.suites.structural.fem.mechanism import unit_rows
from sightline.suites.structural.fem.ordering import reduce_bandwidth

_MAX_UNKNOWNS = 3000
_MAX_INVERSE = 1e14


class QrFactor:
    """Orthogonal factorisation of the weighted deformations; solves as `Factor` does, slower and with smaller errors.

    Like `Factor`, it has the same digits on every CPU.
    """

    def __init__(self, members: MemberArrays, assembly: Assembly) -> None:
        count = assembly.unknowns
        if count > _MAX_UNKNOWNS:
            raise _ill_conditioned()
        roots = unit_rows(members)
        roots[:, 0] *= np.sqrt(members.ea * members.length)[:, None]
        roots[:, 1:] *= np.sqrt(4.0 * members.ei / members.length)[:, None, None]
        numbers = assembly.number[assembly.dofs]
        permutation, _ = reduce_bandwidth(numbers, count)
        self._permutation = np.arange(count) if permutation is None else permutation
        rows = np.zeros((len(roots), 3, count + 1))
        numbers = np.append(self._permutation, count)[numbers]
        np.put_along_axis(
            rows, np.repeat(numbers[:, None], 3, axis=1), multiply_each(roots, assembly.shape_free), axis=2
        )
        flat = np.asfortranarray(rows.reshape(-1, count + 1)[:, :count])
        self._scale = 1.0 / np.sqrt((flat * flat).sum(axis=0))
        flat *= self._scale
        self._roots = roots
        self._pivots, self._reflections = _triangularise(flat)
        self._inverse = _invert_triangle(flat[self._pivots])
        if not np.abs(self._inverse).max(initial=0.0) < _MAX_INVERSE:
            raise _ill_conditioned()

    def solve(self, right: Floats) -> tuple[Floats, Floats]:
        """The motions for each column of loads, and the members' forces (members, N and moments, columns)."""
        loads = np.empty_like(right)
        loads[self._permutation] = right
        inner = multiply(self._inverse.T, self._scale[:, None] * loads)
        moves = self._scale[:, None] * multiply(self._inverse, inner)
        strains = np.zeros((3 * len(self._roots), right.shape[1]))
        strains[self._pivots] = inner
        for reflection in reversed(self._reflections):
            reflection.apply(strains)
        forces = multiply_each(self._roots.transpose(0, 2, 1), strains.reshape(len(self._roots), 3, -1))
        return moves[self._permutation], forces


class _Reflection(NamedTuple):
    """Householder reflection I − share · normal normalᵀ of some of the rows."""

    rows: Indices
    normal: Floats
    share: float

    def apply(self, table: Floats) -> None:
        part = table[self.rows]
        table[self.rows] = part - self.normal[:, None] * (self.share * (self.normal[:, None] * part).sum(axis=0))


def _triangularise(table: Floats) -> tuple[Indices, list[_Reflection]]:
    """Householder QR in place; the row that becomes each row of the triangle, and the reflections.

    The largest entry of a column is its pivot: with rows that differ by many powers of ten, small ones are spoilt else
    (Powell and Reid 1969; Cox and Higham 1998). Only rows that a column meets are touched, and of these only the
    columns that any of them meets.
    """
    count = table.shape[1]
    left = np.ones(len(table), dtype=bool)
    last = np.where(table != 0.0, np.arange(count), -1).max(axis=1, initial=-1)
    pivots = np.empty(count, dtype=np.int64)
    reflections = []
    for k in range(count):
        rows = np.flatnonzero(left & (table[:, k] != 0.0))
        if not len(rows):
            raise _ill_conditioned()
        end = int(last[rows].max()) + 1
        normal = table[rows, k]
        largest = int(np.abs(normal).argmax())
        size = float(np.copysign(np.sqrt((normal * normal).sum()), normal[largest]))
        share = 1.0 / (size * (size + float(normal[largest])))
        normal[largest] += size
        reflections.append(_Reflection(rows, normal, share))
        reflections[-1].apply(table[:, k:end])
        last[rows] = end - 1
        pivots[k] = rows[largest]
        table[rows, k] = 0.0
        table[pivots[k], k] = -size
        left[pivots[k]] = False
    return pivots, reflections


def _invert_triangle(upper: Floats) -> Floats:
    inverse = np.eye(len(upper))
    for k in range(len(upper) - 1, -1, -1):
        inverse[k, k:] /= upper[k, k]
        rows = np.flatnonzero(upper[:k, k])
        inverse[rows, k:] -= upper[rows, k, None] * inverse[k, k:]
    return inverse


def _ill_conditioned() -> SightlineError:
    return SightlineError("The stiffnesses in this structure differ by too many powers of ten to be solved.")
