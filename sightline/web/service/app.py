"""The application: which address is answered by whom, and how a request gets to a worker."""

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
from sightline.i18n import language, say
from sightline.web.service.admission import FullError, Turns
from sightline.web.service.body_limits import Intake
from sightline.web.service.catalogue import Endpoint, catalogue
from sightline.web.service.handler import Done, Job
from sightline.web.service.limits import Limits
from sightline.web.service.middleware import OPEN, Guard, Log, refused
from sightline.web.service.openapi import document
from sightline.web.service.page import docs_page
from sightline.web.service.problems import MEDIA_TYPE, Refusal, fault
from sightline.web.service.responses import Health
from sightline.web.service.workers import LostError, OverrunError, Workers

Handler = Callable[[Request], Awaitable[Response]]


class Desk:
    """Takes requests in, hands them to workers in turn, and gives answers out."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.workers = Workers(limits)
        self.turns = Turns(limits.workers, limits.waiting)
        self.intake = Intake(limits)
        self._usual = 0.05
        """Seconds that a request takes, by late experience."""
        self._kept: dict[tuple[str, str], Done] = {}

    def handler(self, endpoint: Endpoint) -> Handler:
        """Who answers at an address."""

        async def answer(request: Request) -> Response:
            try:
                async with self.intake.body(request) if endpoint.takes else _no_body() as body:
                    done = await self._done(request, Job(endpoint.path, language(), body))
            except Refusal as refusal:
                return refused(refusal)
            return Response(done.body, done.status, media_type="application/json" if done.status == 200 else MEDIA_TYPE)

        return answer

    async def _done(self, request: Request, job: Job) -> Done:
        """What exists does not change while the service runs, and is kept."""
        key = (job.path, job.language)
        if key in self._kept:
            return self._kept[key]
        await self._wait(request)
        done = await asyncio.shield(self._worked(job))  # a worker in the middle of its work can't be left alone
        if not job.body and done.status == 200:
            self._kept[key] = done
        return done

    async def _wait(self, request: Request) -> None:
        """Until it is this request's turn; who goes away loses the place."""
        client = request.client.host if request.client else ""
        turn = asyncio.ensure_future(self.turns.take(client))
        gone = asyncio.ensure_future(_gone(request))
        try:
            await asyncio.wait({turn, gone}, return_when=asyncio.FIRST_COMPLETED)
            if turn.done():
                turn.result()
                return
        except FullError:
            after = max(1, math.ceil(self._usual * self.turns.waiting / self.limits.workers))
            detail = say("{count} requests are waiting already.", count=self.turns.waiting)
            hint = say("Try again after {seconds} s.", seconds=after)
            raise Refusal("full", detail, hint).having(Retry_After=after) from None
        finally:
            gone.cancel()
            if not turn.done():
                turn.cancel()
        raise Refusal("slow-body", say("The client went away."))

    async def _worked(self, job: Job) -> Done:
        started = asyncio.get_running_loop().time()
        try:
            return await self.workers.run(job)
        except OverrunError:
            detail = say("The work on this request was ended after {seconds} s.", seconds=f"{self.limits.seconds:g}")
            refusal = Refusal("too-costly", detail, say("Ask for less at a time."))
        except LostError:
            refusal = fault()
        finally:
            self.turns.give_back()
            self._usual += 0.1 * (asyncio.get_running_loop().time() - started - self._usual)
        return Done(refusal.status, refusal.body())

    async def health(self, request: Request) -> Response:
        """How the service is."""
        ready = self.workers.ready
        told = Health(
            status="ok" if ready else "waiting for workers",
            version=sightline.__version__,
            workers=ready,
            busy=self.workers.busy,
            waiting=self.turns.waiting,
        )
        return Response(msgspec.json.encode(told), media_type="application/json")


@asynccontextmanager
async def _no_body() -> AsyncIterator[bytes]:
    yield b""


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _openapi(request: Request) -> Response:
    return Response(msgspec.json.encode(document(language())), media_type="application/json")


async def _docs(request: Request) -> Response:
    return HTMLResponse(docs_page(language()))


async def _nowhere(request: Request, error: Exception) -> Response:
    known = [*catalogue(), *OPEN]
    near = nearest(request.scope["path"][:100], known)
    detail = say("Nothing is at this address. Did you mean {near}?", near=near) if near else say("Nothing is here.")
    return refused(Refusal("no-such-address", detail, say("Known: {listed}", listed=", ".join(known))))


async def _other_method(request: Request, error: Exception) -> Response:
    allowed = (error.headers or {}).get("Allow", "") if isinstance(error, HTTPException) else ""
    refusal = Refusal("method", say("This address takes {methods}.", methods=allowed))
    return refused(refusal.having(Allow=allowed))


async def _broken(request: Request, error: Exception) -> Response:
    return refused(fault())


def make_app(limits: Limits, token: str, loopback: bool = True, log: Log | None = None) -> ASGIApp:
    """The service behind its guard; an empty token lets everybody in."""
    desk = Desk(limits)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await desk.workers.start()
        yield
        await desk.workers.close()

    routes = [Route(one.path, desk.handler(one), methods=[one.method]) for one in catalogue().values()]
    routes += [Route("/healthz", desk.health), Route("/openapi.json", _openapi), Route("/docs", _docs)]
    app = Starlette(
        routes=routes, lifespan=lifespan, exception_handlers={404: _nowhere, 405: _other_method, 500: _broken}
    )
    app.router.redirect_slashes = False
    return Guard(app, token, loopback, log)
