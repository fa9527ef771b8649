"""Session of one sample: turns of an attempt, retries of a request, new attempts after feedback; all journaled."""

from __future__ import annotations

from time import monotonic, time

from msgspec import Struct

from sightline.core.config import RunConfig
from sightline.core.errors import (
    ADJUSTED,
    LOCAL_SHORTAGE,
    AccessError,
    AllFailingError,
    AskError,
    MediaError,
    RejectedError,
    RunStoppedError,
    TryAgainError,
)
from sightline.core.interfaces import GradeAttempt, Request, Suite
from sightline.core.records import Answer, Attempt, Failure, Grade, Probe, Reply, Sample
from sightline.inference.budget import Budget
from sightline.inference.circuit_breaker import LONGEST_WAIT, LONGEST_WAIT_UNDER_LOAD, NO_ACCESS, backoff
from sightline.inference.journal import JournalWriter, RequestKey
from sightline.inference.load_balancer import Backend, LoadBalancer, Slot
from sightline.inference.permanent_errors import MINIMAL_PROMPT
from sightline.inference.prompts import PendingPrompt, pending_prompts
from sightline.inference.run_progress import RunProgress

_NEVER_COUNTED = ("unreachable", LOCAL_SHORTAGE, NO_ACCESS, ADJUSTED)
"""Kinds of failure that never count against a sample, however many there are."""
_MAX_ADJUSTMENTS = 8
"""Settings of one request that a server may refuse before the request is given up."""
_EXTRA_TRIES = {"rate_limited": 10, "overloaded": 3}
"""Factors on the number of tries while the server answers other requests: under load, refusals are random."""


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
    """Completes one repeat of a sample, starting from the attempts that an earlier start has journaled."""

    def __init__(
        self, context: SessionContext, position: int, sample: Sample, attempts: list[Attempt], repeat: int = 1
    ) -> None:
        self._context = context
        self._position = position
        self._sample = sample
        self._repeat = repeat
        self._attempts = attempts
        self._has_failed_before = any(attempt.failure is not None for attempt in attempts)
        self._has_sent = self._is_counted = False

    async def run(self) -> None:
        """Send all pending prompts, until a request fails permanently."""
        context, sample = self._context, self._sample
        for pending in pending_prompts(context.suite, sample, self._attempts, context.config, self._grade_attempt):
            self._has_sent = True
            attempt = self._attempts[pending.attempt - 1]
            outcome = await self._send_with_retries(pending)
            if isinstance(outcome, Failure):
                attempt.failure = outcome
                break
            attempt.failure = None
            attempt.answers.append(outcome)
        first = self._attempts[0]
        if not self._is_counted and (first.failure is not None or context.suite.defers_grading(sample)):
            self._count_sample(first, None)
        elif not self._is_counted:
            self._grade_attempt(context.suite, sample, first)

    def _grade_attempt(self, suite: Suite, sample: Sample, attempt: Attempt) -> Grade:
        """Grade an attempt; the grade of the first one counts in the progress."""
        grade = self._context.grade(suite, sample, attempt)
        if not self._is_counted:
            self._count_sample(attempt, grade)
        return grade

    async def _send_with_retries(self, pending: PendingPrompt) -> Answer | Failure:
        """Send one request with retries, each to an available server."""
        context, balancer = self._context, self._context.balancer
        request = Request(pending.prompt, self._sample, context.suite, pending.attempt, pending.turn, self._repeat)
        first_failed = 0.0
        tries, adjustments = 1, 0
        tried: list[Backend] = []
        while True:
            queued_since = monotonic()
            slot = await self._acquire(tried)
            backend = slot.backend
            key = RequestKey(
                position=self._position,
                sample=self._sample.id,
                repeat=self._repeat,
                attempt=pending.attempt,
                turn=pending.turn,
                tries=tries,
            )
            started = monotonic()
            tokens = 0
            try:
                context.budget.reserve(balancer.in_flight - 1)
                backend.requests += 1
                reply = await backend.model.ask(request)
                tokens = 0 if reply.cached else (reply.tokens_in or 0) + (reply.tokens_out or 0)
                answer = key.answer(reply, backend.model.name, monotonic() - started, started - queued_since)
                context.journal.write(answer)
                self._record_reply(reply, backend, request)
                return answer
            except (AskError, MediaError, AccessError) as error:
                ask_error = as_ask_error(error)
                seconds = monotonic() - started
                try:
                    self._record_failure(slot, error, request, started)
                except RunStoppedError:
                    self._write_failure(key.failure(ask_error, False, seconds))
                    raise
            finally:
                balancer.release(slot, tokens)
            adjustments += ask_error.kind == ADJUSTED
            if adjustments > _MAX_ADJUSTMENTS:
                ask_error = RejectedError(ask_error.template, kind="rejected", **ask_error.arguments)
            first_failed = first_failed or started
            tried.append(backend)
            is_final = self._is_final(ask_error, tries, first_failed, tried)
            if is_final and backend.breaker.needs_known_good:
                # is only this request refused, or all of them? In the latter case the run stops and no sample fails
                balancer.release(await self._acquire([]))
            failure = self._write_failure(key.failure(ask_error, is_final, seconds))
            if is_final:
                balancer.give_up(backend, ask_error, self._sample.id)
                return failure
            tries += ask_error.kind not in _NEVER_COUNTED
            if ask_error.kind == ADJUSTED:
                tried.clear()
            elif not balancer.has_another(tried):
                tried.clear()
                if not backend.breaker.is_open:  # otherwise the load balancer schedules the next probe
                    await balancer.pause(_retry_delay(ask_error, tries))

    def _write_failure(self, failure: Failure) -> Failure:
        self._context.journal.write(failure)
        self._context.progress.record_failure(failure)
        return failure

    def _record_failure(
        self, slot: Slot, error: AskError | MediaError | AccessError, request: Request, started: float
    ) -> None:
        """Report a failure to the load balancer, unless it is one of the data, which says nothing about the server."""
        balancer = self._context.balancer
        if isinstance(error, AccessError):
            balancer.record_refusal(slot, error)
        elif isinstance(error, AskError) and error.kind == ADJUSTED:
            slot.backend.errors += 1  # it says nothing about the server or the sample
        elif isinstance(error, AskError):
            sample_id = "" if self._has_failed_before else self._sample.id
            balancer.record_failure(slot, error, sample_id)
            balancer.check_permanent(slot, error, request, started, not self._has_failed_before)

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
        max_tries = tried[-1].permanent_errors.max_tries(ask_error, self._context.config.max_tries)
        return counts and tries >= max_tries * _EXTRA_TRIES.get(ask_error.kind, 1)

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
            if request.prompt is MINIMAL_PROMPT and isinstance(error, RejectedError):
                context.balancer.close_after_refusal(backend)
                return True
            context.balancer.exclude(backend, error if isinstance(error, AccessError) else _all_refused(error))
            return False
        self._journal_probe(reply, monotonic() - started)
        context.progress.record_usage(reply, context.budget)
        context.balancer.record_success(backend, request)
        context.balancer.record_check(backend)
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

    def _record_reply(self, reply: Reply, backend: Backend, request: Request) -> None:
        """Record a reply in the budget, the load balancer and the progress."""
        context = self._context
        if reply.cached:
            context.budget.refund()
            backend.requests -= 1
            context.progress.cached += 1
            context.progress.cost = context.budget.cost
        else:
            context.balancer.record_success(backend, request)
            backend.permanent_errors.record_success(request)
            context.progress.record_model(reply.model or backend.model.name)
            context.progress.record_usage(reply, context.budget)

    def _count_sample(self, attempt: Attempt, grade: Grade | None) -> None:
        self._is_counted = True
        progress = self._context.progress
        if attempt.failure is not None:
            progress.failed += 1
            return
        progress.answered += self._has_sent
        progress.resumed += not self._has_sent
        if grade is not None:
            progress.add_grade(grade)


def _all_refused(error: RejectedError) -> AllFailingError:
    return AllFailingError(
        "The server now rejects requests that it answered before: {why}",
        hint="Rerun the same command to resume once the server accepts requests again.",
        why=str(error),
    )


def as_ask_error(error: AskError | MediaError | AccessError) -> AskError:
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
