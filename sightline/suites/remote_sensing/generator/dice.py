"""Seeded choices."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Floats = NDArray[np.float32]


class Dice:
    """A stream of choices that depends on its key alone."""

    def __init__(self, *key: int | str) -> None:
        self._key = "/".join(map(str, key))
        self._random = random.Random(self._key)

    def pick(self, options: Sequence[T]) -> T:
        """One of several."""
        return options[self._random.randrange(len(options))]

    def chance(self, share: float = 0.5) -> bool:
        """True in this share of throws."""
        return self._random.random() < share

    def between(self, low: float, high: float) -> float:
        """A number from a range."""
        return self._random.uniform(low, high)

    def whole(self, low: int, high: int) -> int:
        """A whole number, bounds included."""
        return self._random.randint(low, high)

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """All of them, in another order."""
        mixed = list(options)
        self._random.shuffle(mixed)
        return mixed

    def some(self, options: Sequence[T], count: int) -> list[T]:
        """Several different ones; all where there are no more."""
        return self.shuffled(options)[:count]

    def normal(self, *shape: int) -> Floats:
        """Standard normal numbers, from a stream of their own."""
        seed = int.from_bytes(hashlib.sha256(f"{self._key}:{shape}:{self._random.random()}".encode()).digest()[:8])
        return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
