"""Plane stress: what follows from its three components."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from sightline.suites.simulation.generator.arrays import Array

Components: TypeAlias = tuple[Array, Array, Array]
"""Normal stress along x, along y, and shear stress."""
StressField: TypeAlias = Callable[[Array, Array], Components]


def von_mises(stress: Components) -> Array:
    """Return the von Mises equivalent stress."""
    sx, sy, txy = stress
    return np.asarray(np.sqrt(sx**2 - sx * sy + sy**2 + 3 * txy**2))


def principal_stresses(stress: Components) -> tuple[Array, Array]:
    """Return the larger and the smaller in-plane principal stress."""
    sx, sy, txy = stress
    middle, radius = (sx + sy) / 2, np.hypot((sx - sy) / 2, txy)
    return middle + radius, middle - radius


def from_polar(radial: Array, hoop: Array, shear: Array, angle: Array) -> Components:
    """Transform polar stress components to x and y."""
    c, s = np.cos(angle), np.sin(angle)
    return (
        radial * c**2 + hoop * s**2 - 2 * shear * s * c,
        radial * s**2 + hoop * c**2 + 2 * shear * s * c,
        (radial - hoop) * s * c + shear * (c**2 - s**2),
    )


def peak_stresses(stress: Components) -> tuple[float, float]:
    """Return the magnitudes of the largest tension and compression."""
    high, low = principal_stresses(stress)
    tension, compression = max(0.0, float(np.nanmax(high))), max(0.0, -float(np.nanmin(low)))
    # what is left of a sum that should vanish is no stress
    least = 1e-6 * max(tension, compression)
    return tension if tension > least else 0.0, compression if compression > least else 0.0
