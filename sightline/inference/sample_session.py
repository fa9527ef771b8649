"""One sample's course: turns within an attempt, tries of a request, attempts after feedback; every step journaled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import monotonic, time

from msgspec import Struct

from sightline.core.config import RunConfig
from sightline.core.errors import (
    LOCAL_SHORTAGE,
    AccessError,
    AllFailingError,
    AskError,
    MediaError,
    RejectedError,
    RunStoppedError,
    TryAgainError,
)
from sightline.core.interfaces import Request, Suite
from sightline.core.records import Answer, Attempt, Failure, Grade, Probe, Prompt, Reply, Sample
from sightline.inference.budget import Budget
from sightline.inference.circuit_breaker import LONGEST_WAIT, LONGEST_WAIT_UNDER_LOAD, NO_ACCESS, backoff
from sightline.inference.journal.writer import JournalWriter
from sightline.inference.load_balancer import Backend, LoadBalancer, Slot
from sightline.inference.prompt_builder import build_prompt
from sightline.inference.run_progress import RunProgress

_NEVER_COUNTED = ("unreachable", LOCAL_SHORTAGE, NO_ACCESS)
"""Failures that are never the sample's, however many there are."""
_EXTRA_TRIES = {"rate_limited": 10, "overloaded": 3}
"""So many times more tries, while the server answers others: under load, refusals hit samples by chance."""
GradeAttempt = Callable[[Suite, Sample, Attempt], Grade]


class SessionContext(Struct, kw_only=True):
    """What every conversation of a run shares."""

    suite: Suite
    config: RunConfig
    journal: JournalWriter
    balancer: LoadBalancer
    budget: Budget
    tally: RunProgress
    grade: GradeAttempt


