"""Batch inference driver: rounds of writing requests, submitting batches, polling, and ingesting results.

The journal and the stored state of the batch files hold the whole state: a restart resumes from them.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec.structs import replace

from sightline.core.errors import AskError, BudgetError, MediaError, RunStoppedError, UsageError
from sightline.core.records import Invalid, Sample
from sightline.core.remarks import Remark
from sightline.inference.batch_files import BatchFile, BatchFiles, BatchFileWriter
from sightline.inference.batch_results import BatchIngester, describe_faults
from sightline.inference.batch_transport import BatchTransport
from sightline.inference.budget import Budget
from sightline.inference.journal import JournalReader, RequestKey, write_error
from sightline.inference.prompts import PendingPrompt, pending_prompts
from sightline.inference.repeats import set_repeat_seed
from sightline.inference.run_progress import RunProgress
from sightline.inference.runner import InferenceJob
from sightline.inference.sample_session import as_ask_error
from sightline.inference.stop_signals import InterruptedRun, handle_stop_signals, interruption, run_async
from sightline.models.batch_client import BatchClient
from sightline.models.openai import OpenAIModel


def run_batch_inference(job: InferenceJob, folder: Path) -> tuple[RunProgress, RunStoppedError | None]:
    """Run inference by the Batch API until every sample is done or the run is stopped."""
    if not isinstance(job.model, OpenAIModel):
        raise UsageError(
            "The model {model} does not support the Batch API.", hint="Run without --batch.", model=job.model.name
        )
    progress = RunProgress()
    driver = _Driver(job, job.model, BatchFiles(folder), progress)
    try:
        run_async(driver.run)
    except RunStoppedError as stopped:
        return progress, stopped
    except (asyncio.CancelledError, KeyboardInterrupt):  # the latter where the loop can't take signals (Windows)
        return progress, _interruption_error(driver.batch_files)
    except OSError as error:
        return progress, write_error(folder, error)
    return progress, None


def _interruption_error(batch_files: BatchFiles) -> RunStoppedError:
    if not batch_files.pending:
        return interruption()
    return InterruptedRun(
        "Stopped by the user; {count} batches continue on the server.",
        hint="Rerun the same command to collect the results.",
        count=len(batch_files.pending),
    )


class _Driver:
    def __init__(self, job: InferenceJob, model: OpenAIModel, batch_files: BatchFiles, progress: RunProgress) -> None:
        config = job.config
        price_factor = config.batch_price
        prices = replace(config, price_in=config.price_in * price_factor, price_out=config.price_out * price_factor)
        reader = job.open_journal()
        budget = Budget(prices, reader.counts)
        reader.close()
        budget.requests += sum(batch_file.requests for batch_file in batch_files.pending)
        self.batch_files = batch_files
        self._job = job
        self._model = model
        self._progress = progress
        self._ingester = BatchIngester(model, job.journal, budget, progress, config.max_tries, {}, set())
        self._transport = BatchTransport(BatchClient(model, config.timeout), config, batch_files, self._notify)
        self._writer: BatchFileWriter | None = None
        self._budget_error: BudgetError | None = None

    async def run(self) -> None:
        """Run rounds until one has no request to write, or until interrupted."""
        task = asyncio.current_task()
        assert task is not None, "a coroutine runs in a task"
        try:
            with handle_stop_signals(task.cancel):
                await self._run_rounds()
        finally:
            await self._model.close()
            self._job.report(self._progress)
        if self._budget_error is not None:
            raise self._budget_error

    async def _run_rounds(self) -> None:
        await self._transport.submit_pending()  # of an earlier start
        first = True
        while await self._write_round(first) or self.batch_files.pending:
            await self._finish_round()
            first = False
            if self._budget_error is not None:
                break

    async def _write_round(self, first: bool) -> int:
        """Write and submit the next prompt of every sample; returns the number of requests."""
        reader = self._job.open_journal()
        submitted = {
            (request.position, request.repeat)
            for batch_file in self.batch_files.pending
            for request in self.batch_files.requests(batch_file)
        }
        count = finished = invalid = 0
        try:
            for position, sample in self._job.samples():
                for repeat in range(1, self._job.config.repeats + 1):
                    if isinstance(sample, Invalid):
                        invalid += 1
                        continue
                    if (position, repeat) in submitted:  # submitted by an earlier start
                        continue
                    pending = self._next_prompt(position, sample, repeat, reader)
                    if pending is None:
                        finished += (position, repeat) not in self._ingester.given_up
                    elif await self._add(position, sample, repeat, pending):
                        count += 1
                    if self._budget_error is not None:
                        break
                if self._budget_error is not None:
                    break
            await self._submit_written()
        finally:
            reader.close()
            if self._writer is not None:
                self._writer.abandon()
                self._writer = None
        self._count(first, finished, invalid)
        return count

    def _next_prompt(self, position: int, sample: Sample, repeat: int, reader: JournalReader) -> PendingPrompt | None:
        """The next prompt of a sample, determined from the journal alone, so that a restart needs no other state."""
        if (position, repeat) in self._ingester.given_up:
            return None
        job, attempts = self._job, reader.attempts(position, sample.id, repeat)
        return next(pending_prompts(job.suite, sample, attempts, job.config, job.grade), None)

    def _count(self, first: bool, finished: int, invalid: int) -> None:
        progress = self._progress
        if first:
            progress.resumed = finished
        progress.answered = finished - progress.resumed
        progress.invalid = invalid
        progress.failed = len(self._ingester.given_up)
        self._job.report(progress)

    async def _add(self, position: int, sample: Sample, repeat: int, pending: PendingPrompt) -> bool:
        """Add one request to the batch file that is being written; False if it can't be built or sent."""
        request = RequestKey(
            position=position,
            sample=sample.id,
            repeat=repeat,
            attempt=pending.attempt,
            turn=pending.turn,
            tries=self._ingester.tries.get((position, repeat), 0) + 1,
        )
        try:
            self._ingester.budget.reserve(0)
            encoded = await self._model.encode(pending.prompt)
            request = replace(request, pictures=encoded.pictures)
            body = set_repeat_seed(encoded.body, repeat)
            if not self._open_writer().add(request, body):
                await self._submit_written()
                self._open_writer().add(request, body)
        except BudgetError as spent:
            self._budget_error = spent
            return False
        except (MediaError, AskError) as error:
            self._ingester.record_failure(request, as_ask_error(error))
            return False
        return True

    def _open_writer(self) -> BatchFileWriter:
        if self._writer is None:
            config = self._job.config
            self._writer = self.batch_files.writer(config.batch_requests, round(config.batch_megabytes * 1e6))
        return self._writer

    async def _submit_written(self) -> None:
        """Submit the batch file that is being written, so that it is processed while the next is written."""
        if self._writer is None:
            return
        writer, self._writer = self._writer, None
        if (batch_file := writer.close()) is not None:
            await self._transport.submit(batch_file)

    async def _finish_round(self) -> None:
        """Poll until all batches have ended, and ingest their results."""
        async for batch_file, complete in self._transport.results():
            await asyncio.to_thread(self._ingest, batch_file, complete)
        self._transport.raise_if_stopped()

    def _ingest(self, batch_file: BatchFile, complete: bool) -> None:
        requests = {request.custom_id: request for request in self.batch_files.requests(batch_file)}
        files = [self.batch_files.results_file(batch_file, kind) for kind in ("output", "error")]
        reader = self._job.open_journal()
        try:
            counts, faults = self._ingester.ingest(
                requests, [path for path in files if path.exists()], reader, complete
            )
        finally:
            reader.close()
        self.batch_files.finish(batch_file)
        args = {"batch": batch_file.batch, "answers": counts["answers"], "failures": counts["failures"]}
        self._notify(Remark("Batch {batch} finished: {answers} answers, {failures} failures", args))
        for remark in describe_faults(batch_file.batch, faults):
            self._notify(remark)

    def _notify(self, remark: Remark | None = None) -> None:
        if remark is not None:
            self._progress.notices.append(remark)
        self._progress.in_flight = sum(batch_file.requests for batch_file in self.batch_files.pending)
        self._job.report(self._progress)
