"""Blind baselines: what a model that looks at nothing would have scored on the very same samples."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sightline.stats.exact import to_fixed_point

MOST_CONSTANTS = 64
"""Maximum number of different choices for which constant answers are listed."""


class BlindBaseline(Struct, frozen=True):
    """The best blind strategy on a set of samples, and how far a score stands above it."""

    name: str
    value: float
    skill: float | None
    """(score − control) / (1 − control): 0 is no better than looking away, 1 is perfect, below 0 is worse."""


def make_baseline(name: str, value: float, score: float | None, perfect: float = 1.0) -> BlindBaseline:
    """A blind strategy, and the skill of a score above it: its part of the way to a perfect score."""
    skill = None if score is None or value >= perfect else (score - value) / (perfect - value)
    return BlindBaseline(name, value, skill)


class BlindBaselines:
    """Sums for every constant answer and for guessing; exact, so that shards merge to the same digits."""

    def __init__(self) -> None:
        self._constants: dict[str, int] = {}
        self._guessing = 0
        self._weight = 0
        self._offered = False

    def add(self, scores: Mapping[str, float], weight: float) -> None:
        """Take one sample's choices and what each would earn."""
        self._weight += to_fixed_point(weight)
        if not scores:
            return
        self._offered = True
        self._guessing += to_fixed_point(weight * sum(scores.values()) / len(scores))
        for choice, score in scores.items():
            if score or choice in self._constants:
                self._constants[choice] = self._constants.get(choice, 0) + to_fixed_point(weight * score)

    def merge(self, other: BlindBaselines) -> None:
        """Take all that `other` has seen."""
        self._weight += other._weight
        self._guessing += other._guessing
        self._offered = self._offered or other._offered
        for choice, earned in other._constants.items():
            self._constants[choice] = self._constants.get(choice, 0) + earned

    def values(self) -> dict[str, float]:
        """Score of each control: `always ANSWER` and `guessing` (its expectation, not one throw of the dice)."""
        if not self._offered or not self._weight:
            return {}
        named = {}
        if len(self._constants) <= MOST_CONSTANTS:
            named = {f"always {choice}": earned / self._weight for choice, earned in sorted(self._constants.items())}
        return {**named, "guessing": self._guessing / self._weight}

    def best(self, score: float | None) -> BlindBaseline | None:
        """The best of them, and the skill of a score above it."""
        values = self.values()
        if not values:
            return None
        name = max(values, key=lambda key: (values[key], key != "guessing"))
        return make_baseline(name, values[name], score)
