"""Request body limits: media type, size, timeout, and total bytes of all requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect, Request

from sightline.i18n import tr
from sightline.web.service.limits import ServiceLimits
from sightline.web.service.problems import ProblemError


class BodyReader:
    """Reads request bodies and limits the total bytes held in memory."""

    def __init__(self, limits: ServiceLimits) -> None:
        self._limits = limits
        self._held = 0

    @asynccontextmanager
    async def body(self, request: Request) -> AsyncIterator[bytes]:
        """Read the body of a request; its bytes are counted until the context exits."""
        _check_type(request)
        self._check_size(int(request.headers.get("content-length", "0")[:20]))  # validated by the server
        chunks: list[bytes] = []
        try:
            await self._read(request, chunks)
            yield b"".join(chunks)
        finally:
            self._held -= sum(map(len, chunks))

    async def _read(self, request: Request, chunks: list[bytes]) -> None:
        size = 0
        try:
            async with asyncio.timeout(self._limits.seconds):
                async for chunk in request.stream():
                    chunks.append(chunk)
                    size += len(chunk)
                    self._reserve(len(chunk))
                    self._check_size(size)
        except TimeoutError:
            detail = tr("The body was not complete after {seconds} s.", seconds=f"{self._limits.seconds:g}")
            raise ProblemError("slow-body", detail) from None
        except ClientDisconnect:
            raise ProblemError("slow-body", tr("The client went away.")) from None

    def _reserve(self, size: int) -> None:
        self._held += size
        if self._held > self._limits.total_body_bytes:
            detail = tr("The bodies of all waiting requests are too large together.")
            raise ProblemError("full", detail, tr("Try again after {seconds} s.", seconds=2)).with_headers(
                Retry_After=2
            )

    def _check_size(self, size: int) -> None:
        if size > self._limits.body:
            detail = tr("A body may have {most} bytes.", most=self._limits.body)
            raise ProblemError("too-large", detail, tr("Ask for less at a time."))


def _check_type(request: Request) -> None:
    """Require JSON: a cross-site page cannot send it without a CORS preflight, which this service refuses."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        detail = tr("The body must be JSON.")
        raise ProblemError("media-type", detail, tr("Send the header Content-Type: application/json."))
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise ProblemError("media-type", tr("The body must not be compressed."))
