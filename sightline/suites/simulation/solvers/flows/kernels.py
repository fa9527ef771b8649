"""Numba kernels: collision and streaming on the D2Q9 lattice, and heat transport on D2Q5, in single precision.

Populations are kept as their difference from the state of rest, so that single precision is spent on the flow itself.
They relax as moments: shear with the viscosity, third moments with the magic rate; the trace of the stress, which only
sound feels, and the fourth moment are dropped. Density enters the equilibrium linearly (the incompressible model of He
and Luo, J. Stat. Phys. 88, 1997), forces as Guo, Zheng and Shi (Phys. Rev. E 65, 2002) put them. The eddy viscosity is
l² |S| with the mixing length l of each cell; |S| follows from the stress of the populations themselves.

Cells are taken in blocks of a fixed number, copied together into one work array: then the compiler knows that nothing
overlaps and works on many cells at once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import ParamSpec, TypeVar, cast

import numpy as np
from numba import njit  # type: ignore[import-untyped, import-not-found, unused-ignore]  # ships no types

from sightline.suites.simulation.solvers.flows.flow_domain import Places, Single, Singles

P = ParamSpec("P")
R = TypeVar("R")


def compile_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """The function compiled by Numba, from its cache where a folder for it can be written."""
    try:
        made = njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:
        made = njit(nogil=True, error_model="numpy")(function)
    return cast("Callable[P, R]", made)


BLOCK = 256
WORK = 14 * BLOCK
"""Nine populations, squared mixing length, warmth, two velocities and the relaxation time."""
_MIX, _WARM, _U, _V, _TAU = 9 * BLOCK, 10 * BLOCK, 11 * BLOCK, 12 * BLOCK, 13 * BLOCK
_ONE, _HALF, _THIRD, _TWO, _FOUR = np.float32(1), np.float32(1 / 2), np.float32(1 / 3), np.float32(2), np.float32(4)
_QUARTER, _TWELFTH, _NINTH = np.float32(1 / 4), np.float32(1 / 12), np.float32(1 / 9)
_THREE, _CURL, _SQUARE = np.float32(3), np.float32(4.5), np.float32(1.5)
_PER_SOUND = np.sqrt(3.0)
_REST, _CORNER, _EDDY = np.float32(4 / 9), np.float32(1 / 36), np.float32(18)


@compile_kernel
def _collide(w: Singles, tau0: Single, magic: Single, floor: Single, gravity: tuple[Single, Single]) -> None:
    """One block, in place; `floor` is the least rate of the third moments, which calms flows of little viscosity."""
    for x in range(BLOCK):
        f1, f2, f3, f4 = w[x + BLOCK], w[x + 2 * BLOCK], w[x + 3 * BLOCK], w[x + 4 * BLOCK]
        f5, f6, f7, f8 = w[x + 5 * BLOCK], w[x + 6 * BLOCK], w[x + 7 * BLOCK], w[x + 8 * BLOCK]
        diagonal, level, upright = f5 + f6 + f7 + f8, f1 + f3, f2 + f4
        density = w[x] + level + upright + diagonal
        kx, ky = f5 - f6 - f7 + f8, f5 + f6 - f7 - f8
        jx, jy = f1 - f3 + kx, f2 - f4 + ky
        fx, fy = gravity[0] * w[x + _WARM], gravity[1] * w[x + _WARM]
        u, v = jx + _HALF * fx, jy + _HALF * fy
        sxy = f5 - f6 + f7 - f8 - u * v
        deviator = _HALF * (level - u * u - upright + v * v)
        stress = _TWO * sqrt(deviator * deviator + sxy * sxy)
        tau = _HALF * (tau0 + sqrt(tau0 * tau0 + _EDDY * w[x + _MIX] * stress))
        rate = _ONE / tau
        keep, push = _ONE - rate, _ONE - _HALF * rate
        odd = _ONE - max((tau - _HALF) / (_HALF * (tau - _HALF) + magic), floor)
        work, stretch = _HALF * (u * fx + v * fy), keep * deviator + push * (u * fx - v * fy)
        pxx = u * u + work + stretch
        pyy = v * v + work - stretch
        pxy = _QUARTER * (u * v + keep * sxy + push * (u * fy + v * fx))
        axxy, axyy = odd * (ky - _THIRD * jy), odd * (kx - _THIRD * jx)
        jx, jy = jx + fx, jy + fy
        base = density - _SQUARE * (pxx + pyy)
        w[x] = _REST * base
        even, flux = _NINTH * (base + _CURL * pxx), _NINTH * (_THREE * jx - _CURL * axyy)
        w[x + BLOCK], w[x + 3 * BLOCK] = even + flux, even - flux
        even, flux = _NINTH * (base + _CURL * pyy), _NINTH * (_THREE * jy - _CURL * axxy)
        w[x + 2 * BLOCK], w[x + 4 * BLOCK] = even + flux, even - flux
        base = _CORNER * (base + _CURL * (pxx + pyy))
        gx, gy = _TWELFTH * jx + _QUARTER * axyy, _TWELFTH * jy + _QUARTER * axxy
        w[x + 5 * BLOCK], w[x + 7 * BLOCK] = base + pxy + gx + gy, base + pxy - gx - gy
        w[x + 6 * BLOCK], w[x + 8 * BLOCK] = base - pxy - gx + gy, base - pxy + gx - gy
        w[x + _U], w[x + _V], w[x + _TAU] = u, v, tau


@compile_kernel
def collide_and_stream(
    before: Singles, after: Singles, fields: Singles, work: Singles, grid: tuple[int, int, bool, bool], physics: Singles
) -> None:
    """One step of all cells: populations are fetched from the neighbours, collide, and are put down in place.

    `fields` holds squared mixing length, warmth, velocities and relaxation time of all cells; the last three are
    written. `grid` is the length of a framed row, the number of cells, and whether fields are to be read and written at
    all. What the frame's cells at the ends of rows come to have is overwritten by the boundaries before it is read.
    """
    row, cells, reads, writes = grid
    shifts = (0, -1, -row, 1, row, -1 - row, 1 - row, 1 + row, row - 1)
    gravity = (physics[3], physics[4])
    for start in range(row + 1, cells - row - 1, BLOCK):
        n = min(BLOCK, cells - row - 1 - start)
        for q in range(9):
            source = start + shifts[q]
            for x in range(n):
                work[q * BLOCK + x] = before[q, source + x]
        if reads:
            for k in range(2):
                for x in range(n):
                    work[(9 + k) * BLOCK + x] = fields[k, start + x]
        _collide(work, physics[0], physics[1], physics[2], gravity)
        for q in range(9):
            for x in range(n):
                after[q, start + x] = work[q * BLOCK + x]
        if writes:
            for k in range(2, 5):
                for x in range(n):
                    fields[k, start + x] = work[(9 + k) * BLOCK + x]


@compile_kernel
def apply_wall_boundaries(state: Singles, places: Places, shares: Singles, ramp: Single) -> None:
    """Write the populations that come from walls: two of those that are there already, and a push by the wall.

    Where two are combined the wall gives back a little more or less than it took; all such links share the difference,
    so that bodies neither swallow fluid nor bring it forth.
    """
    flat = state.reshape(-1)
    excess, curved = 0.0, 0
    for k in range(places.shape[0]):
        value = shares[k, 0] * flat[places[k, 1]] + shares[k, 1] * flat[places[k, 2]]
        if shares[k, 1] != 0:
            excess += value - flat[places[k, 1]]
            curved += 1
        flat[places[k, 0]] = value + ramp * shares[k, 2]
    if curved:
        even = np.float32(excess / curved)
        for k in range(places.shape[0]):
            if shares[k, 1] != 0:
                flat[places[k, 0]] -= even


@compile_kernel
def _momentum(state: Singles, at: int) -> tuple[Single, Single]:
    diagonal_x = state[5, at] - state[6, at] - state[7, at] + state[8, at]
    diagonal_y = state[5, at] + state[6, at] - state[7, at] - state[8, at]
    return state[1, at] - state[3, at] + diagonal_x, state[2, at] - state[4, at] + diagonal_y


@compile_kernel
def apply_open_boundaries(state: Singles, places: Places, shares: Singles, cells: Places, target: Single) -> None:
    """Write the populations that come through openings: their pressure is held, with the velocity of the cell inside.

    `shares` holds the direction's two components and its weight. Sound waves would run to and fro between inlet and
    opening; as far as the mean flow outwards differs from its `target` the pressure gives way, which lets them out.
    """
    flat = state.reshape(-1)
    outward, count = 0.0, 0
    for k in range(places.shape[0]):
        if shares[k, 0] * shares[k, 1] == 0:
            u, v = _momentum(state, cells[k])
            outward -= shares[k, 0] * u + shares[k, 1] * v
            count += 1
    give = np.float32((outward / max(count, 1) - target) * _PER_SOUND)
    for k in range(places.shape[0]):
        u, v = _momentum(state, cells[k])
        along = shares[k, 0] * u + shares[k, 1] * v
        energy = _CURL * along * along - _SQUARE * (u * u + v * v)
        flat[places[k, 0]] = -flat[places[k, 1]] + _TWO * shares[k, 2] * (give + energy)


@compile_kernel
def remove_density(state: Singles, cells: Places, share: Single) -> None:
    """Remove a fraction of the density from some cells (mass sink)."""
    for k in range(cells.shape[0]):
        at = cells[k]
        state[0, at] -= _REST * share
        for q in range(1, 5):
            state[q, at] -= _NINTH * share
        for q in range(5, 9):
            state[q, at] -= _CORNER * share


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
