"""Linear solvers: sparse direct factorization, and preconditioned conjugate gradients with true residuals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct
from scipy.sparse.linalg import splu  # type: ignore[import-untyped, unused-ignore] # no types

from sightline.suites.simulation.solvers.solids.blocks import Array
from sightline.suites.simulation.solvers.solids.matrices import Matrix


def factorize(matrix: Matrix) -> Callable[[Array], Array]:
    """Factorize a symmetric positive definite matrix; return a function that solves for right-hand sides."""
    factors: Any = splu(
        matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )

    def solved(load: Array) -> Array:
        return np.asarray(factors.solve(load))

    return solved


class Iteration(Struct, frozen=True):
    """Status of the conjugate gradient method after an iteration."""

    solution: Array
    residual: Array
    """Load minus stiffness times solution, by unknown."""
    step: Array
    """By how much the solution changed."""


def conjugate_gradients(
    matrix: Matrix, load: Array, start: Array, limit: int, keep_going: Callable[[Iteration], bool]
) -> Iteration:
    """Conjugate gradients with diagonal (Jacobi) preconditioning, from a start, until `keep_going` returns False."""
    rows = matrix.tocsr()
    scale = 1 / rows.diagonal()
    solution = start.copy()
    residual = load - rows @ solution
    direction = scale * residual
    energy = float(residual @ direction)
    state = Iteration(solution, residual, np.zeros_like(start))
    for _ in range(limit):
        product = rows @ direction
        length = energy / float(direction @ product)
        solution = solution + length * direction
        residual = residual - length * product
        state = Iteration(solution, residual, length * direction)
        if not keep_going(state):
            break
        scaled = scale * residual
        energy, before = float(residual @ scaled), energy
        direction = scaled + energy / before * direction
    return state
