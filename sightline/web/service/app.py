"""ASGI application of the service: routes, and dispatch of requests to worker processes."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

import sightline
from sightline.core.registry import nearest
from sightline.i18n import language, tr
from sightline.web.service.endpoints import Endpoint, all_endpoints
from sightline.web.service.limits import BodyReader, FairQueue, QueueFullError, ServiceLimits
from sightline.web.service.middleware import PUBLIC_PATHS, LogFunction, SecurityMiddleware, problem_response
from sightline.web.service.openapi import docs_page, openapi_document
from sightline.web.service.problems import MEDIA_TYPE, ProblemError, internal_error
from sightline.web.service.schemas import Health
from sightline.web.service.worker import JobRequest, JobResult
from sightline.web.service.worker_pool import WorkerLostError, WorkerPool, WorkerTimeoutError

Handler = Callable[[Request], Awaitable[Response]]


class RequestDispatcher:
    """Queues requests, dispatches them to workers and returns the responses."""

    def __init__(self, limits: ServiceLimits) -> None:
        self.limits = limits
        self.workers = WorkerPool(limits)
        self.queue = FairQueue(limits.workers, limits.waiting)
        self.body_reader = BodyReader(limits)
        self._mean_seconds = 0.05
        """Exponential moving average of the seconds per request."""
        self._cache: dict[tuple[str, str], JobResult] = {}

    def handler(self, endpoint: Endpoint) -> Handler:
        """Return the request handler of an endpoint."""

        async def handle(request: Request) -> Response:
            try:
                async with self.body_reader.body(request) if endpoint.takes else _no_body() as body:
                    result = await self._run_job(request, JobRequest(endpoint.path, language(), body))
            except ProblemError as problem:
                return problem_response(problem)
            return Response(
                result.body, result.status, media_type="application/json" if result.status == 200 else MEDIA_TYPE
            )

        return handle

    async def _run_job(self, request: Request, job: JobRequest) -> JobResult:
        """Run a job; successful responses to GET requests are cached."""
        key = (job.path, job.language)
        if key in self._cache:
            return self._cache[key]
        await self._wait(request)
        result = await asyncio.shield(self._run_in_worker(job))  # a running job must not be cancelled
        if not job.body and result.status == 200:
            self._cache[key] = result
        return result

    async def _wait(self, request: Request) -> None:
        """Wait in the queue; a client that disconnects is removed from it."""
        client = request.client.host if request.client else ""
        slot = asyncio.ensure_future(self.queue.acquire(client))
        disconnect = asyncio.ensure_future(_wait_for_disconnect(request))
        try:
            await asyncio.wait({slot, disconnect}, return_when=asyncio.FIRST_COMPLETED)
            if slot.done():
                slot.result()
                return
        except QueueFullError:
            retry_after = max(1, math.ceil(self._mean_seconds * self.queue.waiting / self.limits.workers))
            detail = tr("{count} requests are already waiting.", count=self.queue.waiting)
            hint = tr("Try again after {seconds} s.", seconds=retry_after)
            raise ProblemError("full", detail, hint).with_headers(Retry_After=retry_after) from None
        finally:
            disconnect.cancel()
            if not slot.done():
                slot.cancel()
        raise ProblemError("slow-body", tr("The client disconnected."))

    async def _run_in_worker(self, job: JobRequest) -> JobResult:
        started = asyncio.get_running_loop().time()
        try:
            return await self.workers.run(job)
        except WorkerTimeoutError:
            detail = tr("The request was stopped after {seconds} s.", seconds=f"{self.limits.seconds:g}")
            problem = ProblemError("too-costly", detail, tr("Send less per request."))
        except WorkerLostError:
            problem = internal_error()
        finally:
            self.queue.release()
            self._mean_seconds += 0.1 * (asyncio.get_running_loop().time() - started - self._mean_seconds)
        return JobResult(problem.status, problem.body())

    async def health(self, request: Request) -> Response:
        """Health check."""
        ready = self.workers.ready
        health = Health(
            status="ok" if ready else "waiting for workers",
            version=sightline.__version__,
            workers=ready,
            busy=self.workers.busy,
            waiting=self.queue.waiting,
        )
        return Response(msgspec.json.encode(health), media_type="application/json")


@asynccontextmanager
async def _no_body() -> AsyncIterator[bytes]:
    yield b""


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _openapi(request: Request) -> Response:
    return Response(msgspec.json.encode(openapi_document(language())), media_type="application/json")


async def _docs(request: Request) -> Response:
    return HTMLResponse(docs_page(language()))


async def _not_found(request: Request, error: Exception) -> Response:
    known = [*all_endpoints(), *PUBLIC_PATHS]
    near = nearest(request.scope["path"][:100], known)
    detail = tr("Unknown path. Did you mean {near}?", near=near) if near else tr("Unknown path.")
    return problem_response(ProblemError("no-such-address", detail, tr("Known: {listed}", listed=", ".join(known))))


async def _method_not_allowed(request: Request, error: Exception) -> Response:
    allowed = (error.headers or {}).get("Allow", "") if isinstance(error, HTTPException) else ""
    problem = ProblemError("method", tr("Allowed methods: {methods}.", methods=allowed))
    return problem_response(problem.with_headers(Allow=allowed))


async def _server_error(request: Request, error: Exception) -> Response:
    return problem_response(internal_error())


def make_app(limits: ServiceLimits, token: str, loopback: bool = True, log: LogFunction | None = None) -> ASGIApp:
    """Create the ASGI application with its middleware; an empty token disables authentication."""
    dispatcher = RequestDispatcher(limits)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await dispatcher.workers.start()
        yield
        await dispatcher.workers.close()

    routes = [
        Route(endpoint.path, dispatcher.handler(endpoint), methods=[endpoint.method])
        for endpoint in all_endpoints().values()
    ]
    routes += [Route("/healthz", dispatcher.health), Route("/openapi.json", _openapi), Route("/docs", _docs)]
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={404: _not_found, 405: _method_not_allowed, 500: _server_error},
    )
    app.router.redirect_slashes = False
    return SecurityMiddleware(app, token, loopback, log)
