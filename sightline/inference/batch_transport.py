"""Batch transport: uploads batch files, submits them, polls with growing intervals, and downloads the results."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from time import monotonic
from typing import TypeVar

from sightline.core.config import RunConfig
from sightline.core.errors import AllFailingError, AskError, RunStoppedError, TryAgainError, UnreachableError
from sightline.core.remarks import Remark
from sightline.inference.batch_files import BatchFile, BatchFiles
from sightline.inference.circuit_breaker import UNREACHED_OUTAGE, backoff
from sightline.models.batch_client import BatchClient, BatchStatus

FIRST_POLL = 2.0
_REPORT_OUTAGE_AFTER = 2.0
"""Seconds after which an outage is reported."""
MAX_POLL = 60.0
_ENDED = ("completed", "expired", "cancelled")
_MAX_RESULT_BYTES = 2**30, 2**20
"""Largest accepted file of results: a fixed number of bytes, and a number for each request."""
T = TypeVar("T")
Notify = Callable[[Remark | None], None]


class BatchTransport:
    """Moves batch files through the Batch API. Their state is stored after every call, so that a restart can resume."""

    def __init__(self, client: BatchClient, config: RunConfig, batch_files: BatchFiles, notify: Notify) -> None:
        self._client = client
        self._config = config
        self._batch_files = batch_files
        self._notify = notify
        self._stopped: RunStoppedError | None = None
        self._was_reached = any(batch_file.state != "written" for batch_file in batch_files.pending)

    async def submit(self, batch_file: BatchFile) -> None:
        """Upload a batch file and create a batch of it, or resume where an earlier start was interrupted."""
        if batch_file.state == "written":
            path = self._batch_files.requests_file(batch_file)
            batch_file.file = await self._retry(partial(self._client.upload, path))
            batch_file.state = "uploaded"
            self._batch_files.save()
        batch = await self._find_or_create(batch_file)
        batch_file.batch, batch_file.status, batch_file.state = batch.id, batch.status, "handed in"
        self._batch_files.save()
        # the server has it now, and images take up space
        self._batch_files.requests_file(batch_file).unlink(missing_ok=True)
        args = {"batch": batch_file.batch, "count": batch_file.requests}
        self._notify(Remark("Batch {batch}: {count} requests submitted", args))

    async def _find_or_create(self, batch_file: BatchFile) -> BatchStatus:
        """The batch of the uploaded file: an existing one, if the response that created it was lost, or a new one."""

        async def find_or_create() -> BatchStatus:
            batch = await self._client.find_by_file(batch_file.file)
            return batch or await self._client.create(
                batch_file.file, self._config.batch_window, f"part {batch_file.number}"
            )

        return await self._retry(find_or_create)

    async def submit_pending(self) -> None:
        """Submit all batch files that an interruption or the server's limits have left unsubmitted."""
        for batch_file in self._batch_files.pending:
            if batch_file.state != "handed in":
                await self.submit(batch_file)

    async def results(self) -> AsyncIterator[tuple[BatchFile, bool]]:
        """Poll, and yield each batch file as its batch ends, results downloaded; False if the batch was cancelled."""
        delay = FIRST_POLL
        while pending := [batch_file for batch_file in self._batch_files.pending if batch_file.state == "handed in"]:
            ended = False
            for batch_file in pending:
                status = await self._retry(partial(self._client.retrieve, batch_file.batch))
                batch_file.status = status.status
                if status.status == "failed":
                    self._handle_refusal(batch_file, status)
                elif status.status in _ENDED:
                    await self._download(batch_file, status)
                    yield batch_file, status.status != "cancelled"
                    self._stop_if_cancelled(batch_file)
                    ended = True
            self._batch_files.save()
            self._notify(None)
            if ended and self._stopped is None:
                await self.submit_pending()
            elif not ended:
                await asyncio.sleep(delay)
                delay = min(MAX_POLL, delay * 1.5)

    def raise_if_stopped(self) -> None:
        """Raise the error of a refused or cancelled batch, after the others have ended."""
        if self._stopped is not None:
            raise self._stopped

    def _handle_refusal(self, batch_file: BatchFile, status: BatchStatus) -> None:
        """Handle a batch that the server refused: resubmitted later if a limit was reached, else the run stops."""
        has_others = any(other.state == "handed in" for other in self._batch_files.pending if other is not batch_file)
        if has_others and "limit" in status.why:
            batch_file.state, batch_file.batch = "uploaded", ""
            args = {"number": batch_file.number, "reason": status.why}
            self._notify(Remark("Batch file {number} waits until another batch has finished: {reason}", args))
            return
        self._batch_files.finish(batch_file)
        self._stopped = AllFailingError(
            "The server refused batch {batch}: {why}",
            hint="Fix the reported problem and rerun the same command. If a limit is exceeded, lower --batch-requests.",
            batch=batch_file.batch,
            why=status.why or "–",
        )

    def _stop_if_cancelled(self, batch_file: BatchFile) -> None:
        if batch_file.status == "cancelled":
            self._stopped = RunStoppedError(
                "Batch {batch} was cancelled on the server.",
                hint="Rerun the same command to submit the remaining requests again.",
                batch=batch_file.batch,
            )

    async def _download(self, batch_file: BatchFile, status: BatchStatus) -> None:
        base, per_request = _MAX_RESULT_BYTES
        for kind, file in (("output", status.output_file_id), ("error", status.error_file_id)):
            if not file:
                continue
            to = self._batch_files.results_file(batch_file, kind)
            download = partial(self._client.download, file, to, base + per_request * batch_file.requests)
            if not await self._retry(download):
                self._notify(
                    Remark("Batch {batch}: the results are too large and were truncated.", {"batch": batch_file.batch})
                )

    async def _retry(self, call: Callable[[], Awaitable[T]]) -> T:
        """Call with retries and exponential backoff; an outage that lasts too long stops the run, not the batches."""
        tries, first_failed, is_reported = 0, 0.0, False
        while True:
            try:
                result = await call()
                self._was_reached = True
                return result
            except TryAgainError as error:
                tries += 1
                first_failed = first_failed or monotonic()
                self._was_reached = self._was_reached or error.kind != "unreachable"
                max_outage = self._config.max_outage if self._was_reached else UNREACHED_OUTAGE
                if monotonic() - first_failed >= max_outage:
                    raise UnreachableError(
                        "Lost the connection to the Batch API: {why}",
                        hint="Submitted batches continue on the server. Rerun the same command to collect the results.",
                        why=str(error),
                    ) from None
                if not is_reported and monotonic() - first_failed >= _REPORT_OUTAGE_AFTER:
                    is_reported = True
                    args = {"server": self._client.server, "reason": str(error)}
                    self._notify(Remark("{server} is unavailable; retrying: {reason}", args))
                await asyncio.sleep(max(backoff(tries), error.after or 0.0))
            except AskError as error:
                raise AllFailingError(
                    "The server rejected the Batch API request: {why}",
                    hint="Fix the reported problem, or run without --batch.",
                    why=str(error),
                ) from None
