"""Models that look at nothing: what a score must beat, and what it must reach. No network."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from sightline.core.config import RunConfig
from sightline.core.errors import UsageError
from sightline.core.interfaces import Model, Request
from sightline.core.records import Reply
from sightline.core.registry import unknown


def baseline(spec: str, config: RunConfig) -> Model:
    """`oracle`, `random`, `constant:ANSWER` or `perturbed:RATE`."""
    kind, colon, argument = spec.partition(":")
    match kind:
        case "oracle":
            return _Ideal(spec, 0.0, config.seed)
        case "perturbed":
            return _Ideal(spec, _rate(argument), config.seed)
        case "random":
            return _Random(spec, config.seed)
        case "constant" if colon:
            return _Constant(spec, argument)
        case "constant":
            raise UsageError("baseline/constant needs its answer.", hint="Write baseline/constant:True, for instance.")
    raise unknown("baseline", kind, ["constant:ANSWER", "oracle", "perturbed:RATE", "random"])


def _rate(argument: str) -> float:
    try:
        rate = float(argument)
    except ValueError:
        rate = -1.0
    if not 0 <= rate <= 1:
        raise UsageError("baseline/perturbed takes a rate between 0 and 1, not '{rate}'.", rate=argument)
    return rate


class _Constant:
    """The same words, whatever is asked."""

    def __init__(self, spec: str, words: str) -> None:
        self.name = f"baseline/{spec}"
        self._words = words

    async def ask(self, request: Request) -> Reply:
        return Reply(text=self._words)

    def identity(self) -> Mapping[str, Any]:
        return {"baseline": self.name}

    async def close(self) -> None:
        return None


class _Seeded:
    """Chance that depends on the seed and the sample alone, so that order and restarts don't matter."""

    def __init__(self, spec: str, seed: int) -> None:
        self.name = f"baseline/{spec}"
        self._seed = seed

    def chance(self, request: Request) -> random.Random:
        return random.Random(f"{self._seed}/{request.sample.id}/{request.attempt}/{request.turn}")

    def identity(self) -> Mapping[str, Any]:
        return {"baseline": self.name, "seed": self._seed}

    async def close(self) -> None:
        return None


class _Random(_Seeded):
    """One of the choices, by chance; nothing where the answer is open."""

    async def ask(self, request: Request) -> Reply:
        choices = request.suite.choices(request.sample)
        return Reply(text=self.chance(request).choice(choices) if choices else "")


class _Ideal(_Seeded):
    """The ideal reply, spoiled in one of the suite's known ways for a share `rate` of the samples."""

    def __init__(self, spec: str, rate: float, seed: int) -> None:
        super().__init__(spec, seed)
        self._rate = rate

    async def ask(self, request: Request) -> Reply:
        chance = self.chance(request)
        if chance.random() >= self._rate:
            return Reply(text=request.suite.ideal(request.sample))
        spoiled = request.suite.spoiled(request.sample)
        return Reply(text=spoiled[chance.choice(sorted(spoiled))])
