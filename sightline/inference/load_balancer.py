"""Load balancing over the servers of a model: each request goes to the least busy server that is available.

Each server has its own concurrency limiter and its own circuit breaker. With a single server the balancer applies
that server's limits, and waits for it while it is down.
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
from sightline.core.remarks import Remark
from sightline.inference.circuit_breaker import NO_ACCESS, CircuitBreaker
from sightline.inference.limiter import AdaptiveLimiter
from sightline.inference.permanent_errors import (
    MINIMAL_PROMPT,
    REFUSED_HINT,
    PermanentErrorDetector,
    hint_for,
    permanent_error,
)

_REPORT_OUTAGE_AFTER = 2.0
"""Seconds after which an outage is reported."""
_ALL_FAILING = 20, 8
"""Failures, and distinct samples among them, that end a run before its first reply: all requests are faulty."""
_NOT_A_MODEL_SERVER = Remark(
    "Check --api-base: the address of an OpenAI-compatible server, which usually ends in /v1."
).text


class Outage(Struct, frozen=True):
    """A time in which no request can be sent: why, for how long, and when the next probe is due."""

    reason: str
    seconds: float
    next_probe_in: float


class Backend:
    """One server: its model, limiter, circuit breaker and counts."""

    def __init__(
        self, model: Model, limiter: AdaptiveLimiter, breaker: CircuitBreaker, max_concurrency: int = 1, name: str = ""
    ) -> None:
        self.model = model
        self.probe_model = model
        """The model without a reply cache, which would answer for a server that is down."""
        self.limiter = limiter
        self.breaker = breaker
        self.max_concurrency = max_concurrency
        self.name = name
        self.requests = 0
        self.errors = 0
        self.not_before = 0.0
        """The time before which no request is sent to the server (Retry-After)."""
        self.known_good: Request | None = None
        """The last request that the server answered; used as a probe."""
        self.refusal: AccessError | None = None
        self.is_outage_reported = False
        self.permanent_errors = PermanentErrorDetector()


class Slot(Struct):
    """The right to send one request to a server; `epoch` is the limiter's window that the request belongs to."""

    backend: Backend
    probe: int = 0
    """The number of the probe that the request is, while the server is down; 0 otherwise."""
    epoch: int = 0


