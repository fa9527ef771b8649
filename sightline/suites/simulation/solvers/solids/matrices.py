"""Sparse matrices of all unknowns, from those of elements and edges."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy import sparse  # type: ignore[import-untyped, unused-ignore] # SciPy has no types

from sightline.suites.simulation.solvers.solids.blocks import Array
from sightline.suites.simulation.solvers.solids.mesh import Integers

Matrix: TypeAlias = Any
"""A sparse matrix by columns."""


def zero_matrix(size: int) -> Matrix:
    """Nothing but zeros."""
    return sparse.csc_matrix((size, size))


def assemble_matrix(matrices: Array, unknowns: Integers, size: int) -> Matrix:
    """Small matrices, shape (parts, n, n), added up at the unknowns of their parts."""
    count = unknowns.shape[1]
    rows, columns = np.repeat(unknowns, count, axis=1).ravel(), np.tile(unknowns, (1, count)).ravel()
    return sparse.coo_matrix((matrices.ravel(), (rows, columns)), shape=(size, size)).tocsc()


def assemble_vector(vectors: Array, unknowns: Integers, size: int) -> Array:
    """Small vectors, added up likewise."""
    return np.bincount(unknowns.ravel(), weights=vectors.ravel(), minlength=size).astype(np.float64)


def outer_product(vector: Array) -> Matrix:
    """A vector times itself."""
    column = sparse.csc_matrix(vector[:, None])
    return column @ column.T


def identity_with_rows(size: int, rows: dict[int, Array]) -> Matrix:
    """The identity with some rows replaced."""
    matrix = sparse.identity(size, format="lil")
    for number, row in rows.items():
        matrix[number] = row
    return matrix.tocsc()
