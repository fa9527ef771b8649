"""Load balancing over the servers of a model: the least busy one that answers is asked next.

Each server has its own concurrency limiter and its own circuit breaker. With a single server the balancer keeps that
server's limits, and waits for it while it is down.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Sequence
from time import monotonic

from msgspec import Struct

from sightline.core.errors import (
    AccessError,
    AllFailingError,
    AskError,
    RunStoppedError,
    TryAgainError,
    UnreachableError,
)
from sightline.core.interfaces import Model, Request
from sightline.core.records import Remark
from sightline.inference.circuit_breaker import NO_ACCESS, CircuitBreaker
from sightline.inference.limiter import AdaptiveLimiter

_REPORT_OUTAGE_AFTER = 2.0
"""Seconds after which an outage gets a line of its own."""
_ALL_FAILING = 20, 8
"""So many failures, of so many samples, before any reply end a run: something is wrong with all requests."""


class Outage(Struct, frozen=True):
    """No request can be sent: why, for how long, and when the next one will be."""

    reason: str
    seconds: float
    next_probe_in: float


class Backend:
    """One server: its model, its limits, its counts."""

    def __init__(
        self, model: Model, limiter: AdaptiveLimiter, breaker: CircuitBreaker, most: int = 1, name: str = ""
    ) -> None:
        self.model = model
        self.probe_model = model
        """The model without a reply cache, which would answer for a server that is down."""
        self.limiter = limiter
        self.breaker = breaker
        self.most = most
        self.name = name
        self.requests = 0
        self.errors = 0
        self.rest_until = 0.0
        """Until when the server wants to be left alone (Retry-After)."""
        self.known_good: Request | None = None
        """The last request that it answered."""
        self.refusal: AccessError | None = None
        self.is_outage_told = False


class Slot(Struct):
    """The right to send one request to a server; `epoch` is the limiter's window that the request belongs to."""

    backend: Backend
    probe: int = 0
    """The number of the probe that the request is, while the server is down; 0 otherwise."""
    epoch: int = 0


