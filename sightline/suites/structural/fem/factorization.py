"""Factorisations of the stiffness matrix: block tridiagonal, and QR for ill-conditioned structures.

The operations have a fixed order (see `linear_algebra`), so the digits are the same on every CPU.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sightline.core.errors import SightlineError
from sightline.suites.structural.fem.assembly import Assembly
from sightline.suites.structural.fem.elements import Floats, Indices, MemberArrays, unit_stiffness_roots
from sightline.suites.structural.fem.linear_algebra import FIXED_ORDER, Arithmetic, multiply, multiply_each

_NARROW = 36  # nothing is won below
_POOR = 3  # a band of more than a third of a matrix is worth a search, and so is any wide band


def reduce_bandwidth(numbers: Indices, count: int) -> tuple[Indices | None, int]:
    """The place of each unknown in an order of small band width, if another than the given, and that width.

    `numbers` are the unknowns that each element couples; those equal to `count` are none.
    """
    natural = _bandwidth(numbers, count)
    if natural <= _NARROW or (natural * _POOR <= count <= 2 * _POOR * natural):
        return None, natural
    permutation = np.empty(count, dtype=np.int64)
    permutation[_cuthill_mckee(numbers, count)] = np.arange(count)
    band = _bandwidth(np.append(permutation, count)[numbers], count)
    return (permutation, band) if band < natural else (None, natural)


def _bandwidth(numbers: Indices, count: int) -> int:
    none = numbers == count
    return max(1, int((np.where(none, -1, numbers).max(axis=1) - numbers.min(axis=1)).max()))


def _cuthill_mckee(numbers: Indices, count: int) -> list[int]:
    neighbours: list[set[int]] = [set() for _ in range(count)]
    for row in numbers.tolist():
        coupled = {number for number in row if number < count}
        for number in coupled:
            neighbours[number] |= coupled
    degree = [len(near) for near in neighbours]
    left = set(range(count))
    order: list[int] = []
    while left:
        start = min(left, key=degree.__getitem__)
        for _ in range(2):  # from the far end of a first walk the levels are thinnest
            walk = _breadth_first(start, neighbours, degree)
            start = walk[-1]
        order += walk
        left.difference_update(walk)
    return order[::-1]


def _breadth_first(start: int, neighbours: list[set[int]], degree: list[int]) -> list[int]:
    """Breadth first, least connected first."""
    order, seen = [start], {start}
    for here in order:
        fresh = sorted(neighbours[here] - seen, key=degree.__getitem__)
        seen.update(fresh)
        order += fresh
    return order


_ONE_BLOCK = 64
_BLOCK = 32
_WHOLE = 400  # up to here the whole matrix is filled and cut up, beyond only its blocks
_PROBES = np.array([0.618, 0.7548, 0.8192])


class BlockFactor:
    """The factorised sum of element matrices, with `shift` added to the scaled diagonal.

    Raises `numpy.linalg.LinAlgError` where a pivot is singular.
    """

    def __init__(
        self,
        elements: Floats,
        numbers: Indices,
        unknowns: int,
        shift: float = 0.0,
        one_block: int = _ONE_BLOCK,
        arithmetic: Arithmetic = FIXED_ORDER,
    ) -> None:
        """`numbers` say which unknown each row of an element is; those equal to `unknowns` are left out."""
        self._permutation: Indices | None = None
        self._multiply = arithmetic.multiply
        band = unknowns
        if unknowns > one_block:
            self._permutation, band = reduce_bandwidth(numbers, unknowns)
            if self._permutation is not None:
                numbers = np.append(self._permutation, unknowns)[numbers]
        size = unknowns if unknowns <= one_block else min(max(band, _BLOCK), unknowns)
        self._cuts = [*range(0, unknowns, max(size, 1)), unknowns]
        if unknowns <= max(one_block, _WHOLE):
            pivots, self._below = self._cut_up(elements, numbers, unknowns)
        else:
            pivots, self._below = self._block_wise(elements, numbers, unknowns)
        self._rescale(pivots, shift)
        self._inverse: list[Floats] = []
        for i, pivot in enumerate(pivots):
            if i:
                pivot = pivot.copy()
                self._eliminate(pivot, self._below[i], self._inverse[i - 1])
            self._inverse.append(arithmetic.invert(pivot))

    def _eliminate(self, pivot: Floats, below: Floats, inverse: Floats) -> None:
        """Subtract what the block before contributes: below inverse belowᵀ, where it couples."""
        rows, columns = below.nonzero()
        if len(rows):
            first, end = int(columns.min()), int(rows[-1]) + 1
            coupled = below[:end, first:]
            pivot[:end, :end] -= self._multiply(coupled, self._multiply(inverse[first:, first:], coupled.T))

    def _cut_up(self, elements: Floats, numbers: Indices, unknowns: int) -> tuple[list[Floats], list[Floats]]:
        side = unknowns + 1
        index = numbers[:, :, None] * side + numbers[:, None, :]
        whole = np.asarray(np.bincount(index.ravel(), elements.ravel(), side * side), float).reshape(side, side)
        spans = [slice(start, end) for start, end in pairwise(self._cuts)]
        below = [whole[here, before] for before, here in pairwise(spans)]
        return [whole[span, span] for span in spans], [np.empty((0, 0)), *below]

    def _block_wise(self, elements: Floats, numbers: Indices, unknowns: int) -> tuple[list[Floats], list[Floats]]:
        rows = numbers.repeat(numbers.shape[1], axis=1).ravel()
        columns = np.tile(numbers, (1, numbers.shape[1])).ravel()
        size, count = self._cuts[1], len(self._cuts) - 1
        lag = rows // size - columns // size
        inside = rows * size + columns % size
        is_unknown = (rows < unknowns) & (columns < unknowns)
        filled = []
        for distance in (0, 1):
            here = is_unknown & (lag == distance)
            flat = np.asarray(np.bincount(inside[here], elements.ravel()[here], count * size * size), float)
            filled.append(list(flat.reshape(count, size, size)))
        last = unknowns - self._cuts[-2]
        filled[0][-1], filled[1][-1] = filled[0][-1][:last, :last], filled[1][-1][:last]
        return filled[0], filled[1]

    def _rescale(self, pivots: list[Floats], shift: float) -> None:
        """Bring the diagonal to one, plus the shift."""
        diagonal = np.concatenate([pivot.diagonal() for pivot in pivots]) if pivots else np.empty(0)
        if not (diagonal > 0.0).all():
            if not shift:
                raise np.linalg.LinAlgError("an unknown without stiffness")
            diagonal[diagonal <= 0.0] = diagonal.max(initial=0.0) or 1.0
        scale = 1.0 / np.sqrt(diagonal)
        parts = [scale[start:end] for start, end in pairwise(self._cuts)]
        for i, part in enumerate(parts):
            pivots[i] = pivots[i] * part[:, None] * part
            if shift:
                pivots[i][np.diag_indices(len(part))] += shift
            if i:
                self._below[i] = self._below[i] * part[:, None] * parts[i - 1]
        self.scale = scale if self._permutation is None else scale[self._permutation]

    def solve(self, right: Floats) -> Floats:
        """The solution for each column."""
        return np.asarray(self.scale[:, None] * self.scaled_solve(self.scale[:, None] * right))

    def scaled_solve(self, right: Floats) -> Floats:
        """The same for the matrix of unit diagonal."""
        inverse, below, multiply = self._inverse, self._below, self._multiply
        if len(inverse) == 1 and self._permutation is None:
            return multiply(inverse[0], right)
        flat = right.copy()
        if self._permutation is not None:
            flat[self._permutation] = right
        work = [flat[start:end] for start, end in pairwise(self._cuts)]
        for i in range(1, len(work)):
            work[i] -= multiply(below[i], multiply(inverse[i - 1], work[i - 1]))
        for i in range(len(work) - 1, -1, -1):
            if i + 1 < len(work):
                work[i] -= multiply(below[i + 1].T, work[i + 1])
            work[i][:] = multiply(inverse[i], work[i])
        return flat if self._permutation is None else flat[self._permutation]

    def inverse_norm(self) -> float:
        """About the norm of the inverse of the scaled matrix: one over its smallest eigenvalue; infinite if broken.

        Exact for a single block; for a chain the largest of the pivots' inverses and of the growth of a few vectors,
        which is less by the share that the softest motion has in them.
        """
        most = max(map(_norm, self._inverse), default=0.0)
        if len(self._inverse) > 1:
            # as good as random, and cheap
            probes = np.arange(1.0, len(self.scale) + 1.0)[:, None] * _PROBES % 1.0 - 0.5
            growth = _norm(self.scaled_solve(probes)) / _norm(probes)
            most = max(most, growth if np.isfinite(growth) else np.inf)
        return most if np.isfinite(most) else np.inf


def _norm(matrix: Floats) -> float:
    """Frobenius norm; the library's would be a product of BLAS."""
    return float(np.sqrt((matrix * matrix).sum()))


_MAX_UNKNOWNS = 3000
_MAX_INVERSE = 1e14


class QrFactor:
    """Orthogonal factorisation of the weighted deformations; solves as `BlockFactor` does, with smaller errors.

    It is slower than `BlockFactor`, and like it has the same digits on every CPU.
    """

    def __init__(self, members: MemberArrays, assembly: Assembly) -> None:
        count = assembly.unknowns
        if count > _MAX_UNKNOWNS:
            raise _ill_conditioned()
        roots = unit_stiffness_roots(members)
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
