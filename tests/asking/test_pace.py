"""The window of requests in flight, and the caps."""

from __future__ import annotations

import asyncio

import pytest

from sightline.asking.exchange import Exchange, Line
from sightline.asking.pace import Pace
from sightline.asking.patience import FIRST_WAIT, LONGEST_WAIT, Breaker, Budget, wait_before
from sightline.config import RunConfig
from sightline.errors import AllFailingError, BudgetError, RejectedError, TryAgainError, UnreachableError
from sightline.models.baselines import baseline


def one_line(pace: Pace) -> Exchange:
    return Exchange([Line(baseline("oracle", RunConfig()), pace)])


def test_the_window_doubles_a_round_until_the_first_congestion_then_grows_by_one() -> None:
    async def story() -> None:
        pace = Pace(64)
        assert pace.window == 8
        for _ in range(8):
            pace.succeeded()
        assert pace.window == 16
        pace.congested(0)
        assert pace.window == 8
        for _ in range(8):
            pace.succeeded()
        assert 8.9 < pace.window < 9.1

    asyncio.run(story())


def test_one_burst_of_refusals_halves_the_window_once() -> None:
    async def story() -> None:
        pace = Pace(64)
        exchange = one_line(pace)
        epochs = [(await exchange.enter())[1] for _ in range(8)]
        for epoch in epochs:
            pace.congested(epoch)
        assert pace.window == 4
        for _ in range(20):
            pace.congested(pace._epoch)
        assert pace.window == 1

    asyncio.run(story())


def test_never_more_in_flight_than_the_window() -> None:
    async def story() -> None:
        pace, most = Pace(5), 0
        exchange = one_line(pace)

        async def one() -> None:
            nonlocal most
            line, _ = await exchange.enter()
            most = max(most, pace.in_flight)
            await asyncio.sleep(0.001)
            exchange.leave(line)
            exchange.succeeded(line)

        await asyncio.gather(*(one() for _ in range(60)))
        assert most == 5
        assert pace.in_flight == 0

    asyncio.run(story())


def test_a_cancelled_wait_leaves_its_place_to_others() -> None:
    async def story() -> None:
        exchange = one_line(Pace(1))
        line, _ = await exchange.enter()
        waiting = [asyncio.ensure_future(exchange.enter()) for _ in range(4)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        exchange.leave(line)
        await asyncio.wait_for(waiting[1], 1)
        exchange.leave(line)
        waiting[2].cancel()  # it had been given the place already
        await asyncio.wait_for(waiting[3], 1)
        assert exchange.in_flight == 1

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
        pace = Pace(4, requests_per_minute=30, clock=clock)
        exchange = one_line(pace)
        for _ in range(31):
            exchange.leave((await exchange.enter())[0])

    asyncio.run(story())
    assert clock.now == pytest.approx(60.0)


def test_tokens_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)

    async def story() -> None:
        pace = Pace(4, tokens_per_minute=6000, clock=clock)
        exchange = one_line(pace)
        for _ in range(7):
            exchange.leave((await exchange.enter())[0], tokens=1000)

    asyncio.run(story())
    assert clock.now == pytest.approx(60.0)


def test_waiting_doubles_with_jitter_and_obeys_the_server() -> None:
    error = TryAgainError("x", kind="reset")
    for tries in range(1, 12):
        full = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (tries - 1))
        assert all(full / 2 <= wait_before(tries, error) <= full for _ in range(50))
    assert len({wait_before(3, error) for _ in range(20)}) > 1
    assert wait_before(1, TryAgainError("x", kind="rate_limited", after=7.5)) == 7.5


def test_a_dead_server_ends_the_run_soon_and_a_lost_one_only_when_patience_is_out() -> None:
    gone = TryAgainError("x", kind="unreachable")
    breaker = Breaker()
    breaker.tried(gone, 1, last=False)
    breaker.tried(gone, 2, last=False)
    with pytest.raises(UnreachableError):
        breaker.tried(gone, 3, last=False)
    breaker.succeeded()
    breaker.tried(gone, 5, last=False)
    with pytest.raises(UnreachableError):
        breaker.tried(gone, 6, last=True)


def test_twenty_refusals_from_the_start_end_the_run() -> None:
    breaker, no = Breaker(), RejectedError("no", kind="rejected")
    for _ in range(19):
        breaker.gave_up(no)
    with pytest.raises(AllFailingError):
        breaker.gave_up(no)
    lucky = Breaker()
    lucky.succeeded()
    for _ in range(100):
        lucky.gave_up(no)


def test_budgets_count_earlier_starts_and_requests_in_flight() -> None:
    budget = Budget(RunConfig(max_requests=3), requests=1)
    budget.take(0)
    budget.take(1)
    with pytest.raises(BudgetError, match="max-requests"):
        budget.take(2)
    budget.give_back()
    budget.take(0)
    money = Budget(RunConfig(max_cost=1.0, price_in=1000.0, price_out=0.0), tokens_in=700)
    money.take(0)
    money.pay(100, 0)
    money.take(0)
    with pytest.raises(BudgetError, match="max-cost"):
        money.take(2)  # 0.8 spent, and two in flight at about 0.1 each
