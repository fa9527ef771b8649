"""Matrix product and inverse in a fixed order of operations, without BLAS: the same digits on every CPU.

BLAS picks a kernel by the processor and by the number of threads; each adds up in another order, with or without fused
multiply-add, and so the last digits of a product differ from machine to machine. Here a product is made of elementwise
multiplications and of NumPy's sums, whose order depends on the shape alone; IEEE 754 rounds each of these operations in
one way only. Structures are small: this costs little more than the calls into a library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from sightline.suites.structural.fem.elements import Floats

_AT_ONCE = 2**15  # number of products that fit into the L2 cache


class Arithmetic(NamedTuple):
    """How to multiply and to invert matrices."""

    multiply: Callable[[Floats, Floats], Floats]
    invert: Callable[[Floats], Floats]


def multiply(left: Floats, right: Floats) -> Floats:
    """Matrix product. Each entry depends on its own row and column alone, not on how many others there are."""
    columns = np.ascontiguousarray(right.T)
    if left.size * len(columns) <= _AT_ONCE:
        return np.asarray((left[:, None, :] * columns).sum(axis=2))
    product = np.empty((len(left), len(columns)))
    step = max(1, _AT_ONCE // columns.size)
    for start in range(0, len(left), step):
        np.sum(left[start : start + step, None, :] * columns, axis=2, out=product[start : start + step])
    return product


def multiply_each(left: Floats, right: Floats) -> Floats:
    """Matrix products of two stacks of small matrices."""
    return np.asarray((left[..., None] * right[..., None, :, :]).sum(axis=-2))


def invert(matrix: Floats) -> Floats:
    """Inverse of a symmetric positive definite matrix by Gauss–Jordan elimination; its diagonal is at most about one.

    Raises `numpy.linalg.LinAlgError` where a pivot is not positive.
    """
    work = np.negative(matrix)
    change = np.empty_like(work)
    for k in range(len(work)):
        row = work[k].copy()
        pivot = -row.item(k)
        if not 0.0 < pivot < math.inf:
            raise np.linalg.LinAlgError  # always caught: the structure is then examined more closely
        # with one added to the pivot, this one update divides its row and column as well: r + r (1 − p)/p = r/p;
        # the diagonal becomes 1/p − 2
        row[k] = 1.0 - pivot
        np.multiply((row / pivot)[:, None], row, out=change)
        work += change
    work[np.diag_indices(len(work))] += 2.0
    return work


FIXED_ORDER = Arithmetic(multiply, invert)
"""The same digits everywhere: for every number that is written or compared with a limit."""
LIBRARY = Arithmetic(np.matmul, lambda matrix: np.asarray(np.linalg.inv(matrix), float))
"""BLAS and LAPACK, faster for large matrices: where only yes or no comes of it, far from either limit."""


def orthonormal_basis(vectors: Sequence[Sequence[float]], threshold: float) -> tuple[Floats, int]:
    """Gram–Schmidt basis of the whole space whose first rows span the given vectors; also how many rows these are.

    The vector that is farthest from those before comes next; one that is nearer than `threshold` adds none.
    """
    size = len(vectors[0])
    basis: list[list[float]] = []
    ranks = []
    axes = [[float(i == k) for i in range(size)] for k in range(size)]
    for candidates, min_length in (([list(map(float, vector)) for vector in vectors], threshold), (axes, 0.0)):
        rest = candidates
        while len(basis) < size:
            rest = [_without(basis, _without(basis, vector)) for vector in rest]
            lengths = [_length(vector) for vector in rest]
            farthest = max(range(len(rest)), key=lengths.__getitem__)
            if lengths[farthest] <= min_length:
                break
            basis.append([value / lengths[farthest] for value in rest[farthest]])
        ranks.append(len(basis))
    return np.array(basis), ranks[0]


def solve_few(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gaussian elimination with partial pivoting, for a handful of unknowns."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    count = len(rows)
    for k in range(count):
        largest = max(range(k, count), key=lambda i: abs(rows[i][k]))
        rows[k], rows[largest] = rows[largest], rows[k]
        for i in range(count):
            if i != k:
                share = rows[i][k] / rows[k][k]
                rows[i] = [a - share * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] / row[k] for k, row in enumerate(rows)]


def _without(basis: list[list[float]], vector: list[float]) -> list[float]:
    for unit in basis:
        share = _inner(unit, vector)
        vector = [value - share * part for value, part in zip(vector, unit, strict=True)]
    return vector


def _inner(left: list[float], right: list[float]) -> float:
    total = 0.0
    for a, b in zip(left, right, strict=True):
        total += a * b
    return total


def _length(vector: list[float]) -> float:
    return math.sqrt(_inner(vector, vector))
