"""Exact fixed-point sums that no order or split changes, sample weights, and hashes stable across processes."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.stats.state_checks import require, validate_state

SCORE_UNIT = 2**40
"""A score of 1 as a whole number."""
ALONE = np.uint64(0x9E3779B97F4A7C15)
"""Times its position counted from 1, the hash of a sample that shares nothing with others."""
WEIGHT_UNIT = 2**32
"""What a weight of 1 is as a whole number; two thousand million samples fit into 64 bits."""


def to_fixed_point(value: float) -> int:
    """The value as a whole number of 2⁻⁴⁰."""
    return round(value * SCORE_UNIT)


def stable_hash(text: str) -> int:
    """64-bit BLAKE2b hash of a text, stable across processes."""
    return int.from_bytes(hashlib.blake2b(text.encode(errors="replace"), digest_size=8).digest(), "little")


def fixed_weights(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Weights as whole numbers of 2⁻³², whose sums no order and no split can change."""
    return np.round(weights * WEIGHT_UNIT).astype(np.int64)


class WeightRange:
    """Minimum and maximum of the sample weights so far."""

    def __init__(self) -> None:
        self.minimum = math.inf
        self.maximum = -math.inf

    def add(self, weights: NDArray[np.float64] | None) -> None:
        """Update the range with the weights of a batch; None: all are 1."""
        if weights is None:
            self.minimum, self.maximum = min(self.minimum, 1.0), max(self.maximum, 1.0)
        elif len(weights):
            self.minimum, self.maximum = (
                min(self.minimum, float(weights.min())),
                max(self.maximum, float(weights.max())),
            )

    def merge(self, other: WeightRange) -> None:
        """Merge the range of `other`."""
        self.minimum, self.maximum = min(self.minimum, other.minimum), max(self.maximum, other.maximum)

    @property
    def is_even(self) -> bool:
        """Whether all weights are equal: they cancel out then, unless they are zero and nothing counts."""
        return self.minimum >= self.maximum and self.maximum != 0

    @property
    def is_unit(self) -> bool:
        """Whether no weight but 1 was seen."""
        return self.minimum >= 1 >= self.maximum

    def state_dict(self) -> dict[str, Any]:
        """The range as numbers."""
        return {"least_weight": self.minimum, "most_weight": self.maximum}

    def load_state_dict(self, state: Any) -> None:
        """Restore the range; raises `ValueError` if the data are invalid."""
        found = validate_state(state, WeightRange().state_dict())
        least, most = float(found["least_weight"]), float(found["most_weight"])
        require(not math.isnan(least), not math.isnan(most), least <= most or (least, most) == (math.inf, -math.inf))
        self.minimum, self.maximum = least, most