class LoadBalancer:
    """Gives each request a server, and learns from what comes of it."""

    def __init__(
        self,
        backends: Sequence[Backend],
        notify: Callable[[Remark], None] = lambda remark: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.backends = list(backends)
        self.has_answered = False
        self._notify = notify
        self._clock = clock
        self._waiting: deque[tuple[asyncio.Future[Slot], Collection[Backend]]] = deque()
        self._alarm: asyncio.TimerHandle | None = None
        self._failures_at_first = 0
        self._failing_samples: set[str] = set()
        self._pauses: dict[object, float] = {}
        self._last_problem = ""

    @property
    def has_several(self) -> bool:
        """Whether a request may be asked elsewhere."""
        return len(self.backends) > 1

    @property
    def in_flight(self) -> int:
        """Requests under way at all servers."""
        return sum(backend.limiter.in_flight for backend in self.backends)

    @property
    def outage(self) -> Outage | None:
        """What the run is waiting for, where no server can be asked or every request is held back."""
        now = self._clock()
        times = [*self._pauses.values()] if not self.in_flight else []
        if not any(backend.refusal is None and _available_at(backend) <= now for backend in self.backends):
            times = [_available_at(backend) for backend in self.backends if backend.refusal is None]
        if not times:
            return None
        quiet = now - max(backend.breaker.last_success for backend in self.backends)
        seconds = quiet if quiet != float("inf") else max(one.breaker.outage_seconds for one in self.backends)
        return Outage(self._last_problem, seconds, max(0.0, min(times) - now))

    async def pause(self, seconds: float) -> None:
        """Hold one request back before its next try."""
        key = object()
        self._pauses[key] = self._clock() + seconds
        try:
            await asyncio.sleep(seconds)
        finally:
            del self._pauses[key]

    async def acquire(self, tried: Collection[Backend] = ()) -> Slot:
        """Wait for a slot at a server, if possible at one that has not been tried."""
        while True:
            backend = None if self._waiting else self._choose(tried)
            slot = self._take(backend) if backend is not None else await self._wait(tried)
            try:
                slot.epoch = await slot.backend.limiter.start()
            except BaseException:
                self.release(slot)
                raise
            if slot.probe or not slot.backend.breaker.is_open:
                return slot
            self.release(slot)  # the server went down while the caps per minute held the request up

    def release(self, slot: Slot, tokens: int = 0) -> None:
        """Give the slot back."""
        slot.backend.breaker.end_probe(slot.probe)
        slot.backend.limiter.release(tokens)
        self._wake()
        if self._waiting:
            self._set_alarm()

    def record_success(self, backend: Backend, request: Request) -> None:
        """A reply came from this server."""
        self.has_answered = True
        backend.refusal = None
        backend.known_good = request
        seconds = backend.breaker.outage_seconds
        if backend.breaker.record_success():
            if backend.breaker.cause != "rate_limited":  # there, the window has been halved already
                backend.limiter.restart()
            if backend.is_outage_told:
                backend.is_outage_told = False
                facts = {"server": backend.name, "seconds": round(seconds)}
                self._notify(Remark("{server} answers again after {seconds} s.", facts))
        backend.limiter.record_success()
        self._wake()

    def record_failure(self, slot: Slot, error: AskError, sample: str = "") -> None:
        """Slow the server down or hold requests back; raises where the run can't go on.

        `sample` is left empty where it has failed in an earlier start: of those, many may fail in a row.
        """
        backend = slot.backend
        backend.errors += 1
        self._last_problem = str(error)
        if isinstance(error, TryAgainError):
            if error.is_congestion:
                backend.limiter.record_congestion(slot.epoch)
            if error.after is not None and self.has_several:  # a single server's request waits by itself
                backend.rest_until = max(backend.rest_until, self._clock() + error.after)
        others_answer = any(one is not backend and not one.breaker.is_open for one in self.backends)
        if backend.breaker.record_failure(error, slot.probe, others_answer) and error.kind != "rate_limited":
            backend.limiter.restart()
        self._tell_outage(backend, error)
        self._stop_where_hopeless(error, sample)
        if all(one.refusal is not None or one.breaker.is_outage_too_long for one in self.backends):
            raise self._unreachable(error)

    def _tell_outage(self, backend: Backend, error: AskError) -> None:
        breaker = backend.breaker
        is_long = breaker.outage_seconds >= _REPORT_OUTAGE_AFTER or (self.has_several and not breaker.needs_known_good)
        if backend.is_outage_told or not breaker.is_open or not is_long:
            return
        backend.is_outage_told = True
        self._notify(
            Remark(
                "{server} limits the rate; waiting: {reason}"
                if error.kind == "rate_limited"
                else "{server} is down; waiting for it: {reason}",
                {"server": backend.name, "reason": str(error)},
            )
        )

    def record_refusal(self, slot: Slot, error: AccessError) -> None:
        """The server denies access: another may not, or it was only this request; raises where none is left."""
        if not slot.backend.breaker.has_answered:
            self.refuse(slot.backend, error)
        self.record_failure(slot, TryAgainError(error.template, NO_ACCESS, **error.facts))

    def refuse(self, backend: Backend, error: RunStoppedError) -> None:
        """The server refuses everything: leave it to the others; raises where there are none."""
        refusal = error if isinstance(error, AccessError) else AccessError(error.template, error.hint, **error.facts)
        backend.refusal = refusal
        if all(one.refusal is not None for one in self.backends):
            raise error
        facts = {"server": backend.name, "reason": str(error).partition("\n")[0]}
        self._notify(Remark("{server} is no longer used: {reason}", facts))
        self._wake()

    def has_another(self, tried: Collection[Backend]) -> bool:
        """Whether a server can be asked now that has not been tried."""
        return any(backend not in tried and self._is_available(backend) for backend in self.backends)

    def may_have_another(self, tried: Collection[Backend]) -> bool:
        """Whether a server that has not been tried can be asked now or after its outage."""
        return any(backend not in tried and backend.refusal is None for backend in self.backends)

    def _stop_where_hopeless(self, error: AskError, sample: str) -> None:
        is_of_server = isinstance(error, TryAgainError) and error.is_of_server
        if self.has_answered or is_of_server or not sample or error.kind in ("no_reply", NO_ACCESS):
            return
        self._failures_at_first += 1
        self._failing_samples.add(sample)
        requests, samples = _ALL_FAILING
        if self._failures_at_first >= requests and len(self._failing_samples) >= samples:
            raise AllFailingError(
                "The first {count} requests all failed; the last one: {why}",
                hint="Mend what it says (a setting the server does not know can be taken out by -M key=null).",
                count=self._failures_at_first,
                why=str(error),
            )

    def _unreachable(self, error: AskError) -> UnreachableError:
        seconds = min(one.breaker.outage_seconds for one in self.backends if one.refusal is None)
        if error.kind == "unreachable" and not self.has_answered:
            return UnreachableError(
                "None of the {count} servers answers; the last one: {why}"
                if self.has_several
                else "Cannot reach the server: {why}",
                hint="Is the server running, and is its address right? The same command goes on from here.",
                count=len(self.backends),
                why=str(error),
            )
        return UnreachableError(
            "No server has answered for {seconds} s; last error: {why}"
            if self.has_several
            else "The server has not answered for {seconds} s; last error: {why}",
            hint="Run the same command again to resume. --max-outage sets how long to wait.",
            seconds=round(seconds),
            why=str(error),
        )

    def _is_available(self, backend: Backend) -> bool:
        now = self._clock()
        return backend.refusal is None and backend.rest_until <= now and backend.breaker.may_begin(now)

    def _has_room(self, backend: Backend) -> bool:
        return backend.limiter.free > 0 or backend.breaker.is_open  # a probe waits for nobody

    def _choose(self, tried: Collection[Backend]) -> Backend | None:
        """The least busy server that can be asked; one that has failed this request only where there is no other."""
        if not self.has_several:
            backend = self.backends[0]
            return backend if self._has_room(backend) and self._is_available(backend) else None
        available = [backend for backend in self.backends if self._is_available(backend)]
        fresh = [backend for backend in available if backend not in tried]
        free = [backend for backend in fresh or available if self._has_room(backend)]
        return min(
            free,
            # a probe that is due goes first: requests that hang at the server would keep it from being chosen
            key=lambda one: (not one.breaker.is_open, one.limiter.delay, one.limiter.in_flight / one.limiter.window),
            default=None,
        )

    def _take(self, backend: Backend) -> Slot:
        backend.limiter.take()
        return Slot(backend, backend.breaker.begin())

    async def _wait(self, tried: Collection[Backend]) -> Slot:
        place: asyncio.Future[Slot] = asyncio.get_running_loop().create_future()
        self._waiting.append((place, tried))
        self._wake()  # those before may wait for one server, and this one for any
        self._set_alarm()
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.release(place.result())
            raise

    def _wake(self) -> None:
        """Give free slots to those that wait, the first first."""
        left: deque[tuple[asyncio.Future[Slot], Collection[Backend]]] = deque()
        while self._waiting and any(map(self._has_room, self.backends)):
            place, tried = self._waiting.popleft()
            if place.done():
                continue
            backend = self._choose(tried)
            if backend is None:
                left.append((place, tried))
                if not tried:
                    break  # who takes any server finds none: nor will those behind
            else:
                place.set_result(self._take(backend))
        left.extend(self._waiting)
        self._waiting = left

    def _set_alarm(self) -> None:
        """Somebody waits: look again when the next server may be asked."""
        now = self._clock()
        ahead = [time - now for time in map(_available_at, self.backends) if time > now]
        if ahead and self._alarm is None:
            self._alarm = asyncio.get_running_loop().call_later(min(1.0, min(ahead) + 0.01), self._look_again)

    def _look_again(self) -> None:
        self._alarm = None
        self._wake()
        if self._waiting:
            self._set_alarm()


def _available_at(backend: Backend) -> float:
    """When a server may be asked again: after its Retry-After, and its next probe where it is down."""
    return max(backend.rest_until, backend.breaker.next_probe if backend.breaker.is_open else 0.0)
