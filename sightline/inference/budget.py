"""Budget of a run: caps on requests and cost, over all its restarts."""

from __future__ import annotations

from sightline.core.config import RunConfig
from sightline.core.errors import BudgetError


class Budget:
    """Counts what was sent and paid, and refuses what might break a cap."""

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
