"""Seeded pseudo-random choices."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class SeededRandom:
    """Pseudo-random generator whose sequence depends only on its key."""

    def __init__(self, *key: int | str) -> None:
        self._random = random.Random("/".join(map(str, key)))

    def pick(self, options: Sequence[T]) -> T:
        """A random option."""
        return options[self._random.randrange(len(options))]

    def chance(self, share: float = 0.5) -> bool:
        """True with this probability."""
        return self._random.random() < share

    def integer(self, low: int, high: int) -> int:
        """A random integer between two inclusive bounds."""
        return self._random.randint(low, high)

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """Several distinct options in their original order; all of them if there are no more than `count`."""
        chosen = sorted(self._random.sample(range(len(options)), min(count, len(options))))
        return [options[k] for k in chosen]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """All options in random order."""
        mixed = list(options)
        self._random.shuffle(mixed)
        return mixed
