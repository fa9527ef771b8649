"""Exact fixed-point sums that no order or split changes, sample weights, and hashes stable across processes."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.stats.state_checks import require, validate_state

ONE = 2**40
ALONE = np.uint64(0x9E3779B97F4A7C15)
"""Times its position counted from 1, the hash of a sample that shares nothing with others."""
UNIT = 2**32
"""What a weight of 1 is as a whole number; two thousand million samples fit into 64 bits."""


def fixed(value: float) -> int:
    """The value as a whole number of 2⁻⁴⁰."""
    return round(value * ONE)


def stable_hash(text: str) -> int:
    """64 bits."""
    return int.from_bytes(hashlib.blake2b(text.encode(errors="replace"), digest_size=8).digest(), "little")


def fixed_weights(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Weights as whole numbers of 2⁻³², whose sums no order and no split can change."""
    return np.round(weights * UNIT).astype(np.int64)


class WeightRange:
    """The least and the greatest sample weight seen so far."""

    def __init__(self) -> None:
        self.least = math.inf
        self.most = -math.inf

    def add(self, weights: NDArray[np.float64] | None) -> None:
        """See the weights of a batch; None: each sample counts once."""
        if weights is None:
            self.least, self.most = min(self.least, 1.0), max(self.most, 1.0)
        elif len(weights):
            self.least, self.most = min(self.least, float(weights.min())), max(self.most, float(weights.max()))

    def merge(self, other: WeightRange) -> None:
        """See all that `other` has seen."""
        self.least, self.most = min(self.least, other.least), max(self.most, other.most)

    @property
    def is_even(self) -> bool:
        """Whether all weights are equal: they cancel out then, unless they are zero and nothing counts."""
        return self.least >= self.most and self.most != 0

    @property
    def is_unit(self) -> bool:
        """Whether no weight but 1 was seen."""
        return self.least >= 1 >= self.most

    def state_dict(self) -> dict[str, Any]:
        """The range as numbers."""
        return {"least_weight": self.least, "most_weight": self.most}

    def load_state_dict(self, state: Any) -> None:
        """Take the range of another. Raises `ValueError` where it is none."""
        found = validate_state(state, WeightRange().state_dict())
        least, most = float(found["least_weight"]), float(found["most_weight"])
        require(not math.isnan(least), not math.isnan(most), least <= most or (least, most) == (math.inf, -math.inf))
        self.least, self.most = least, most
