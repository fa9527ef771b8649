"""Seeded pseudo-random choices and noise."""

from __future__ import annotations

import hashlib
import random

import numpy as np
from numpy.typing import NDArray

from sightline.core.rng import RandomChoices

Floats = NDArray[np.float32]


class SeededRandom(RandomChoices):
    """Pseudo-random generator whose sequence depends only on its key."""

    def __init__(self, *key: int | str) -> None:
        self._key = "/".join(map(str, key))
        super().__init__(random.Random(self._key))

    def normal(self, *shape: int) -> Floats:
        """Standard normal numbers from an independent stream."""
        seed = int.from_bytes(hashlib.sha256(f"{self._key}:{shape}:{self._random.random()}".encode()).digest()[:8])
        return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
