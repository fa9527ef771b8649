"""The AIMD window of requests in flight, the caps per minute, and the budget."""

from __future__ import annotations

import asyncio

import pytest

from sightline.core.config import RunConfig
from sightline.core.errors import BudgetError
from sightline.inference.budget import Budget
from sightline.inference.circuit_breaker import CircuitBreaker
from sightline.inference.journal import JournalCounts
from sightline.inference.limiter import AdaptiveLimiter
from sightline.inference.load_balancer import Backend, LoadBalancer
from sightline.models.baselines import baseline


def balance_one(limiter: AdaptiveLimiter) -> LoadBalancer:
    return LoadBalancer([Backend(baseline("oracle", RunConfig()), limiter, CircuitBreaker(600.0))])


def test_the_window_doubles_a_round_until_the_first_congestion_then_grows_by_one() -> None:
    async def story() -> None:
        limiter = AdaptiveLimiter(64)
        assert limiter.window == 8
        for _ in range(8):
            limiter.record_success()
        assert limiter.window == 16
        limiter.record_congestion(0)
        assert limiter.window == 8
        for _ in range(8):
            limiter.record_success()
        assert 8.9 < limiter.window < 9.1

    asyncio.run(story())


def test_one_burst_of_refusals_halves_the_window_once() -> None:
    async def story() -> None:
        limiter = AdaptiveLimiter(64)
        balancer = balance_one(limiter)
        epochs = [(await balancer.acquire()).epoch for _ in range(8)]
        for epoch in epochs:
            limiter.record_congestion(epoch)
        assert limiter.window == 4
        for _ in range(20):
            limiter.record_congestion(limiter._epoch)
        assert limiter.window == 1

    asyncio.run(story())


def test_never_more_in_flight_than_the_window() -> None:
    async def story() -> None:
        limiter, most = AdaptiveLimiter(5), 0
        balancer = balance_one(limiter)

        async def one() -> None:
            nonlocal most
            slot = await balancer.acquire()
            most = max(most, limiter.in_flight)
            await asyncio.sleep(0.001)
            balancer.release(slot)
            limiter.record_success()

        await asyncio.gather(*(one() for _ in range(60)))
        assert most == 5
        assert limiter.in_flight == 0

    asyncio.run(story())


def test_a_cancelled_wait_leaves_its_slot_to_others() -> None:
    async def story() -> None:
        balancer = balance_one(AdaptiveLimiter(1))
        slot = await balancer.acquire()
        waiting = [asyncio.ensure_future(balancer.acquire()) for _ in range(4)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        balancer.release(slot)
        balancer.release(await asyncio.wait_for(waiting[1], 1))
        waiting[2].cancel()  # it had been given the place already
        await asyncio.wait_for(waiting[3], 1)
        assert balancer.in_flight == 1

    asyncio.run(story())


class Clock:
    """Time that passes only in sleep."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        real = asyncio.sleep

        async def sleep(seconds: float) -> None:
            self.now += seconds
            await real(0)

        monkeypatch.setattr(asyncio, "sleep", sleep)

    def __call__(self) -> float:
        return self.now


def test_requests_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)

    async def story() -> None:
        limiter = AdaptiveLimiter(4, requests_per_minute=30, clock=clock)
        balancer = balance_one(limiter)
        for _ in range(31):
            balancer.release(await balancer.acquire())

    asyncio.run(story())
    assert clock.now == pytest.approx(60.0)


def test_tokens_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)

    async def story() -> None:
        limiter = AdaptiveLimiter(4, tokens_per_minute=6000, clock=clock)
        balancer = balance_one(limiter)
        for _ in range(7):
            balancer.release(await balancer.acquire(), tokens=1000)

    asyncio.run(story())
    assert clock.now == pytest.approx(60.0)


def test_budgets_count_earlier_starts_and_requests_in_flight() -> None:
    budget = Budget(RunConfig(max_requests=3), JournalCounts(requests=1))
    budget.reserve(0)
    budget.reserve(1)
    with pytest.raises(BudgetError, match="max-requests"):
        budget.reserve(2)
    budget.refund()
    budget.reserve(0)
    money = Budget(RunConfig(max_cost=1.0, price_in=1000.0, price_out=0.0), JournalCounts(tokens_in=700))
    money.reserve(0)
    money.record_cost(100, 0)
    money.reserve(0)
    with pytest.raises(BudgetError, match="max-cost"):
        money.reserve(2)  # 0.8 spent, and two in flight at about 0.1 each
