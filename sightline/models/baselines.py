"""Baseline models without network access: random, constant, oracle and perturbed oracle replies."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from sightline.core.config import RunConfig
from sightline.core.errors import UsageError
from sightline.core.interfaces import Model, Oracle, Request, oracle_reply
from sightline.core.records import Reply
from sightline.core.registry import unknown


def baseline(spec: str, config: RunConfig) -> Model:
    """The baseline model of a specification: `oracle`, `random`, `constant:ANSWER` or `perturbed:RATE`."""
    kind, colon, argument = spec.partition(":")
    match kind:
        case "oracle":
            return _Oracle(spec, 0.0, config.seed)
        case "perturbed":
            return _Oracle(spec, _parse_rate(argument), config.seed)
        case "random":
            return _Random(spec, config.seed)
        case "constant" if colon:
            return _Constant(spec, argument)
        case "constant":
            raise UsageError("baseline/constant requires an answer.", hint="For example: baseline/constant:True")
    raise unknown("baseline", kind, ["constant:ANSWER", "oracle", "perturbed:RATE", "random"])


def _parse_rate(argument: str) -> float:
    try:
        rate = float(argument)
    except ValueError:
        rate = -1.0
    if not 0 <= rate <= 1:
        raise UsageError("The rate of baseline/perturbed must be between 0 and 1, not '{rate}'.", rate=argument)
    return rate


class _Baseline:
    """Random numbers depend on the seed and the sample alone, so that order and restarts don't matter."""

    def __init__(self, spec: str, seed: int | None = None) -> None:
        self.name = f"baseline/{spec}"
        self._seed = seed

    def rng(self, request: Request) -> random.Random:
        repeat = "" if request.repeat == 1 else f"/{request.repeat}"
        return random.Random(f"{self._seed}/{request.sample.id}/{request.attempt}/{request.turn}{repeat}")

    def identity(self) -> Mapping[str, Any]:
        return {"baseline": self.name, **({} if self._seed is None else {"seed": self._seed})}

    async def close(self) -> None:
        return None


class _Constant(_Baseline):
    """Always replies with the same text."""

    def __init__(self, spec: str, text: str) -> None:
        super().__init__(spec)
        self._text = text

    async def ask(self, request: Request) -> Reply:
        return Reply(text=self._text)


class _Random(_Baseline):
    """Replies with a random choice, or with nothing if the question is open-ended."""

    async def ask(self, request: Request) -> Reply:
        choices = request.suite.choices(request.sample)
        return Reply(text=self.rng(request).choice(choices) if choices else "")


class _Oracle(_Baseline):
    """Replies with the ideal reply, corrupted in one of the suite's known ways for a fraction `rate` of the samples."""

    def __init__(self, spec: str, rate: float, seed: int) -> None:
        super().__init__(spec, seed)
        self._rate = rate

    async def ask(self, request: Request) -> Reply:
        rng = self.rng(request)
        if rng.random() >= self._rate:
            return Reply(text=oracle_reply(request.suite, request.sample))
        suite = request.suite
        corrupted = suite.corrupted_replies(request.sample) if isinstance(suite, Oracle) else {"empty": ""}
        return Reply(text=corrupted[rng.choice(sorted(corrupted))])
