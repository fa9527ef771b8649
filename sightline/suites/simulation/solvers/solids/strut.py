"""Buckling of a straight strut about its weak axis, by cubic beam elements."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh  # type: ignore[import-untyped, unused-ignore] # no types

from sightline.suites.simulation.solvers.solids.blocks import Array

_BEND = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]], dtype=float)
_PUSH = np.array([[36, 3, -36, 3], [3, 4, -3, -1], [-36, -3, 36, -3], [3, -1, -3, 4]], dtype=float) / 30
_LENGTHS = np.array([0, 1, 0, 1])
"""Rows of a rotation carry the length of the element once more than rows of a shift."""


def strut_factor(length: float, bending: Array, compression: Array, *, both_clamped: bool) -> float:
    """The factor on the compression at which the strut buckles, infinite where nothing is compressed.

    Clamped at its start, and at its end too or free there; `bending` (E I) and `compression` (force, negative where it
    pulls) are given for elements of equal length.
    """
    count = len(bending)
    if compression.max() <= 0:
        return float(np.inf)
    step = length / count
    scale = step ** (_LENGTHS[:, None] + _LENGTHS)
    stiff, push = np.zeros((2 * count + 2,) * 2), np.zeros((2 * count + 2,) * 2)
    for k in range(count):
        part = slice(2 * k, 2 * k + 4)
        stiff[part, part] += bending[k] / step**3 * scale * _BEND
        push[part, part] += compression[k] / step * scale * _PUSH
    free = slice(2, 2 * count if both_clamped else 2 * count + 2)
    largest = eigh(push[free, free], stiff[free, free], eigvals_only=True)[-1]
    return float(1 / largest) if largest > 0 else float(np.inf)
