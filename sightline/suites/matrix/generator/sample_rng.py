"""Seeded random number generator of a sample, with balanced choices across samples."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from sightline.core.rng import RandomChoices, T

MAX_DRAWS = 1_000_000
"""Limit of random draws per attempt, after which rejection sampling is abandoned."""


class SamplingExhaustedError(Exception):
    """Rejection sampling found no valid scene within `MAX_DRAWS` draws."""


class _CountingRandom(random.Random):
    """`random.Random` that raises an error after a maximum number of draws."""

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


class SampleRng(RandomChoices):
    """Random number generator keyed by seed, kind, level, sample number and attempt."""

    def __init__(self, seed: int, kind: str, level: str, number: int, attempt: int = 0) -> None:
        self.number = number
        self._cell = f"{seed}/{kind}/{level}"
        # a text seeds by SHA-512, the same in every version of Python
        super().__init__(_CountingRandom(f"{self._cell}/{number}" + (f"/{attempt}" if attempt else "")))

    def balanced_choice(self, name: str, options: Sequence[T]) -> T:
        """Choose an option so that consecutive samples use all options equally often (block randomization).

        For choices that must be balanced within a kind and level: the position of the right option, the type of scene.
        Choices under different names are independent.
        """
        block, index = divmod(self.number, len(options))
        order = list(range(len(options)))
        random.Random(f"{self._cell}/{name}/{block}").shuffle(order)
        return options[order[index]]

    def numpy_generator(self) -> np.random.Generator:
        """Return a NumPy generator for noise, seeded from this one."""
        return np.random.default_rng(self._random.getrandbits(64))
