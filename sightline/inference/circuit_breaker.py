"""Circuit breaker of one server: closed while it answers, open while it is down, half-open while a probe is in flight.

The length of an outage is limited by time, not by a number of tries: while the circuit is open, only one probe at a
time is sent, and no sample fails. The probe is a request that the server has answered before, which tells a failing
server from a failing sample: if the probe fails too, the server is down or refuses all requests; if it succeeds, the
sample is at fault, and its failures count. Unreachable servers and exhausted file handles need no such comparison.
Before the first reply no known-good request exists: then any waiting request serves as the probe.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from time import monotonic

from sightline.core.backoff import exponential_backoff
from sightline.core.errors import LOCAL_SHORTAGE, AskError, TryAgainError

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
LONGEST_WAIT_BESIDE_OTHERS = 300.0
"""Seconds between two probes of a server that is down while others answer."""
LONGEST_WAIT_UNDER_LOAD, LOAD_SECONDS = 5.0, 60.0
"""Seconds between two probes of a server that limits the rate, and how long they are so frequent."""
UNANSWERED_OUTAGE = 60.0
"""Seconds allowed to a server that has answered nothing yet, but every request with the same error."""
UNREACHED_OUTAGE = 1.0
"""Seconds allowed to a server that has never been reached: a wrong address should be reported at once."""
QUIET = 1.0
"""Seconds without a reply after which rate limiting counts as an outage: a few refusals in a row are normal."""
_FAILURES_TO_OPEN = 5
NO_ACCESS = "no_access"
_REFUSALS = ("rejected", NO_ACCESS)
_NEVER_OF_SAMPLE = ("unreachable", LOCAL_SHORTAGE)


def backoff(tries: int, max_wait: float | None = None) -> float:
    """Exponential backoff with jitter: seconds to wait after a number of tries."""
    longest = LONGEST_WAIT if max_wait is None else max_wait
    return exponential_backoff(tries, FIRST_WAIT, longest) * random.uniform(0.5, 1.0)


class CircuitBreaker:
    """Tracks the outcomes of requests to one server and decides when requests may be sent."""

    def __init__(self, max_outage: float, clock: Callable[[], float] = monotonic, was_reached: bool = False) -> None:
        self.has_answered = False
        self.last_success = float("-inf")
        self.next_probe = 0.0
        self.cause = ""
        """The kind of failure that opened the circuit."""
        self._max_outage = max_outage
        self._clock = clock
        self._was_reached = was_reached
        self._failing_since: float | None = None
        self._failures = 0
        self._waits = 0
        self.is_open = False
        """Whether requests are held back."""
        self._probe = self._probes = 0
        self._needs_known_good = False
        self._is_check = False
        """Whether the circuit was opened to find out whether an error is permanent."""
        self._tolerance = {"rejected": _FAILURES_TO_OPEN, NO_ACCESS: 1}
        """Consecutive refusals that trigger a probe; doubled each time the probe is answered."""

    @property
    def needs_known_good(self) -> bool:
        """Whether the probe must be a request that was answered before."""
        return self.is_open and self._needs_known_good

    @property
    def outage_seconds(self) -> float:
        """Seconds since the first of an unbroken series of failures."""
        return self._clock() - self._failing_since if self._failing_since is not None else 0.0

    @property
    def is_outage_too_long(self) -> bool:
        """Whether the server has been down for longer than the run waits."""
        max_seconds = self._max_outage if self._was_reached else min(UNREACHED_OUTAGE, self._max_outage)
        if self._is_check and not self.has_answered:
            max_seconds = min(UNANSWERED_OUTAGE, max_seconds)
        has_failed_probe = self._waits > 1
        return self.is_open and has_failed_probe and self.outage_seconds >= max_seconds

    def may_begin(self, now: float) -> bool:
        """Whether a request may be sent: any while closed, one probe at a time while open."""
        return not self.is_open or (now >= self.next_probe and not self._probe)

    def begin(self) -> int:
        """Register a request that is about to be sent; returns the number of the probe if it is one, else 0."""
        if not self.is_open:
            return 0
        self._probes += 1
        self._probe = self._probes
        return self._probe

    def end_probe(self, number: int) -> None:
        """Register that the probe with that number has ended, with any outcome."""
        if self._probe == number:
            self._probe = 0

    def record_success(self) -> bool:
        """Register a reply and close the circuit; True if that ends an outage."""
        was_open = self.is_open
        self._is_check = False
        if was_open and self.cause in _REFUSALS:
            self._tolerance = {kind: 2 * count for kind, count in self._tolerance.items()}
        self.has_answered = self._was_reached = True
        self.last_success = self._clock()
        self.is_open = False
        self._probe = 0
        self._failing_since = None
        self._failures = self._waits = 0
        return was_open

    def record_failure(self, error: AskError, probe: int = 0, others_answer: bool = False) -> bool:
        """Register a failed request, or the failed probe with that number; True if that opens the circuit."""
        now = self._clock()
        self._was_reached = self._was_reached or error.kind not in _NEVER_OF_SAMPLE
        self._failing_since = now if self._failing_since is None else self._failing_since
        self._failures += 1
        if self.is_open:
            if probe and probe == self._probe:
                has_known_good = self.has_answered or self._is_check
                self._needs_known_good = has_known_good and error.kind not in _NEVER_OF_SAMPLE
                self._wait(error, now, others_answer)
            return False
        if not self._is_due(error, now):
            return False
        self.is_open, self.cause = True, error.kind
        self._failing_since = now  # before that it may have been a single slow sample
        self._needs_known_good = self.has_answered and error.kind not in _NEVER_OF_SAMPLE
        self._wait(error, now, others_answer)
        return True

    def open_for_check(self, error: AskError) -> None:
        """Hold requests back until another request has shown whether the server is up (see `permanent_errors`)."""
        now = self._clock()
        if not self.is_open:
            self.is_open, self.cause = True, error.kind
            self._failing_since = now
            self._waits = 1
        self._is_check = self._needs_known_good = True
        self.next_probe = now

    def close(self) -> None:
        """Let requests through again without a reply: the server is up, since it refused a probe in words."""
        self.is_open = self._is_check = False
        self._probe = 0
        self._failing_since = None
        self._failures = self._waits = 0

    def _is_due(self, error: AskError, now: float) -> bool:
        """Whether a failure opens the circuit."""
        is_of_server = isinstance(error, TryAgainError) and error.is_of_server
        if not is_of_server and not self.has_answered:
            return False  # no known-good request: a run that never gets a reply is ended by the load balancer
        if error.kind == "rate_limited" and now - self.last_success < QUIET:
            return False
        needed = 1 if error.kind == "unreachable" else self._tolerance.get(error.kind, _FAILURES_TO_OPEN)
        return self._failures >= needed

    def _wait(self, error: AskError, now: float, others_answer: bool) -> None:
        """Set the time of the next probe. Whether a refusal affects all requests is checked at once."""
        self._waits += 1
        if self._waits == 1 and error.kind in _REFUSALS:
            self.next_probe = now
            return
        max_wait = LONGEST_WAIT_BESIDE_OTHERS if others_answer else LONGEST_WAIT
        if error.kind == "rate_limited" and self.outage_seconds < LOAD_SECONDS:
            max_wait = LONGEST_WAIT_UNDER_LOAD
        retry_after = error.after if isinstance(error, TryAgainError) else None
        self.next_probe = now + max(retry_after or 0.0, backoff(self._waits, max_wait))
