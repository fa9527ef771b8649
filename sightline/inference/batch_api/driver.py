"""The rounds of a run in batches: write what is to be asked, hand it in, look until all is over, take the results.

The journal and the state of the parts say all there is to know: a start after any end goes on from them.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec.structs import replace

from sightline.core.errors import (
    AskError,
    BudgetError,
    JournalError,
    MediaError,
    RejectedError,
    RunStoppedError,
    UsageError,
)
from sightline.core.records import Invalid, Remark, Sample
from sightline.inference.batch_api.batch_files import BatchFile, BatchFiles, BatchFileWriter, BatchRequest
from sightline.inference.batch_api.ingester import BatchIngester
from sightline.inference.batch_api.prompt_planner import PlannedPrompt, PromptPlanner
from sightline.inference.batch_api.results import describe_faults
from sightline.inference.batch_api.transport import BatchTransport
from sightline.inference.budget import Budget
from sightline.inference.journal.reader import JournalReader
from sightline.inference.run_progress import RunProgress
from sightline.inference.runner import InferenceJob
from sightline.inference.stop_signals import InterruptedRun, handle_stop_signals, interruption, run_async
from sightline.models.batch_client import BatchClient
from sightline.models.openai import OpenAIModel


def run_batch_inference(job: InferenceJob, folder: Path) -> tuple[RunProgress, RunStoppedError | None]:
    """Ask by the Batch API until all is asked or the run is stopped."""
    if not isinstance(job.model, OpenAIModel):
        raise UsageError("The model {model} takes no batches.", hint="Leave --batch out.", model=job.model.name)
    tally = RunProgress()
    driver = _Driver(job, job.model, BatchFiles(folder), tally)
    try:
        run_async(lambda: _until_interrupted(driver))
    except RunStoppedError as stopped:
        return tally, stopped
    except (asyncio.CancelledError, KeyboardInterrupt):  # the latter where the loop can't take signals (Windows)
        return tally, _interrupted(driver.parts)
    except OSError as error:
        return tally, JournalError(
            "Can't write into {folder}: {why}",
            hint="Make room or mend the rights, then give the same command again: it goes on where it stopped.",
            folder=folder,
            why=error.strerror or error,
        )
    return tally, None


async def _until_interrupted(driver: _Driver) -> None:
    task = asyncio.current_task()
    assert task is not None, "a coroutine runs in a task"
    with handle_stop_signals(task.cancel):
        await driver.run()


def _interrupted(parts: BatchFiles) -> RunStoppedError:
    if not parts.under_way:
        return interruption()
    return InterruptedRun(
        "Stopped by the user; {count} batches go on at the server.",
        hint="The same command comes back for their replies.",
        count=len(parts.under_way),
    )


class _Driver:
    def __init__(self, job: InferenceJob, model: OpenAIModel, parts: BatchFiles, tally: RunProgress) -> None:
        config = job.config
        share = config.batch_price
        prices = replace(config, price_in=config.price_in * share, price_out=config.price_out * share)
        history = job.history()
        budget = Budget(prices, history.requests, history.tokens_in, history.tokens_out)
        history.close()
        budget.requests += sum(part.requests for part in parts.under_way)
        self.parts = parts
        self._job = job
        self._model = model
        self._tally = tally
        self._course = PromptPlanner(job.suite, config, job.grade)
        self._clerk = BatchIngester(model, job.journal, budget, tally, config.max_tries, {}, set())
        self._post = BatchTransport(BatchClient(model, config.timeout), config, parts, self._tell)
        self._writer: BatchFileWriter | None = None
        self._spent: BudgetError | None = None

    async def run(self) -> None:
        """Round after round, until one has nothing to ask."""
        try:
            await self._post.hand_in_rest()  # of an earlier start
            first = True
            while await self._write_round(first) or self.parts.under_way:
                await self._finish_round()
                first = False
                if self._spent is not None:
                    break
        finally:
            await self._model.close()
            self._job.watch(self._tally)
        if self._spent is not None:
            raise self._spent

    async def _write_round(self, first: bool) -> int:
        """Write and hand in what the samples are to be asked next; how many questions that is."""
        history = self._job.history()
        away = {row.position for part in self.parts.under_way for row in self.parts.rows(part)}
        count = settled = invalid = 0
        try:
            for position, sample in self._job.samples():
                if isinstance(sample, Invalid):
                    invalid += 1
                    continue
                if position in away:  # handed in by an earlier start
                    continue
                question = self._question(position, sample, history)
                if question is None:
                    settled += position not in self._clerk.given_up
                elif await self._add(position, sample, question):
                    count += 1
                if self._spent is not None:
                    break
            await self._close_part()
        finally:
            history.close()
            if self._writer is not None:
                self._writer.abandon()
                self._writer = None
        self._count(first, settled, invalid)
        return count

    def _question(self, position: int, sample: Sample, history: JournalReader) -> PlannedPrompt | None:
        if position in self._clerk.given_up:
            return None
        return self._course.next_question(sample, history.of(position, sample.id))

    def _count(self, first: bool, settled: int, invalid: int) -> None:
        tally = self._tally
        if first:
            tally.kept = settled
        tally.answered = settled - tally.kept
        tally.invalid = invalid
        tally.failed = len(self._clerk.given_up)
        self._job.watch(tally)

    async def _add(self, position: int, sample: Sample, question: PlannedPrompt) -> bool:
        """Put one question into the part that is being written; False where it can't be asked."""
        tries = self._clerk.tries.get(position, 0) + 1
        row = BatchRequest(
            position=position, sample=sample.id, attempt=question.attempt, turn=question.turn, tries=tries
        )
        try:
            self._clerk.budget.take(0)
            body = await self._model.body(question.prompt)
            if not self._open_writer().add(row, body):
                await self._close_part()
                self._open_writer().add(row, body)
        except BudgetError as spent:
            self._spent = spent
            return False
        except (MediaError, AskError) as error:
            problem = error if isinstance(error, AskError) else RejectedError(error.template, "media", **error.facts)
            self._clerk.failed(row, problem)
            return False
        return True

    def _open_writer(self) -> BatchFileWriter:
        if self._writer is None:
            config = self._job.config
            self._writer = self.parts.writer(config.batch_requests, round(config.batch_megabytes * 1e6))
        return self._writer

    async def _close_part(self) -> None:
        """Hand in what is full while the rest is being written."""
        if self._writer is None:
            return
        writer, self._writer = self._writer, None
        if (part := writer.close()) is not None:
            await self._post.hand_in(part)

    async def _finish_round(self) -> None:
        """Look until all parts are over, and take what they brought."""
        async for part, complete in self._post.results():
            await asyncio.to_thread(self._take, part, complete)
        self._post.raise_if_stopped()

    def _take(self, part: BatchFile, complete: bool) -> None:
        rows = {row.custom_id: row for row in self.parts.rows(part)}
        files = [self.parts.results_file(part, kind) for kind in ("output", "error")]
        history = self._job.history()
        try:
            counts, faults = self._clerk.take(rows, [path for path in files if path.exists()], history, complete)
        finally:
            history.close()
        self.parts.finish(part)
        facts = {"batch": part.batch, "answers": counts["answers"], "failures": counts["failures"]}
        self._tell(Remark("Batch {batch} is over: {answers} answers, {failures} failures", facts))
        for remark in describe_faults(part.batch, faults):
            self._tell(remark)

    def _tell(self, remark: Remark | None = None) -> None:
        if remark is not None:
            self._tally.notices.append(remark)
        self._tally.in_flight = sum(part.requests for part in self.parts.under_way)
        self._job.watch(self._tally)
