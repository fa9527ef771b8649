"""HTTP server of the viewer: loopback only, one process, a new token at every start."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path

import click
import uvicorn

from sightline.core.errors import UsageError
from sightline.i18n import tr
from sightline.web.viewer.app import make_app

DEFAULT_PORT = 8337


def serve(runs: Path, port: int | None, opening: bool) -> None:
    """Serve until interrupted; the address with its token is printed."""
    listener = _listen(port)
    token = secrets.token_urlsafe(24)
    port = listener.getsockname()[1]
    address = f"http://127.0.0.1:{port}/?token={token}"
    click.echo(tr("Runs in {folder}: {address}", folder=runs, address=address))
    click.echo(tr("Press Ctrl+C to stop."))
    if opening and _has_display():
        webbrowser.open(address)
    config = uvicorn.Config(
        make_app(runs, token, port, is_warmed=True),
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
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if sys.platform != "win32":  # there it would let others listen on the same port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", wanted))
        except OSError as error:
            listener.close()
            why = error.strerror
            continue
        listener.listen()  # a browser that is quicker than the server waits
        return listener
    raise UsageError("Can't listen on port {port}: {why}", hint="Choose another: --port", port=port, why=why)
