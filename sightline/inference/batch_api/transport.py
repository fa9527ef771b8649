"""The way of parts to the server and back: uploaded, handed in, looked at with growing patience, downloaded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from time import monotonic
from typing import TypeVar

from sightline.core.config import RunConfig
from sightline.core.errors import AllFailingError, AskError, RunStoppedError, TryAgainError, UnreachableError
from sightline.core.records import Remark
from sightline.inference.batch_api.batch_files import BatchFile, BatchFiles
from sightline.inference.circuit_breaker import UNREACHED_OUTAGE, backoff
from sightline.models.batch_client import BatchClient, BatchStatus

FIRST_POLL = 2.0
_REPORT_OUTAGE_AFTER = 2.0
"""Seconds after which an outage gets a line of its own."""
LONGEST_POLL = 60.0
_ENDED = ("completed", "expired", "cancelled")
_LARGEST = 2**30, 2**20
"""A file of results has at most so many bytes, and so many more for each request."""
T = TypeVar("T")
Notify = Callable[[Remark | None], None]


class BatchTransport:
    """Carries parts. What the server has said is kept before the next word with it."""

    def __init__(self, client: BatchClient, config: RunConfig, parts: BatchFiles, tell: Notify) -> None:
        self._client = client
        self._config = config
        self._parts = parts
        self._tell = tell
        self._stopped: RunStoppedError | None = None
        self._was_reached = any(part.state != "written" for part in parts.under_way)

    async def hand_in(self, part: BatchFile) -> None:
        """Upload a part and make a batch of it, or go on with that where an earlier start left it."""
        if part.state == "written":
            path = self._parts.requests_file(part)
            part.file = await self._patiently(partial(self._client.upload, path))
            part.state = "uploaded"
            self._parts.save()
        batch = await self._made(part)
        part.batch, part.status, part.state = batch.id, batch.status, "handed in"
        self._parts.save()
        self._parts.requests_file(part).unlink(missing_ok=True)  # the server has it, and pictures take room
        facts = {"batch": part.batch, "count": part.requests}
        self._tell(Remark("Batch {batch}: {count} requests are handed in", facts))

    async def _made(self, part: BatchFile) -> BatchStatus:
        """A batch of the uploaded file; the one that is there, if word of it was lost on the way."""

        async def make() -> BatchStatus:
            found = await self._client.find(part.file)
            return found or await self._client.create(part.file, self._config.batch_window, f"part {part.number}")

        return await self._patiently(make)

    async def hand_in_rest(self) -> None:
        """Hand in all parts that an earlier start or the server's limits left behind."""
        for part in self._parts.under_way:
            if part.state != "handed in":
                await self.hand_in(part)

    async def results(self) -> AsyncIterator[tuple[BatchFile, bool]]:
        """Each part as it ends, its results on disk; whether the server had its full time for it."""
        delay = FIRST_POLL
        while under_way := [part for part in self._parts.under_way if part.state == "handed in"]:
            ended = False
            for part in under_way:
                status = await self._patiently(partial(self._client.look, part.batch))
                part.status = status.status
                if status.status == "failed":
                    self._refused(part, status)
                elif status.status in _ENDED:
                    await self._fetch(part, status)
                    yield part, status.status != "cancelled"
                    self._note_cancelled(part)
                    ended = True
            self._parts.save()
            self._tell(None)
            if ended and self._stopped is None:
                await self.hand_in_rest()
            elif not ended:
                await asyncio.sleep(delay)
                delay = min(LONGEST_POLL, delay * 1.5)

    def raise_if_stopped(self) -> None:
        """What happened to a batch may end the run, once the others are over."""
        if self._stopped is not None:
            raise self._stopped

    def _refused(self, part: BatchFile, status: BatchStatus) -> None:
        """A batch that was never begun: its requests count as not asked, or wait until the server has room."""
        others = any(one.state == "handed in" for one in self._parts.under_way if one is not part)
        if others and "limit" in status.why:
            part.state, part.batch = "uploaded", ""
            facts = {"number": part.number, "reason": status.why}
            self._tell(Remark("Part {number} waits until another batch is over: {reason}", facts))
            return
        self._parts.finish(part)
        self._stopped = AllFailingError(
            "The server refused batch {batch}: {why}",
            hint="Mend what it says, then give the same command again. Too much at once: smaller --batch-requests.",
            batch=part.batch,
            why=status.why or "–",
        )

    def _note_cancelled(self, part: BatchFile) -> None:
        if part.status == "cancelled":
            self._stopped = RunStoppedError(
                "Batch {batch} was cancelled at the server.",
                hint="The same command asks again what it left out.",
                batch=part.batch,
            )

    async def _fetch(self, part: BatchFile, status: BatchStatus) -> None:
        base, each = _LARGEST
        for kind, file in (("output", status.output_file_id), ("error", status.error_file_id)):
            if not file:
                continue
            to = self._parts.results_file(part, kind)
            download = partial(self._client.download, file, to, base + each * part.requests)
            if not await self._patiently(download):
                self._tell(Remark("Batch {batch}: the results are too large and were cut.", {"batch": part.batch}))

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        """Try again what is worth another try; a server that stays away ends this start, and nothing else."""
        tries, first_failed, is_told = 0, 0.0, False
        while True:
            try:
                result = await call()
                self._was_reached = True
                return result
            except TryAgainError as error:
                tries += 1
                first_failed = first_failed or monotonic()
                self._was_reached = self._was_reached or error.kind != "unreachable"
                longest = self._config.max_outage if self._was_reached else UNREACHED_OUTAGE
                if monotonic() - first_failed >= longest:
                    raise UnreachableError(
                        "The batch can't go on: {why}",
                        hint="What is at the server goes on there; the same command comes back for it.",
                        why=str(error),
                    ) from None
                if not is_told and monotonic() - first_failed >= _REPORT_OUTAGE_AFTER:
                    is_told = True
                    facts = {"server": self._client.server, "reason": str(error)}
                    self._tell(Remark("{server} is down; waiting for it: {reason}", facts))
                await asyncio.sleep(max(backoff(tries), error.after or 0.0))
            except AskError as error:
                raise AllFailingError(
                    "The server takes no batches: {why}",
                    hint="Leave --batch out, or mend what it says.",
                    why=str(error),
                ) from None
