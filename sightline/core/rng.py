"""Seeded random choices for data set generators."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class RandomChoices:
    """A stream of choices that depends on its source of random numbers alone."""

    def __init__(self, source: random.Random) -> None:
        self._random = source

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
