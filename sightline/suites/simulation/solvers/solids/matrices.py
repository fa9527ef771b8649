"""Assembly of global sparse matrices and vectors from those of elements and edges."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy import sparse  # type: ignore[import-untyped, unused-ignore] # SciPy has no types

from sightline.suites.simulation.solvers.solids.blocks import Array
from sightline.suites.simulation.solvers.solids.mesh import Integers

Matrix: TypeAlias = Any
"""A sparse matrix by columns."""


def zero_matrix(size: int) -> Matrix:
    """Return a sparse zero matrix."""
    return sparse.csc_matrix((size, size))


def assemble_matrix(matrices: Array, unknowns: Integers, size: int) -> Matrix:
    """Assemble element matrices of shape (elements, n, n) into a sparse matrix."""
    count = unknowns.shape[1]
    rows, columns = np.repeat(unknowns, count, axis=1).ravel(), np.tile(unknowns, (1, count)).ravel()
    return sparse.coo_matrix((matrices.ravel(), (rows, columns)), shape=(size, size)).tocsc()


def assemble_vector(vectors: Array, unknowns: Integers, size: int) -> Array:
    """Assemble element vectors into a global vector."""
    return np.bincount(unknowns.ravel(), weights=vectors.ravel(), minlength=size).astype(np.float64)


def outer_product(vector: Array) -> Matrix:
    """Return the outer product of a vector with itself."""
    column = sparse.csc_matrix(vector[:, None])
    return column @ column.T


def identity_with_rows(size: int, rows: dict[int, Array]) -> Matrix:
    """Return the identity matrix with some rows replaced."""
    matrix = sparse.identity(size, format="lil")
    for number, row in rows.items():
        matrix[number] = row
    return matrix.tocsc()