class LoadBalancer:
    """Assigns each request to a server, and tracks the outcomes."""

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
        self._waiters: deque[tuple[asyncio.Future[Slot], Collection[Backend]]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._early_failures = 0
        self._failing_samples: set[str] = set()
        self._pauses: dict[object, float] = {}
        self._last_problem = ""

    @property
    def has_multiple(self) -> bool:
        """Whether there is more than one server."""
        return len(self.backends) > 1

    @property
    def in_flight(self) -> int:
        """Requests in flight at all servers."""
        return sum(backend.limiter.in_flight for backend in self.backends)

    @property
    def outage(self) -> Outage | None:
        """The current outage, if no server is available or every request is waiting to be retried."""
        now = self._clock()
        times = [*self._pauses.values()] if not self.in_flight else []
        if not any(backend.refusal is None and _available_at(backend) <= now for backend in self.backends):
            times = [_available_at(backend) for backend in self.backends if backend.refusal is None]
        if not times:
            return None
        quiet = now - max(backend.breaker.last_success for backend in self.backends)
        seconds = quiet if quiet != float("inf") else max(backend.breaker.outage_seconds for backend in self.backends)
        return Outage(self._last_problem, seconds, max(0.0, min(times) - now))

    async def pause(self, seconds: float) -> None:
        """Delay one request before its next try."""
        key = object()
        self._pauses[key] = self._clock() + seconds
        try:
            await asyncio.sleep(seconds)
        finally:
            del self._pauses[key]

    async def acquire(self, tried: Collection[Backend] = ()) -> Slot:
        """Wait for a slot at a server, preferably one that has not been tried."""
        while True:
            backend = None if self._waiters else self._choose(tried)
            slot = self._occupy(backend) if backend is not None else await self._wait(tried)
            try:
                slot.epoch = await slot.backend.limiter.wait_for_rate_limits()
            except BaseException:
                self.release(slot)
                raise
            if slot.probe or not slot.backend.breaker.is_open:
                return slot
            self.release(slot)  # the server went down while the rate limits delayed the request

    def release(self, slot: Slot, tokens: int = 0) -> None:
        """Give the slot back."""
        slot.backend.breaker.end_probe(slot.probe)
        slot.backend.limiter.release(tokens)
        self._serve_waiters()
        if self._waiters:
            self._schedule_wakeup()

    def record_success(self, backend: Backend, request: Request) -> None:
        """A reply came from this server."""
        self.has_answered = True
        backend.refusal = None
        backend.known_good = request
        seconds = backend.breaker.outage_seconds
        if backend.breaker.record_success():
            if backend.breaker.cause != "rate_limited":  # there, the window has been halved already
                backend.limiter.restart()
            if backend.is_outage_reported:
                backend.is_outage_reported = False
                args = {"server": backend.name, "seconds": round(seconds)}
                self._notify(Remark("{server} is responding again after {seconds} s.", args))
        backend.limiter.record_success()
        self._serve_waiters()

    def record_failure(self, slot: Slot, error: AskError, sample: str = "") -> None:
        """Slow the server down or hold requests back; raises if the run can't continue.

        `sample` is left empty where it has failed in an earlier start: of those, many may fail in a row.
        """
        backend = slot.backend
        backend.errors += 1
        self._last_problem = str(error)
        if isinstance(error, TryAgainError):
            if error.is_congestion:
                backend.limiter.record_congestion(slot.epoch)
            if error.after is not None and self.has_multiple:  # a single server's request waits by itself
                backend.not_before = max(backend.not_before, self._clock() + error.after)
        others_answer = any(other is not backend and not other.breaker.is_open for other in self.backends)
        if backend.breaker.record_failure(error, slot.probe, others_answer) and error.kind != "rate_limited":
            backend.limiter.restart()
        self._report_outage(backend, error)
        self._stop_if_all_fail(error, sample)
        if all(backend.refusal is not None or backend.breaker.is_outage_too_long for backend in self.backends):
            raise self._unreachable(error)

    def check_permanent(self, slot: Slot, error: AskError, request: Request, started: float, is_new: bool) -> None:
        """Look for an error that every sample gets: check whether the server is up, or stop using it; raises if no
        other server is left. `is_new` is false where the sample has failed in an earlier start."""
        backend = slot.backend
        match backend.permanent_errors.record_failure(error, request, started, is_new):
            case "suspected":
                self._open_for_check(backend, error, request)
            case "permanent":
                self.exclude(backend, permanent_error(error, backend.name))
            case _ if backend.permanent_errors.has_given_up(error) and not backend.breaker.is_open:
                self._open_for_check(backend, error, request)  # if the server is up, the sample is given up soon

    def _open_for_check(self, backend: Backend, error: AskError, request: Request) -> None:
        if backend.known_good is None:
            backend.known_good = Request(MINIMAL_PROMPT, request.sample, request.suite)
        backend.breaker.open_for_check(error)

    def record_check(self, backend: Backend) -> None:
        """A probe was answered, or refused by words of its own: the server is up."""
        backend.permanent_errors.record_check(self._clock())

    def close_after_refusal(self, backend: Backend) -> None:
        """Let requests through again after a minimal probe that the server refused: it is up."""
        backend.breaker.close()
        backend.limiter.restart()
        self.record_check(backend)
        self._serve_waiters()

    def give_up(self, backend: Backend, error: AskError, sample: str) -> None:
        """Register the last try of a sample; after several with the same error, others get fewer tries."""
        if backend.permanent_errors.give_up(error, sample):
            args = {"server": backend.name, "reason": str(error)}
            self._notify(Remark("{server}: several samples fail with the same error; retrying less: {reason}", args))

    def _report_outage(self, backend: Backend, error: AskError) -> None:
        breaker = backend.breaker
        is_long = breaker.outage_seconds >= _REPORT_OUTAGE_AFTER or (self.has_multiple and not breaker.needs_known_good)
        if backend.is_outage_reported or not breaker.is_open or not is_long:
            return
        backend.is_outage_reported = True
        self._notify(
            Remark(
                "{server} limits the request rate; waiting: {reason}"
                if error.kind == "rate_limited"
                else "{server} is unavailable; retrying: {reason}",
                {"server": backend.name, "reason": str(error)},
            )
        )

    def record_refusal(self, slot: Slot, error: AccessError) -> None:
        """Register a denial of access, which may concern this server or this request only; raises if none is left."""
        if not slot.backend.breaker.has_answered:
            self.exclude(slot.backend, error)
        self.record_failure(slot, TryAgainError(error.template, NO_ACCESS, **error.arguments))

    def exclude(self, backend: Backend, error: RunStoppedError) -> None:
        """Stop using a server that refuses all requests; raises if no other server is left."""
        refusal = (
            error if isinstance(error, AccessError) else AccessError(error.template, error.hint, **error.arguments)
        )
        backend.refusal = refusal
        if all(backend.refusal is not None for backend in self.backends):
            raise error
        args = {"server": backend.name, "reason": str(error).partition("\n")[0]}
        self._notify(Remark("{server} is no longer used: {reason}", args))
        self._serve_waiters()

    def has_another(self, tried: Collection[Backend]) -> bool:
        """Whether a server that has not been tried is available now."""
        return any(backend not in tried and self._is_available(backend) for backend in self.backends)

    def may_have_another(self, tried: Collection[Backend]) -> bool:
        """Whether a server that has not been tried is available now or will be after its outage."""
        return any(backend not in tried and backend.refusal is None for backend in self.backends)

    def _stop_if_all_fail(self, error: AskError, sample: str) -> None:
        is_of_server = isinstance(error, TryAgainError) and error.is_of_server
        if self.has_answered or is_of_server or not sample or error.kind in ("no_reply", NO_ACCESS):
            return
        self._early_failures += 1
        self._failing_samples.add(sample)
        requests, samples = _ALL_FAILING
        if self._early_failures >= requests and len(self._failing_samples) >= samples:
            raise AllFailingError(
                "The first {count} requests all failed; last error: {why}",
                hint=_NOT_A_MODEL_SERVER if error.kind == "malformed" else REFUSED_HINT,
                count=self._early_failures,
                why=str(error),
            )

    def _unreachable(self, error: AskError) -> UnreachableError:
        seconds = min(backend.breaker.outage_seconds for backend in self.backends if backend.refusal is None)
        if error.kind == "unreachable" and not self.has_answered:
            return UnreachableError(
                "Cannot reach any of the {count} servers; last error: {why}"
                if self.has_multiple
                else "Cannot reach the server: {why}",
                hint="Check that the server is running and its address is correct. Rerun the same command to resume.",
                count=len(self.backends),
                why=str(error),
            )
        if error.kind == "server_error" and not self.has_answered:
            return UnreachableError(
                "Every request for {seconds} s got the same error: {why}",
                hint=hint_for(str(error.arguments.get("why", ""))),
                seconds=round(seconds),
                why=str(error),
            )
        return UnreachableError(
            "No server has responded for {seconds} s; last error: {why}"
            if self.has_multiple
            else "The server has not responded for {seconds} s; last error: {why}",
            hint="Rerun the same command to resume. --max-outage sets how long to wait.",
            seconds=round(seconds),
            why=str(error),
        )

    def _is_available(self, backend: Backend) -> bool:
        now = self._clock()
        return backend.refusal is None and backend.not_before <= now and backend.breaker.may_begin(now)

    def _has_free_slot(self, backend: Backend) -> bool:
        return backend.limiter.free > 0 or backend.breaker.is_open  # a probe needs no free slot

    def _choose(self, tried: Collection[Backend]) -> Backend | None:
        """The least busy available server; one that has failed this request only if there is no other."""
        if not self.has_multiple:
            backend = self.backends[0]
            return backend if self._has_free_slot(backend) and self._is_available(backend) else None
        available = [backend for backend in self.backends if self._is_available(backend)]
        untried = [backend for backend in available if backend not in tried]
        free = [backend for backend in untried or available if self._has_free_slot(backend)]
        return min(
            free,
            # a probe that is due goes first: otherwise requests that hang at the server would prevent its choice
            key=lambda backend: (
                not backend.breaker.is_open,
                backend.limiter.delay,
                backend.limiter.in_flight / backend.limiter.window,
            ),
            default=None,
        )

    def _occupy(self, backend: Backend) -> Slot:
        backend.limiter.acquire()
        return Slot(backend, backend.breaker.begin())

    async def _wait(self, tried: Collection[Backend]) -> Slot:
        waiter: asyncio.Future[Slot] = asyncio.get_running_loop().create_future()
        self._waiters.append((waiter, tried))
        self._serve_waiters()  # earlier waiters may need a particular server, this one any
        self._schedule_wakeup()
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self.release(waiter.result())
            raise

    def _serve_waiters(self) -> None:
        """Give free slots to waiting requests, first in, first out."""
        still_waiting: deque[tuple[asyncio.Future[Slot], Collection[Backend]]] = deque()
        while self._waiters and any(map(self._has_free_slot, self.backends)):
            waiter, tried = self._waiters.popleft()
            if waiter.done():
                continue
            backend = self._choose(tried)
            if backend is None:
                still_waiting.append((waiter, tried))
                if not tried:
                    break  # it would take any server, and none is free: the same holds for all behind it
            else:
                waiter.set_result(self._occupy(backend))
        still_waiting.extend(self._waiters)
        self._waiters = still_waiting

    def _schedule_wakeup(self) -> None:
        """Schedule another pass over the waiting requests for when the next server becomes available."""
        now = self._clock()
        ahead = [time - now for time in map(_available_at, self.backends) if time > now]
        if ahead and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(min(1.0, min(ahead) + 0.01), self._wake_up)

    def _wake_up(self) -> None:
        self._timer = None
        self._serve_waiters()
        if self._waiters:
            self._schedule_wakeup()


def _available_at(backend: Backend) -> float:
    """When requests may be sent to a server again: after its Retry-After, or at its next probe if it is down."""
    return max(backend.not_before, backend.breaker.next_probe if backend.breaker.is_open else 0.0)
