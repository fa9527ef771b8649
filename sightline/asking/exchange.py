"""Which of several servers is asked next: who is free. One that fails is set aside and tried again after a pause."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Sequence
from time import monotonic

from sightline.asking.pace import Pace
from sightline.contracts import Model
from sightline.errors import AccessError, AskError, TryAgainError, UnreachableError
from sightline.records import Remark

FIRST_PAUSE = 5.0
LONGEST_PAUSE = 300.0
_IN_A_ROW = 5
"""So many failures without a reply between them set a server aside."""
_PAUSES_AT_FIRST, _PAUSES_LATER = 2, 5
"""A run ends when every server has been set aside so often in a row: before any reply has come, and after."""
_SERVER_AT_FAULT = frozenset({"timeout", "server_error", "overloaded", "reset", "malformed"})


class Line:
    """One server: its own pace, its own rests, its own counts."""

    def __init__(self, model: Model, pace: Pace, most: int = 1, name: str = "") -> None:
        self.model = model
        self.pace = pace
        self.most = most
        self.name = name
        self.requests = 0
        self.errors = 0
        self.failures_in_a_row = 0
        self.pauses = 0
        self.resting_until = 0.0
        self.refused: AccessError | None = None


class Exchange:
    """Gives each request the line that is least busy. With a single line it only keeps that line's pace."""

    def __init__(
        self,
        lines: Sequence[Line],
        tell: Callable[[Remark], None] = lambda remark: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.lines = list(lines)
        self._tell = tell
        self._clock = clock
        self._waiting: deque[tuple[asyncio.Future[Line], Collection[Line]]] = deque()
        self._answered = False
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def several(self) -> bool:
        """Whether a request may be asked elsewhere."""
        return len(self.lines) > 1

    @property
    def in_flight(self) -> int:
        """Requests under way on all lines."""
        return sum(line.pace.in_flight for line in self.lines)

    async def enter(self, tried: Collection[Line] = ()) -> tuple[Line, int]:
        """Wait for a place on a line, if possible on one that has not been tried; also the epoch of its pace."""
        line = None if self._waiting else self._choose(tried)
        if line is not None:
            line.pace.take()
        else:
            line = await self._wait(tried)
        try:
            return line, await line.pace.start()
        except BaseException:
            self.leave(line)
            raise

    def leave(self, line: Line, tokens: int = 0) -> None:
        """Give the place back."""
        line.pace.leave(tokens)
        self._wake()

    def succeeded(self, line: Line) -> None:
        """A reply came over this line."""
        self._answered = True
        line.failures_in_a_row = line.pauses = 0
        line.refused = None
        line.pace.succeeded()
        self._wake()

    def failed(self, line: Line, problem: AskError, epoch: int) -> bool:
        """Slow the line down or set it aside; True where the request had no chance there and may go elsewhere."""
        line.errors += 1
        line.failures_in_a_row += 1
        if isinstance(problem, TryAgainError) and problem.is_congestion:
            line.pace.congested(epoch)
        if not self.several or not isinstance(problem, TryAgainError):
            return False
        if problem.kind == "unreachable":
            self._set_aside(line, str(problem))
            return True
        if problem.kind in _SERVER_AT_FAULT and line.failures_in_a_row >= _IN_A_ROW:
            self._set_aside(line, str(problem))
        elif problem.after is not None:
            line.resting_until = max(line.resting_until, self._clock() + problem.after)
        return False

    def refused(self, line: Line, error: AccessError) -> TryAgainError:
        """The line has no access: others may; raises where none has."""
        line.errors += 1
        line.refused = error
        if all(one.refused is not None for one in self.lines):
            raise error
        self._set_aside(line, str(error).partition("\n")[0])
        return TryAgainError(error.template, "no_access", **error.facts)

    def has_another(self, tried: Collection[Line]) -> bool:
        """Whether a line is awake that has not been tried."""
        now = self._clock()
        return any(line not in tried and line.resting_until <= now for line in self.lines)

    def _set_aside(self, line: Line, why: str) -> None:
        if line.resting_until > self._clock():
            return  # by another request that was under way
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**line.pauses)
        line.pauses += 1
        line.failures_in_a_row = 0
        line.resting_until = self._clock() + pause
        line.pace.begin_again()
        facts = {"server": line.name, "seconds": round(pause), "reason": why}
        self._tell(Remark("{server} is set aside for {seconds} s: {reason}", facts))
        enough = _PAUSES_LATER if self._answered else _PAUSES_AT_FIRST
        if all(one.pauses >= enough or one.refused is not None for one in self.lines):
            raise UnreachableError(
                "None of the {count} servers answers; the last one: {why}",
                hint="Are the servers running, and are their addresses right? The same command goes on from here.",
                count=len(self.lines),
                why=why,
            )

    def _choose(self, tried: Collection[Line]) -> Line | None:
        """The least busy line that is awake; one that has failed this request only where no other is awake."""
        if not self.several:
            return self.lines[0] if self.lines[0].pace.free > 0 else None
        now = self._clock()
        awake = [line for line in self.lines if line.resting_until <= now]
        fresh = [line for line in awake if line not in tried]
        free = [line for line in fresh or awake if line.pace.free > 0]
        return min(free, key=lambda line: (line.pace.delay, line.pace.in_flight / line.pace.window), default=None)

    async def _wait(self, tried: Collection[Line]) -> Line:
        place: asyncio.Future[Line] = asyncio.get_running_loop().create_future()
        self._waiting.append((place, tried))
        self._wake()  # those before may wait for one line, and this one for any
        self._set_alarm()
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.leave(place.result())
            raise

    def _wake(self) -> None:
        """Give free places to those that wait, the first first."""
        left: deque[tuple[asyncio.Future[Line], Collection[Line]]] = deque()
        while self._waiting and any(line.pace.free > 0 for line in self.lines):
            place, tried = self._waiting.popleft()
            if place.done():
                continue
            line = self._choose(tried)
            if line is None:
                left.append((place, tried))
                if not tried:
                    break  # who takes any line finds none: nor will those behind
            else:
                line.pace.take()
                place.set_result(line)
        left.extend(self._waiting)
        self._waiting = left

    def _set_alarm(self) -> None:
        """Somebody waits: look again when the next line has rested."""
        now = self._clock()
        resting = [line.resting_until - now for line in self.lines if line.resting_until > now]
        if resting and self._alarm is None:
            self._alarm = asyncio.get_running_loop().call_later(min(1.0, min(resting) + 0.01), self._rested)

    def _rested(self) -> None:
        self._alarm = None
        self._wake()
        if self._waiting:
            self._set_alarm()