class SampleSession:
    """Brings one sample to its end, from wherever an earlier start of the run left it."""

    def __init__(self, desk: SessionContext, position: int, sample: Sample, past: list[Attempt]) -> None:
        self._desk = desk
        self._position = position
        self._sample = sample
        self._attempts = past
        self._has_failed_before = any(attempt.failure is not None for attempt in past)
        self._asked = False

    async def run(self) -> None:
        """Attempt until the answer is right, the attempts are used up, or a request fails for good."""
        desk = self._desk
        grade: Grade | None = None
        for number in range(1, desk.config.max_retries + 2):
            feedback = desk.suite.feedback(self._sample, grade) if grade is not None else ""
            if feedback is None:
                return
            if len(self._attempts) < number:
                self._attempts.append(Attempt())
            attempt = self._attempts[number - 1]
            await self._complete(number, feedback)
            waits = desk.suite.is_costly(self._sample) and not desk.config.max_retries
            grade = None if waits else desk.grade(desk.suite, self._sample, attempt)
            if number == 1:
                self._count(attempt, grade)
            if attempt.failure is not None or grade is None or grade.score >= 1:
                return

    async def _complete(self, number: int, feedback: str) -> None:
        """Ask the turns that an attempt still lacks."""
        desk, attempt = self._desk, self._attempts[number - 1]
        while (prompt := desk.suite.turn(self._sample, attempt.answers)) is not None:
            turn = len(attempt.answers) + 1
            prompt = build_prompt(prompt, turn, desk.config.blind, feedback, self._attempts[number - 2].answers)
            self._asked = True
            outcome = await self._ask(prompt, number, turn)
            if isinstance(outcome, Failure):
                attempt.failure = outcome
                return
            attempt.failure = None
            attempt.answers.append(outcome)

    async def _ask(self, prompt: Prompt, attempt: int, turn: int) -> Answer | Failure:
        """One request with all its tries, each at the server that is free."""
        desk, balancer = self._desk, self._desk.balancer
        request = Request(prompt, self._sample, desk.suite, attempt, turn)
        first_failed = 0.0
        tries = 1
        tried: list[Backend] = []
        while True:
            slot = await self._acquire(tried)
            backend = slot.backend
            started = monotonic()
            tokens = 0
            try:
                desk.budget.take(balancer.in_flight - 1)
                backend.requests += 1
                reply = await backend.model.ask(request)
                tokens = 0 if reply.cached else reply.tokens_in + reply.tokens_out
                answer = self._answer(reply, backend.model.name, attempt, turn, tries, monotonic() - started)
                desk.journal.write(answer)
                self._book(answer, reply, backend, request)
                return answer
            except (AskError, MediaError, AccessError) as error:
                problem = _as_ask_error(error)
                note = partial(self._note, problem, attempt, turn, tries, monotonic() - started)
                try:
                    self._record_failure(slot, error)
                except RunStoppedError:
                    note(False)
                    raise
            finally:
                balancer.release(slot, tokens)
            first_failed = first_failed or started
            tried.append(backend)
            is_last = self._is_last(problem, tries, first_failed, tried)
            if is_last and backend.breaker.needs_known_good:
                # refused for good, or is it everything that is refused? In that case the run stops, and nothing fails
                balancer.release(await self._acquire([]))
            failure = note(is_last)
            if is_last:
                return failure
            tries += problem.kind not in _NEVER_COUNTED
            if not balancer.has_another(tried):
                tried.clear()
                if not backend.breaker.is_open:  # else the balancer knows when
                    await balancer.pause(_wait_before_next(problem, tries))

    def _record_failure(self, slot: Slot, error: AskError | MediaError | AccessError) -> None:
        """Let the balancer learn from a failure; one of the data says nothing about the server."""
        balancer = self._desk.balancer
        if isinstance(error, AccessError):
            balancer.record_refusal(slot, error)
        elif isinstance(error, AskError):
            fresh = "" if self._has_failed_before else self._sample.id
            balancer.record_failure(slot, error, fresh)

    async def _acquire(self, tried: list[Backend]) -> Slot:
        """A slot at a server; one under suspicion is probed first, by a request that it has answered before."""
        balancer = self._desk.balancer
        while True:
            slot = await balancer.acquire(tried)
            is_fit = False
            try:
                is_fit = not slot.backend.breaker.needs_known_good or await self._probe(slot)
            finally:
                if not is_fit:
                    balancer.release(slot)
            if is_fit:
                return slot

    def _is_last(self, problem: AskError, tries: int, first_failed: float, tried: list[Backend]) -> bool:
        """Whether to give the request up; `tried` are the servers that have failed it since the last pause."""
        balancer = self._desk.balancer
        if not isinstance(problem, TryAgainError):
            return True
        if problem.kind == NO_ACCESS:  # of this request only, where the server answers others
            return tried[-1].refusal is None and not balancer.may_have_another(tried)
        if problem.kind in _NEVER_COUNTED or (problem.is_of_server and not balancer.has_answered):
            return False
        # in an outage, which the breaker may not yet have found out about, no failure counts
        counts = not balancer.has_answered or any(one.breaker.last_success >= first_failed for one in tried)
        return counts and tries >= self._desk.config.max_tries * _EXTRA_TRIES.get(problem.kind, 1)

    async def _probe(self, slot: Slot) -> bool:
        """Send a request again that this server has answered; whether it does so now. Raises where it refuses it."""
        desk, backend = self._desk, slot.backend
        request = backend.known_good
        if request is None:
            return True
        started = monotonic()
        desk.budget.take(desk.balancer.in_flight - 1)
        backend.requests += 1
        try:
            reply = await backend.probe_model.ask(request)
        except MediaError:  # its picture is gone: the next request has to do
            backend.known_good = None
            return True
        except TryAgainError as error:
            self._journal_probe(Reply(text=""), monotonic() - started, error)
            desk.balancer.record_failure(slot, error)
            return False
        except (RejectedError, AccessError) as error:
            backend.errors += 1
            self._journal_probe(Reply(text=""), monotonic() - started, error)
            desk.balancer.refuse(backend, error if isinstance(error, AccessError) else _refuses_all(error))
            return False
        self._journal_probe(reply, monotonic() - started)
        desk.budget.pay(reply.tokens_in, reply.tokens_out)
        desk.tally.tokens_in += reply.tokens_in
        desk.tally.tokens_out += reply.tokens_out
        desk.tally.cost = desk.budget.cost
        desk.balancer.record_success(backend, request)
        return True

    def _journal_probe(self, reply: Reply, seconds: float, error: AskError | AccessError | None = None) -> None:
        self._desk.journal.write(
            Probe(
                kind=getattr(error, "kind", "no_access") if error is not None else "",
                message=str(error or ""),
                tokens_in=reply.tokens_in,
                tokens_out=reply.tokens_out,
                seconds=round(seconds, 4),
                at=round(time(), 3),
            )
        )

    def _answer(self, reply: Reply, asked: str, attempt: int, turn: int, tries: int, seconds: float) -> Answer:
        return Answer(
            position=self._position,
            sample=self._sample.id,
            attempt=attempt,
            turn=turn,
            text=reply.text,
            stop=reply.stop,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            seconds=round(seconds, 4),
            tries=tries,
            cached=reply.cached,
            at=round(time(), 3),
            model=reply.model if reply.model != asked else "",
        )

    def _note(self, error: AskError, attempt: int, turn: int, tries: int, seconds: float, is_last: bool) -> Failure:
        desk = self._desk
        failure = Failure(
            position=self._position,
            sample=self._sample.id,
            attempt=attempt,
            turn=turn,
            kind=error.kind,
            message=str(error),
            final=is_last,
            seconds=round(seconds, 4),
            tries=tries,
            at=round(time(), 3),
        )
        desk.journal.write(failure)
        desk.tally.retried += not is_last
        desk.tally.waiting_for = f"{error.kind}: {error}"
        return failure

    def _book(self, answer: Answer, reply: Reply, backend: Backend, request: Request) -> None:
        """Count a reply everywhere."""
        desk = self._desk
        if answer.cached:
            desk.budget.give_back()
            backend.requests -= 1
            desk.tally.cached += 1
        else:
            desk.balancer.record_success(backend, request)
            desk.tally.record_model(reply.model or backend.model.name)
            desk.budget.pay(answer.tokens_in, answer.tokens_out)
            desk.tally.tokens_in += answer.tokens_in
            desk.tally.tokens_out += answer.tokens_out
        desk.tally.cost = desk.budget.cost

    def _count(self, attempt: Attempt, grade: Grade | None) -> None:
        tally = self._desk.tally
        if attempt.failure is not None:
            tally.failed += 1
            return
        if self._asked:
            tally.answered += 1
        else:
            tally.kept += 1
        if grade is not None:
            tally.take(grade)


def _refuses_all(error: RejectedError) -> AllFailingError:
    return AllFailingError(
        "The server now refuses requests that it answered before: {why}",
        hint="The same command goes on from here once it answers again.",
        why=str(error),
    )


def _as_ask_error(error: AskError | MediaError | AccessError) -> AskError:
    """The failure of one request, as the journal keeps it."""
    if isinstance(error, MediaError):
        return RejectedError(error.template, "media", **error.facts)
    if isinstance(error, AccessError):
        return TryAgainError(error.template, NO_ACCESS, **error.facts)
    return error


def _wait_before_next(problem: AskError, tries: int) -> float:
    """Seconds before the next try: exponential backoff, or what the server asks for (Retry-After)."""
    if not isinstance(problem, TryAgainError):
        return 0.0
    longest = LONGEST_WAIT_UNDER_LOAD if problem.is_of_server else LONGEST_WAIT
    return max(problem.after or 0.0, backoff(tries, longest))
