"""When to try again and when to stop asking altogether."""

from __future__ import annotations

import random

from sightline.config import RunConfig
from sightline.errors import (
    AllFailingError,
    AskError,
    BudgetError,
    TryAgainError,
    UnreachableError,
)

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
_HOPELESS = 20
_TRIES_TO_CONNECT = 3


def wait_before(tries: int, error: TryAgainError) -> float:
    """Seconds to wait after the given number of tries: what the server said, else doubling, with jitter so that many
    clients don't come back at once."""
    if error.after is not None:
        return error.after
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (tries - 1)) * random.uniform(0.5, 1.0)


class Breaker:
    """Ends a run that can't succeed, instead of failing a million times."""

    def __init__(self) -> None:
        self._succeeded = False
        self._given_up = 0

    def succeeded(self) -> None:
        """A reply has come: from now on failures are single misfortunes."""
        self._succeeded = True

    def tried(self, error: AskError, tries: int, last: bool) -> None:
        """Look at one failed try; raises when nobody is there."""
        hopeless = last if self._succeeded else tries >= _TRIES_TO_CONNECT or last
        if error.kind == "unreachable" and hopeless:
            raise UnreachableError(
                "Nobody answers: {why}",
                hint="Is the server running, and is its address right? The same command goes on from here.",
                why=str(error),
            )

    def gave_up(self, error: AskError) -> None:
        """Look at one request that is given up; raises when all have been from the start."""
        self._given_up += error.kind != "no_reply"
        if not self._succeeded and self._given_up >= _HOPELESS:
            raise AllFailingError(
                "The first {count} requests all failed; the last one: {why}",
                hint="Mend what it says (a setting the server does not know can be taken out by -M key=null).",
                count=_HOPELESS,
                why=str(error),
            )


class Budget:
    """Caps on requests and cost of a run, over all its restarts."""

    def __init__(self, config: RunConfig, requests: int = 0, tokens_in: int = 0, tokens_out: int = 0) -> None:
        self._config = config
        self.requests = requests
        self._answered = 0
        self.cost = self.price(tokens_in, tokens_out)
        self._paid = 0.0

    def price(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost."""
        return (tokens_in * self._config.price_in + tokens_out * self._config.price_out) / 1e6

    def take(self, in_flight: int) -> None:
        """Count one request that is about to be sent, or raise when it might break a cap."""
        config = self._config
        if config.max_requests is not None and self.requests >= config.max_requests:
            raise BudgetError(
                "--max-requests {count} is spent.",
                hint="The same command with a higher cap goes on from here.",
                count=config.max_requests,
            )
        mean = self._paid / self._answered if self._answered else 0.0
        if config.max_cost is not None and self.cost + mean * (in_flight + 1) > config.max_cost:
            raise BudgetError(
                "--max-cost {cost} is spent.",
                hint="The same command with a higher cap goes on from here.",
                cost=config.max_cost,
            )
        self.requests += 1

    def pay(self, tokens_in: int, tokens_out: int) -> None:
        """Book what a reply cost."""
        price = self.price(tokens_in, tokens_out)
        self.cost += price
        self._paid += price
        self._answered += 1

    def give_back(self) -> None:
        """The request was answered from the cache and never sent."""
        self.requests -= 1
