"""Array and field types of the generator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Point: TypeAlias = tuple[float, float]
Field: TypeAlias = Callable[[Array, Array, float], Array]
"""Values at points (x, y) and at a moment from 0 to 1; not a number outside of the body."""
VectorField: TypeAlias = Callable[[Array, Array, float], tuple[Array, Array]]


class Window(Struct, frozen=True):
    """A rectangle of the plane, in metres."""

    left: float
    right: float
    bottom: float
    top: float

    @property
    def width(self) -> float:
        """Extent along x."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Extent along y."""
        return self.top - self.bottom

    @property
    def size(self) -> float:
        """The longer of the two extents."""
        return max(self.width, self.height)

    def grown(self, x: float, y: float) -> Window:
        """Return the window with a margin on all sides."""
        return Window(self.left - x, self.right + x, self.bottom - y, self.top + y)

    def padded(self, left: float, right: float, bottom: float, top: float) -> Window:
        """Return the window with a separate margin on each side."""
        return Window(self.left - left, self.right + right, self.bottom - bottom, self.top + top)

    def grid(self, across: int, up: int) -> tuple[Array, Array]:
        """Points on a regular grid, edges included: rows run upwards."""
        x, y = np.meshgrid(np.linspace(self.left, self.right, across), np.linspace(self.bottom, self.top, up))
        return x, y


def trapezoidal_integral(values: Array, step: float) -> float:
    """The trapezoidal rule on equidistant values."""
    return float((values.sum() - 0.5 * (values[0] + values[-1])) * step)
