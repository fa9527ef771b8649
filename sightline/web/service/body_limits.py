"""Taking bodies in: of the right type, not too large, not too slow, and not too many bytes at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect, Request

from sightline.i18n import say
from sightline.web.service.limits import Limits
from sightline.web.service.problems import Refusal


class Intake:
    """Counts the bytes that are held for all requests."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._held = 0

    @asynccontextmanager
    async def body(self, request: Request) -> AsyncIterator[bytes]:
        """The body of a request, held until its work is done."""
        _check_type(request)
        self._check_size(int(request.headers.get("content-length", "0")[:20]))  # the server has seen to its form
        parts: list[bytes] = []
        try:
            await self._read(request, parts)
            yield b"".join(parts)
        finally:
            self._held -= sum(map(len, parts))

    async def _read(self, request: Request, parts: list[bytes]) -> None:
        size = 0
        try:
            async with asyncio.timeout(self._limits.seconds):
                async for part in request.stream():
                    parts.append(part)
                    size += len(part)
                    self._hold(len(part))
                    self._check_size(size)
        except TimeoutError:
            detail = say("The body was not complete after {seconds} s.", seconds=f"{self._limits.seconds:g}")
            raise Refusal("slow-body", detail) from None
        except ClientDisconnect:
            raise Refusal("slow-body", say("The client went away.")) from None

    def _hold(self, size: int) -> None:
        self._held += size
        if self._held > self._limits.held:
            detail = say("The bodies of all waiting requests are too large together.")
            raise Refusal("full", detail, say("Try again after {seconds} s.", seconds=2)).having(Retry_After=2)

    def _check_size(self, size: int) -> None:
        if size > self._limits.body:
            detail = say("A body may have {most} bytes.", most=self._limits.body)
            raise Refusal("too-large", detail, say("Ask for less at a time."))


def _check_type(request: Request) -> None:
    """A web page can't send JSON to another site without asking first, and nobody answers that question here."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != "application/json":
        detail = say("The body must be JSON.")
        raise Refusal("media-type", detail, say("Send the header Content-Type: application/json."))
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refusal("media-type", say("The body must not be compressed."))
