"""One sample's course: turns within an attempt, tries of a request, attempts after feedback; every step journaled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic, time

from msgspec import Struct

from sightline.asking.exchange import Exchange, Line
from sightline.asking.feedback import dressed
from sightline.asking.patience import Breaker, Budget, wait_before
from sightline.asking.tally import Tally
from sightline.config import RunConfig
from sightline.contracts import Request, Suite
from sightline.errors import AccessError, AskError, MediaError, RejectedError, TryAgainError
from sightline.records import Answer, Failure, Grade, Prompt, Reply, Sample
from sightline.runs.history import Attempt
from sightline.runs.journal import Journal

GradeAttempt = Callable[[Suite, Sample, Attempt], Grade]


class Desk(Struct, kw_only=True):
    """What every conversation of a run shares."""

    suite: Suite
    config: RunConfig
    journal: Journal
    exchange: Exchange
    budget: Budget
    breaker: Breaker
    tally: Tally
    grade: GradeAttempt


class Conversation:
    """Brings one sample to its end, from wherever an earlier start of the run left it."""

    def __init__(self, desk: Desk, position: int, sample: Sample, past: list[Attempt]) -> None:
        self._desk = desk
        self._position = position
        self._sample = sample
        self._attempts = past
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
            prompt = dressed(prompt, turn, desk.config.blind, feedback, self._attempts[number - 2].answers)
            self._asked = True
            outcome = await self._ask(prompt, number, turn)
            if isinstance(outcome, Failure):
                attempt.failure = outcome
                return
            attempt.failure = None
            attempt.answers.append(outcome)

    async def _ask(self, prompt: Prompt, attempt: int, turn: int) -> Answer | Failure:
        """One request with all its tries, each on the server that is free."""
        desk = self._desk
        request = Request(prompt, self._sample, desk.suite, attempt, turn)
        tries = 0
        tried: list[Line] = []
        while True:
            tries += 1
            started = monotonic()
            line, epoch = await desk.exchange.enter(tried)
            tokens = 0
            had_no_chance = False
            try:
                desk.budget.take(desk.exchange.in_flight - 1)
                line.requests += 1
                reply = await line.model.ask(request)
                tokens = 0 if reply.cached else reply.tokens_in + reply.tokens_out
                answer = self._answer(reply, attempt, turn, tries, monotonic() - started)
                desk.journal.write(answer)
                self._book(answer, line)
                return answer
            except (AskError, MediaError) as error:
                problem = (
                    error if isinstance(error, AskError) else RejectedError(error.template, "media", **error.facts)
                )
                had_no_chance = desk.exchange.failed(line, problem, epoch)
            except AccessError as error:
                problem = desk.exchange.refused(line, error)
                had_no_chance = True
            finally:
                desk.exchange.leave(line, tokens)
            tries -= had_no_chance
            failure = self._note(problem, attempt, turn, tries, monotonic() - started)
            if failure.final:
                desk.breaker.gave_up(problem)
                return failure
            tried.append(line)
            assert isinstance(problem, TryAgainError)
            if not desk.exchange.has_another(tried):
                tried.clear()
                await asyncio.sleep(0 if had_no_chance else wait_before(tries, problem))

    def _answer(self, reply: Reply, attempt: int, turn: int, tries: int, seconds: float) -> Answer:
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
        )

    def _note(self, error: AskError, attempt: int, turn: int, tries: int, seconds: float) -> Failure:
        desk = self._desk
        last = tries >= desk.config.max_tries or not isinstance(error, TryAgainError)
        if not desk.exchange.several:
            desk.breaker.tried(error, tries, last)
        failure = Failure(
            position=self._position,
            sample=self._sample.id,
            attempt=attempt,
            turn=turn,
            kind=error.kind,
            message=str(error),
            final=last,
            seconds=round(seconds, 4),
            tries=max(1, tries),
            at=round(time(), 3),
        )
        desk.journal.write(failure)
        desk.tally.retried += not last
        desk.tally.waiting_for = f"{error.kind}: {error}"
        return failure

    def _book(self, answer: Answer, line: Line) -> None:
        """Count a reply everywhere."""
        desk = self._desk
        desk.exchange.succeeded(line)
        desk.breaker.succeeded()
        if answer.cached:
            desk.budget.give_back()
            line.requests -= 1
            desk.tally.cached += 1
        else:
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
