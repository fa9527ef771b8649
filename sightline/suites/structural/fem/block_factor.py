"""Block tridiagonal factorisation of a symmetric positive definite matrix, scaled to a unit diagonal.

Unknowns are coupled only to near neighbours in a good order, so the matrix is block tridiagonal; a small one is a
single block. NumPy has no triangular solve: the inverses of the pivot blocks serve instead. The operations have a fixed
order (`sightline.suites.structural.fem.algebra`), so the digits are the same on every CPU.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sightline.suites.structural.fem.algebra import FIXED_ORDER, Arithmetic
from sightline.suites.structural.fem.arrays import Floats, Indices
from sightline.suites.structural.fem.ordering import reduce_bandwidth

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
        kept = (rows < unknowns) & (columns < unknowns)
        filled = []
        for wanted in (0, 1):
            here = kept & (lag == wanted)
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
