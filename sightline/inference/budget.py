"""Request and cost budget of a run, counted across restarts."""

from __future__ import annotations

from sightline.core.config import RunConfig
from sightline.core.errors import BudgetError


class Budget:
    """Counts requests and cost, and refuses a request that might exceed a cap."""

    def __init__(self, config: RunConfig, requests: int = 0, tokens_in: int = 0, tokens_out: int = 0) -> None:
        self._config = config
        self.requests = requests
        self._replies = 0
        self.cost = self.price(tokens_in, tokens_out)
        self._cost_here = 0.0

    def price(self, tokens_in: int, tokens_out: int) -> float:
        """The cost of a number of input and output tokens."""
        return (tokens_in * self._config.price_in + tokens_out * self._config.price_out) / 1e6

    def reserve(self, in_flight: int) -> None:
        """Count a request that is about to be sent; raises `BudgetError` if it might exceed a cap."""
        config = self._config
        if config.max_requests is not None and self.requests >= config.max_requests:
            raise BudgetError(
                "--max-requests {count} is spent.",
                hint="The same command with a higher cap goes on from here.",
                count=config.max_requests,
            )
        mean = self._cost_here / self._replies if self._replies else 0.0
        if config.max_cost is not None and self.cost + mean * (in_flight + 1) > config.max_cost:
            raise BudgetError(
                "--max-cost {cost} is spent.",
                hint="The same command with a higher cap goes on from here.",
                cost=config.max_cost,
            )
        self.requests += 1

    def record_cost(self, tokens_in: int, tokens_out: int) -> None:
        """Add the cost of a reply."""
        price = self.price(tokens_in, tokens_out)
        self.cost += price
        self._cost_here += price
        self._replies += 1

    def refund(self) -> None:
        """Uncount a request that was answered from the cache and never sent."""
        self.requests -= 1
