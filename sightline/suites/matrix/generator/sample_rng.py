"""Seeded choices."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from sightline.core.rng import Chance, T

MAX_DRAWS = 1_000_000
"""A maker that throws more often looks for a scene that does not exist."""


class SamplingExhaustedError(Exception):
    """No scene was found that meets a maker's wishes; with other dice there is one."""


class _CountingRandom(random.Random):
    """The same numbers as its parent's, up to a limit."""

    draws = 0

    def random(self) -> float:
        self._count()
        return super().random()

    def getrandbits(self, k: int, /) -> int:
        self._count()
        return super().getrandbits(k)

    def _count(self) -> None:
        self.draws += 1
        if self.draws > MAX_DRAWS:
            raise SamplingExhaustedError


class SampleRng(Chance):
    """A stream of choices that depends on its key alone: seed, kind, level, number of the sample, number of the try."""

    def __init__(self, seed: int, kind: str, level: str, number: int, attempt: int = 0) -> None:
        self.number = number
        self._cell = f"{seed}/{kind}/{level}"
        # a text seeds by SHA-512, the same in every version of Python
        super().__init__(_CountingRandom(f"{self._cell}/{number}" + (f"/{attempt}" if attempt else "")))

    def balanced_choice(self, name: str, options: Sequence[T]) -> T:
        """One of several, such that any run of as many samples as there are options takes about each of them once.

        For what must be evenly spread over a kind and level: the place of the right option, the type of a scene.
        Choices under different names don't hang together.
        """
        block, index = divmod(self.number, len(options))
        order = list(range(len(options)))
        random.Random(f"{self._cell}/{name}/{block}").shuffle(order)
        return options[order[index]]

    def numpy_generator(self) -> np.random.Generator:
        """A generator of NumPy for noise, with a seed of its own."""
        return np.random.default_rng(self._random.getrandbits(64))
