"""Session of one sample: turns of an attempt, retries of a request, new attempts after feedback; all journaled."""

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
    exception_remark,
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
"""Kinds of failure that never count against a sample, however many there are."""
_EXTRA_TRIES = {"rate_limited": 10, "overloaded": 3}
"""Factors on the number of tries while the server answers other requests: under load, refusals are random."""
GradeAttempt = Callable[[Suite, Sample, Attempt], Grade]


class SessionContext(Struct, kw_only=True):
    """What all sample sessions of a run share."""

    suite: Suite
    config: RunConfig
    journal: JournalWriter
    balancer: LoadBalancer
    budget: Budget
    progress: RunProgress
    grade: GradeAttempt


class SampleSession:
    """Completes one sample, starting from the attempts that an earlier start of the run has journaled."""

    def __init__(self, context: SessionContext, position: int, sample: Sample, attempts: list[Attempt]) -> None:
        self._context = context
        self._position = position
        self._sample = sample
        self._attempts = attempts
        self._has_failed_before = any(attempt.failure is not None for attempt in attempts)
        self._has_sent = False

    async def run(self) -> None:
        """Make attempts until the answer is correct, no attempts are left, or a request fails permanently."""
        context = self._context
        grade: Grade | None = None
        for number in range(1, context.config.max_retries + 2):
            feedback = context.suite.feedback(self._sample, grade) if grade is not None else ""
            if feedback is None:
                return
            if len(self._attempts) < number:
                self._attempts.append(Attempt())
            attempt = self._attempts[number - 1]
            await self._complete_attempt(number, feedback)
            is_deferred = context.suite.defers_grading(self._sample) and not context.config.max_retries
            grade = None if is_deferred else context.grade(context.suite, self._sample, attempt)
            if number == 1:
                self._count_sample(attempt, grade)
            if attempt.failure is not None or grade is None or grade.score >= 1:
                return

    async def _complete_attempt(self, number: int, feedback: str) -> None:
        """Request the turns that an attempt still lacks."""
        context, attempt = self._context, self._attempts[number - 1]
        while (prompt := context.suite.next_prompt(self._sample, attempt.answers)) is not None:
            turn = len(attempt.answers) + 1
            prompt = build_prompt(prompt, turn, context.config.blind, feedback, self._attempts[number - 2].answers)
            self._has_sent = True
            outcome = await self._send_with_retries(prompt, number, turn)
            if isinstance(outcome, Failure):
                attempt.failure = outcome
                return
            attempt.failure = None
            attempt.answers.append(outcome)

    async def _send_with_retries(self, prompt: Prompt, attempt: int, turn: int) -> Answer | Failure:
        """Send one request with retries, each to an available server."""
        context, balancer = self._context, self._context.balancer
        request = Request(prompt, self._sample, context.suite, attempt, turn)
        first_failed = 0.0
        tries = 1
        tried: list[Backend] = []
        while True:
            slot = await self._acquire(tried)
            backend = slot.backend
            started = monotonic()
            tokens = 0
            try:
                context.budget.reserve(balancer.in_flight - 1)
                backend.requests += 1
                reply = await backend.model.ask(request)
                tokens = 0 if reply.cached else reply.tokens_in + reply.tokens_out
                answer = self._answer(reply, backend.model.name, attempt, turn, tries, monotonic() - started)
                context.journal.write(answer)
                self._record_reply(answer, reply, backend, request)
                return answer
            except (AskError, MediaError, AccessError) as error:
                ask_error = _as_ask_error(error)
                write_failure = partial(self._write_failure, ask_error, attempt, turn, tries, monotonic() - started)
                try:
                    self._record_failure(slot, error)
                except RunStoppedError:
                    write_failure(False)
                    raise
            finally:
                balancer.release(slot, tokens)
            first_failed = first_failed or started
            tried.append(backend)
            is_final = self._is_final(ask_error, tries, first_failed, tried)
            if is_final and backend.breaker.needs_known_good:
                # is only this request refused, or all of them? In the latter case the run stops and no sample fails
                balancer.release(await self._acquire([]))
            failure = write_failure(is_final)
            if is_final:
                return failure
            tries += ask_error.kind not in _NEVER_COUNTED
            if not balancer.has_another(tried):
                tried.clear()
                if not backend.breaker.is_open:  # otherwise the load balancer schedules the next probe
                    await balancer.pause(_retry_delay(ask_error, tries))

    def _record_failure(self, slot: Slot, error: AskError | MediaError | AccessError) -> None:
        """Report a failure to the load balancer, unless it is one of the data, which says nothing about the server."""
        balancer = self._context.balancer
        if isinstance(error, AccessError):
            balancer.record_refusal(slot, error)
        elif isinstance(error, AskError):
            sample_id = "" if self._has_failed_before else self._sample.id
            balancer.record_failure(slot, error, sample_id)

    async def _acquire(self, tried: list[Backend]) -> Slot:
        """Acquire a slot at a server; one that may be down is probed first, with a known-good request."""
        balancer = self._context.balancer
        while True:
            slot = await balancer.acquire(tried)
            is_usable = False
            try:
                is_usable = not slot.backend.breaker.needs_known_good or await self._probe(slot)
            finally:
                if not is_usable:
                    balancer.release(slot)
            if is_usable:
                return slot

    def _is_final(self, ask_error: AskError, tries: int, first_failed: float, tried: list[Backend]) -> bool:
        """Whether to give up on the request; `tried` are the servers that have failed it since the last pause."""
        balancer = self._context.balancer
        if not isinstance(ask_error, TryAgainError):
            return True
        if ask_error.kind == NO_ACCESS:  # of this request only, where the server answers others
            return tried[-1].refusal is None and not balancer.may_have_another(tried)
        if ask_error.kind in _NEVER_COUNTED or (ask_error.is_of_server and not balancer.has_answered):
            return False
        # in an outage, which the circuit breaker may not yet have detected, no failure counts
        counts = not balancer.has_answered or any(backend.breaker.last_success >= first_failed for backend in tried)
        return counts and tries >= self._context.config.max_tries * _EXTRA_TRIES.get(ask_error.kind, 1)

    async def _probe(self, slot: Slot) -> bool:
        """Resend a request that this server has answered before; whether it is answered now. Raises if refused."""
        context, backend = self._context, slot.backend
        request = backend.known_good
        if request is None:
            return True
        started = monotonic()
        context.budget.reserve(context.balancer.in_flight - 1)
        backend.requests += 1
        try:
            reply = await backend.probe_model.ask(request)
        except MediaError:  # its image is gone: any request serves as the next probe
            backend.known_good = None
            return True
        except TryAgainError as error:
            self._journal_probe(Reply(text=""), monotonic() - started, error)
            context.balancer.record_failure(slot, error)
            return False
        except (RejectedError, AccessError) as error:
            backend.errors += 1
            self._journal_probe(Reply(text=""), monotonic() - started, error)
            context.balancer.exclude(backend, error if isinstance(error, AccessError) else _all_refused(error))
            return False
        self._journal_probe(reply, monotonic() - started)
        context.budget.record_cost(reply.tokens_in, reply.tokens_out)
        context.progress.tokens_in += reply.tokens_in
        context.progress.tokens_out += reply.tokens_out
        context.progress.cost = context.budget.cost
        context.balancer.record_success(backend, request)
        return True

    def _journal_probe(self, reply: Reply, seconds: float, error: AskError | AccessError | None = None) -> None:
        self._context.journal.write(
            Probe(
                kind=getattr(error, "kind", "no_access") if error is not None else "",
                message=str(error or ""),
                tokens_in=reply.tokens_in,
                tokens_out=reply.tokens_out,
                seconds=round(seconds, 4),
                at=round(time(), 3),
            )
        )

    def _answer(self, reply: Reply, model_name: str, attempt: int, turn: int, tries: int, seconds: float) -> Answer:
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
            model=reply.model if reply.model != model_name else "",
        )

    def _write_failure(
        self, error: AskError, attempt: int, turn: int, tries: int, seconds: float, is_final: bool
    ) -> Failure:
        context = self._context
        failure = Failure(
            position=self._position,
            sample=self._sample.id,
            attempt=attempt,
            turn=turn,
            kind=error.kind,
            message=exception_remark(error),
            final=is_final,
            seconds=round(seconds, 4),
            tries=tries,
            at=round(time(), 3),
        )
        context.journal.write(failure)
        context.progress.retried += not is_final
        context.progress.waiting_for = f"{error.kind}: {error}"
        return failure

    def _record_reply(self, answer: Answer, reply: Reply, backend: Backend, request: Request) -> None:
        """Record a reply in the budget, the load balancer and the progress."""
        context = self._context
        if answer.cached:
            context.budget.refund()
            backend.requests -= 1
            context.progress.cached += 1
        else:
            context.balancer.record_success(backend, request)
            context.progress.record_model(reply.model or backend.model.name)
            context.budget.record_cost(answer.tokens_in, answer.tokens_out)
            context.progress.tokens_in += answer.tokens_in
            context.progress.tokens_out += answer.tokens_out
        context.progress.cost = context.budget.cost

    def _count_sample(self, attempt: Attempt, grade: Grade | None) -> None:
        progress = self._context.progress
        if attempt.failure is not None:
            progress.failed += 1
            return
        if self._has_sent:
            progress.answered += 1
        else:
            progress.resumed += 1
        if grade is not None:
            progress.add_grade(grade)


def _all_refused(error: RejectedError) -> AllFailingError:
    return AllFailingError(
        "The server now refuses requests that it answered before: {why}",
        hint="The same command goes on from here once it answers again.",
        why=str(error),
    )


def _as_ask_error(error: AskError | MediaError | AccessError) -> AskError:
    """An error as the failure of one request, as it is journaled."""
    if isinstance(error, MediaError):
        return RejectedError(error.template, "media", **error.arguments)
    if isinstance(error, AccessError):
        return TryAgainError(error.template, NO_ACCESS, **error.arguments)
    return error


def _retry_delay(ask_error: AskError, tries: int) -> float:
    """Seconds before the next try: exponential backoff, or the server's Retry-After if that is longer."""
    if not isinstance(ask_error, TryAgainError):
        return 0.0
    max_wait = LONGEST_WAIT_UNDER_LOAD if ask_error.is_of_server else LONGEST_WAIT
    return max(ask_error.after or 0.0, backoff(tries, max_wait))
