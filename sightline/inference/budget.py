"""Budget of a run: limits on requests and cost (`--max-requests`, `--max-cost`)."""

from __future__ import annotations

from sightline.core.config import RunConfig
from sightline.core.errors import BudgetError
from sightline.inference.journal import JournalCounts


class Budget:
    """Counts requests and cost, including those journaled `before`, and refuses a request that might exceed a limit."""

    def __init__(self, config: RunConfig, before: JournalCounts | None = None) -> None:
        before = before or JournalCounts()
        self._config = config
        self.requests = before.requests
        self._replies = 0
        self.cost = self.price(before.tokens_in, before.tokens_out)
        self._cost_here = 0.0

    def price(self, tokens_in: int, tokens_out: int) -> float:
        """The cost of a number of input and output tokens."""
        return (tokens_in * self._config.price_in + tokens_out * self._config.price_out) / 1e6

    def reserve(self, in_flight: int) -> None:
        """Count a request that is about to be sent; raises `BudgetError` if it might exceed a limit."""
        config = self._config
        if config.max_requests is not None and self.requests >= config.max_requests:
            raise BudgetError(
                "The limit --max-requests {limit} has been reached.",
                hint="Rerun the same command with a higher limit to resume.",
                limit=config.max_requests,
            )
        mean = self._cost_here / self._replies if self._replies else 0.0
        if config.max_cost is not None and self.cost + mean * (in_flight + 1) > config.max_cost:
            raise BudgetError(
                "The limit --max-cost {limit} has been reached.",
                hint="Rerun the same command with a higher limit to resume.",
                limit=config.max_cost,
            )
        self.requests += 1

    @property
    def limits_cost(self) -> bool:
        """Whether there is a limit on the cost."""
        return self._config.max_cost is not None

    def record_cost(self, tokens_in: int, tokens_out: int) -> None:
        """Add the cost of a reply."""
        price = self.price(tokens_in, tokens_out)
        self.cost += price
        self._cost_here += price
        self._replies += 1

    def refund(self) -> None:
        """Uncount a request that was answered from the cache and never sent."""
        self.requests -= 1
