"""Numba kernels for heat transport on a D2Q5 lattice, with half-way walls."""

from __future__ import annotations

from sightline.suites.simulation.solvers.flows.compiled_kernels import compile_kernel
from sightline.suites.simulation.solvers.flows.lattice import Single, Singles
from sightline.suites.simulation.solvers.flows.lattice_kernels import _HALF, _ONE, _THIRD, BLOCK

_HEAT_U, _HEAT_V, _HEAT_TAU, _HEAT_WARM = 5 * BLOCK, 6 * BLOCK, 7 * BLOCK, 8 * BLOCK
HEAT_WORK = 9 * BLOCK


@compile_kernel
def _collide_heat(w: Singles, prandtl: Single, magic: Single) -> None:
    for x in range(BLOCK):
        g1, g2, g3, g4 = w[x + BLOCK], w[x + 2 * BLOCK], w[x + 3 * BLOCK], w[x + 4 * BLOCK]
        level, upright = g1 + g3, g2 + g4
        warmth = w[x] + level + upright
        spread = (w[x + _HEAT_TAU] - _HALF) / prandtl
        flux_keep = _ONE - _ONE / (spread + _HALF)
        even_keep = _ONE - spread / (_HALF * spread + magic)
        carried_x, carried_y = warmth * w[x + _HEAT_U], warmth * w[x + _HEAT_V]
        qx, qy = carried_x + flux_keep * (g1 - g3 - carried_x), carried_y + flux_keep * (g2 - g4 - carried_y)
        rest = _THIRD * warmth
        ex, ey = rest + even_keep * (level - rest), rest + even_keep * (upright - rest)
        w[x] = warmth - ex - ey
        w[x + BLOCK], w[x + 3 * BLOCK] = _HALF * (ex + qx), _HALF * (ex - qx)
        w[x + 2 * BLOCK], w[x + 4 * BLOCK] = _HALF * (ey + qy), _HALF * (ey - qy)
        w[x + _HEAT_WARM] = warmth


@compile_kernel
def stream_heat(
    before: Singles, after: Singles, fields: Singles, work: Singles, size: tuple[int, int], physics: Singles
) -> None:
    """One step; reads velocities and relaxation time of `fields` and writes warmth."""
    row, cells = size
    shifts = (0, -1, -row, 1, row)
    for start in range(row + 1, cells - row - 1, BLOCK):
        n = min(BLOCK, cells - row - 1 - start)
        for q in range(5):
            source = start + shifts[q]
            for x in range(n):
                work[q * BLOCK + x] = before[q, source + x]
        for k in range(3):
            for x in range(n):
                work[(5 + k) * BLOCK + x] = fields[2 + k, start + x]
        _collide_heat(work, physics[5], physics[1])
        for q in range(5):
            for x in range(n):
                after[q, start + x] = work[q * BLOCK + x]
        for x in range(n):
            fields[1, start + x] = work[_HEAT_WARM + x]
