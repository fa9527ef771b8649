"""ASGI application of the viewer: routes and shared state."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from sightline.web.viewer.app_state import AppState
from sightline.web.viewer.compare_page import compare_page
from sightline.web.viewer.downloads import media_bytes, reply_text
from sightline.web.viewer.middleware import SecurityMiddleware
from sightline.web.viewer.render import not_found, server_error, static_file
from sightline.web.viewer.run_page import live_run, run_page
from sightline.web.viewer.runs_page import live_runs, runs_page
from sightline.web.viewer.sample_page import sample_page
from sightline.web.viewer.warm_up import start_warm_up

_SAMPLE = "/run/{run}/sample/{position:int}"
_ROUTES = [
    Route("/", runs_page),
    Route("/run/{run}", run_page),
    Route(_SAMPLE, sample_page),
    Route(_SAMPLE + "/media/{number:int}", media_bytes),
    Route(_SAMPLE + "/reply/{attempt:int}/{turn:int}", reply_text),
    Route("/compare", compare_page),
    Route("/live", live_runs),
    Route("/live/{run}", live_run),
    Route("/static/{name}", static_file),
]

_HANDLERS = {404: not_found, FileNotFoundError: not_found, 500: server_error}
"""A run folder may be moved away while somebody looks at it."""


def make_app(runs: Path, token: str, port: int, is_warmed: bool = False) -> ASGIApp:
    """Create the ASGI application over a folder of runs, with its security middleware."""
    state = AppState(runs)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        state.close()

    app = Starlette(routes=_ROUTES, lifespan=lifespan, exception_handlers=_HANDLERS)
    app.router.redirect_slashes = False
    app.state.sightline = state
    if is_warmed:
        start_warm_up(state)
    return SecurityMiddleware(app, token, port)
