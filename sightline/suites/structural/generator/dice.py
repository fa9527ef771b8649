"""Seeded choices."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A stream of choices that depends on its key alone."""

    def __init__(self, *key: int | str) -> None:
        self._random = random.Random("/".join(map(str, key)))

    def pick(self, options: Sequence[T]) -> T:
        """One of several."""
        return options[self._random.randrange(len(options))]

    def chance(self, share: float = 0.5) -> bool:
        """True in this share of throws."""
        return self._random.random() < share

    def whole(self, low: int, high: int) -> int:
        """A whole number, bounds included."""
        return self._random.randint(low, high)

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """Several different ones, in the order in which they stand; all where there are no more."""
        chosen = sorted(self._random.sample(range(len(options)), min(count, len(options))))
        return [options[k] for k in chosen]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """All of them, in another order."""
        mixed = list(options)
        self._random.shuffle(mixed)
        return mixed
