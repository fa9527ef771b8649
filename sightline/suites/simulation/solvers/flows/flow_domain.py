"""Flow domain of the lattice-Boltzmann solver: D2Q9 lattice, grid, boundary patches and fluid, in lattice units.

A grid of nx by ny cells has a frame of one cell around it and is kept as one row after the other, so that the cell
(column, row) of the framed grid has the place row * (nx + 2) + column. Cell centres are at whole numbers from 1; the
walls of the frame lie half-way between the frame and the first cells, at 1/2 and at nx + 1/2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Single: TypeAlias = np.float32
Singles: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

ACROSS = (0, 1, 0, -1, 0, 1, -1, -1, 1)
UP = (0, 0, 1, 0, -1, 1, 1, -1, -1)
WEIGHT = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)
OPPOSITE = (0, 3, 4, 1, 2, 7, 8, 5, 6)
HEAT_WEIGHT = (1 / 3, 1 / 6, 1 / 6, 1 / 6, 1 / 6)
SOUND_SQUARED = 1 / 3
MAGIC = 1 / 4
"""Product of the two relaxation times less a half each: puts walls half-way between cells, whatever the viscosity."""


Velocity: TypeAlias = Callable[[Doubles, Doubles], tuple[Doubles, Doubles]]
"""Both components at places (x, y), measured in cells."""
FLUID = -1


def zero_velocity(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """Velocity of a wall at rest."""
    return np.zeros_like(x), np.zeros_like(y)


def uniform_velocity(u: float) -> Velocity:
    """Return a uniform velocity along x, of a moving wall or an inlet."""
    return lambda x, y: (np.full_like(x, u), np.zeros_like(y))


class Patch(Struct, frozen=True, kw_only=True):
    """A boundary patch: a wall or inlet with a prescribed velocity, or an outlet at the reference pressure."""

    velocity: Velocity = zero_velocity
    is_open: bool = False
    warmth: float | None = None
    """Kept at this value; else no heat goes through."""
    slip: float = 0.0
    """Share of the fluid's own velocity that the wall takes on: 0 holds the fluid fast."""


class Drain(Struct, frozen=True, kw_only=True):
    """A mass sink: cells from which fluid is removed."""

    cells: Places
    rate: float
    """Density lost a step in each."""


class FlowDomain(Struct, frozen=True, kw_only=True):
    """Arrays are of the framed grid, rows upwards."""

    patch: Places
    """Which patch a cell outside of the fluid belongs to; -1 within the fluid."""
    patches: tuple[Patch, ...]
    viscosity: float
    distance: Doubles | None = None
    """From the surface of a body, positive in the fluid: places its wall between the cells."""
    mixing: Doubles | None = None
    """Mixing length of the eddy viscosity."""
    is_heated: bool = False
    gravity: tuple[float, float] = (0.0, 0.0)
    """Acceleration a unit of warmth."""
    prandtl: float = 0.71
    drain: Drain | None = None
    start: Doubles | None = None
    """Both components of the initial velocity; by default at rest."""
    calm: float = 0.0
    """Least relaxation rate of the third moments."""

    @property
    def size(self) -> tuple[int, int]:
        """Number of cells along x and y, without the frame."""
        rows, columns = self.patch.shape
        return columns - 2, rows - 2


def framed_grid(across: int, up: int, left: int, right: int, bottom: int, top: int) -> Places:
    """Return a grid of fluid cells framed by four boundary patches; corners belong to bottom and top."""
    patch = np.full((up + 2, across + 2), FLUID, dtype=np.int64)
    patch[:, 0], patch[:, -1] = left, right
    patch[0], patch[-1] = bottom, top
    return patch
