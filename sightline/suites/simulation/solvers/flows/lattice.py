"""D2Q9 lattice: nine directions, their weights, and the memory layout of grids.

A grid of nx by ny cells has a frame of one cell around it and is kept as one row after the other, so that the cell
(column, row) of the framed grid has the place row * (nx + 2) + column. Cell centres are at whole numbers from 1; the
walls of the frame lie half-way between the frame and the first cells, at 1/2 and at nx + 1/2.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
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
