"""One sweep along a duct: at each station an implicit balance across it, with the pressure that carries the given flow.

Coefficients are those of the sweep before. Convection along the duct is taken from upstream; across it, half of each
neighbour's, or all of the upstream one's where convection outweighs friction.
"""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.solvers.flows.compiled_kernels import compile_kernel
from sightline.suites.simulation.solvers.flows.lattice import Doubles


@compile_kernel
def _solve_tridiagonal(low: Doubles, middle: Doubles, high: Doubles, right: Doubles) -> Doubles:
    """Thomas' elimination; `right` holds one column a right-hand side."""
    n = middle.size
    upper, result = np.empty(n), right.copy()
    upper[0] = high[0] / middle[0]
    result[0] /= middle[0]
    for j in range(1, n):
        pivot = middle[j] - low[j] * upper[j - 1]
        upper[j] = high[j] / pivot
        result[j] = (result[j] - low[j] * result[j - 1]) / pivot
    for j in range(n - 2, -1, -1):
        result[j] -= upper[j] * result[j + 1]
    return result


@compile_kernel
def sweep(
    u: Doubles, cross: Doubles, friction: Doubles, walls: Doubles, grid: tuple[Doubles, Doubles, float], flow: Doubles
) -> Doubles:
    """New velocities in place at all stations but the first; returns the pressure gradients.

    `cross` are volume flows through the faces between cells, wall to wall, and are renewed as well; `friction` is
    viscosity times area over distance at the faces; `walls` holds the two velocities along the walls; `grid` the areas
    of cells, the shares of each face (unused at walls), and the step; `flow` the volume flow that each station carries.
    """
    area, outer, step = grid
    stations, cells = u.shape
    gradients = np.zeros(stations)
    low, middle, high = np.zeros(cells), np.zeros(cells), np.zeros(cells)
    right = np.zeros((cells, 2))
    old = u[0].copy()
    for i in range(1, stations):
        for j in range(cells):
            carried = old[j] * area[j] / step
            below, above = cross[i, j], cross[i, j + 1]
            least_below, least_above = friction[i, j], friction[i, j + 1]
            # hybrid: never against the direction from which convection comes
            low[j] = -max(least_below + 0.5 * below, max(below, 0.0)) if j > 0 else 0.0
            high[j] = -max(least_above - 0.5 * above, max(-above, 0.0)) if j < cells - 1 else 0.0
            wall_low = max(least_below + 0.5 * below, max(below, 0.0)) if j == 0 else 0.0
            wall_high = max(least_above - 0.5 * above, max(-above, 0.0)) if j == cells - 1 else 0.0
            middle[j] = carried - low[j] - high[j] + wall_low + wall_high
            right[j, 0] = carried * u[i - 1, j] + wall_low * walls[i, 0] + wall_high * walls[i, 1]
            right[j, 1] = area[j]
        old = u[i].copy()
        answer = _solve_tridiagonal(low, middle, high, right)
        plain, pushed = np.sum(answer[:, 0] * area), np.sum(answer[:, 1] * area)
        push = (flow[i] - plain) / pushed
        gradients[i] = -push
        u[i] = answer[:, 0] + push * answer[:, 1]
        through = outer[i]
        for j in range(cells):
            cross[i, j] = through
            through += (u[i - 1, j] - u[i, j]) * area[j] / step
        cross[i, cells] = through
    gradients[0] = gradients[1]
    return gradients
