"""Viewer server: ASGI application, warm-up, and the HTTP server on the loopback address with a new token per start."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from threading import Thread

import click
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from sightline.core.errors import SightlineError, UsageError
from sightline.i18n import tr
from sightline.reports.sample_view.view import load_sample
from sightline.web.viewer.app_state import AppState
from sightline.web.viewer.grades import read_filter
from sightline.web.viewer.middleware import SecurityMiddleware
from sightline.web.viewer.render import not_found, server_error, static_file
from sightline.web.viewer.run_pages import compare_page, live_run, live_runs, run_page, runs_page
from sightline.web.viewer.sample_pages import media_bytes, reply_text, sample_page

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
"""Error handlers: a run folder may be moved away while its page is open."""


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
        warming = Thread(target=warm_up, args=(state,), daemon=True, name="warm-up")
        warming.start()
        warming.join(_HEAD_START)
    return SecurityMiddleware(app, token, port)


_RUNS = 2
"""Number of newest runs that are opened ahead."""
_HEAD_START = 1.0
"""Seconds that the server waits for its warm-up, at most, before it takes requests: a slow folder must not delay it."""


def warm_up(state: AppState) -> None:
    """Open the newest runs, and load the first sample of each: importing compiled kernels takes a second or two."""
    for entry in [one for one in state.runs.entries() if one.is_graded][:_RUNS]:
        with suppress(Exception):  # any error is reported by the page that needs the run
            found = state.grades.apply_filter(entry.folder.grades, read_filter({}))
            reader = state.reader_cache.of(entry)
            if len(found) and not isinstance(reader, SightlineError):
                position = int(found.positions[0])
                load_sample(reader, position, state.grades.row(entry.folder.grades, position))


DEFAULT_PORT = 8337


def serve(runs: Path, port: int | None, opening: bool) -> None:
    """Serve until interrupted; the address with its token is printed."""
    listener = _listen(port)
    token = secrets.token_urlsafe(24)
    port = listener.getsockname()[1]
    address = f"http://127.0.0.1:{port}/?token={token}"
    app = make_app(runs, token, port, is_warmed=True)
    click.echo(tr("Runs in {folder}: {address}", folder=runs, address=address))
    click.echo(tr("Press Ctrl+C to stop."))
    if opening and _has_display():
        webbrowser.open(address)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # addresses hold the token once
        server_header=False,
        date_header=False,
        ws="none",
        timeout_graceful_shutdown=2,
    )
    with suppress(KeyboardInterrupt):  # raised again when all is closed: this is how it ends
        uvicorn.Server(config).run(sockets=[listener])


def _has_display() -> bool:
    """Where there is none, a browser that runs in the terminal would take it over."""
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _listen(port: int | None) -> socket.socket:
    """The port that was asked for; else the usual one, or any that is free."""
    for wanted in (DEFAULT_PORT, 0) if port is None else (port,):
        try:
            return socket.create_server(("127.0.0.1", wanted))  # a browser that is quicker than the server waits
        except OSError as error:
            why = os.strerror(error.errno or 0)
    raise UsageError("Cannot listen on port {port}: {why}", hint="Choose another port: --port", port=port, why=why)
