"""Seeded random engineering parameters: few significant digits, from plausible ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


def round_significant(value: float, digits: int = 3) -> float:
    """Round to a number of significant digits."""
    return float(f"{value:.{digits - 1}e}")


class ParameterRng:
    """Random number generator that depends only on its key."""

    def __init__(self, *key: int) -> None:
        self._random = np.random.default_rng([part % 2**64 for part in key])

    def between(self, low: float, high: float) -> float:
        """Return a uniform number with three significant digits."""
        return round_significant(float(self._random.uniform(low, high)))

    def spread(self, low: float, high: float) -> float:
        """Like `between`, but log-uniform."""
        return round_significant(float(np.exp(self._random.uniform(np.log(low), np.log(high)))))

    def pick(self, options: Sequence[T]) -> T:
        """Return one of several options."""
        return options[int(self._random.integers(len(options)))]

    def chance(self, share: float = 0.5) -> bool:
        """Return True with a given probability."""
        return bool(self._random.random() < share)

    def noise(self, count: int) -> NDArray[np.float64]:
        """Standard normal numbers."""
        return self._random.standard_normal(count)
