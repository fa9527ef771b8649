"""The IoU thresholds of the field."""

from __future__ import annotations

import numpy as np

COCO_THRESHOLDS: tuple[float, ...] = tuple(np.linspace(0.5, 0.95, 10).tolist())
THRESHOLDS: tuple[float, ...] = (0.25, *COCO_THRESHOLDS)
"""Rising, as matching needs them."""
NEAR_ONE = 1 - 1e-10
"""pycocotools' largest threshold: an IoU of 1 may be spoilt by rounding."""


def place_of(threshold: float, thresholds: tuple[float, ...] = THRESHOLDS) -> int:
    """Where a threshold stands in the list."""
    return int(np.argmin(np.abs(np.array(thresholds) - threshold)))
