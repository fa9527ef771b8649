"""The server: where it listens, who may come in, and how it stops."""

from __future__ import annotations

import ipaddress
import os
import secrets
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

import click
import uvicorn
from msgspec import Struct

from sightline.core.errors import UsageError
from sightline.i18n import say
from sightline.web.service.app import make_app
from sightline.web.service.limits import Limits
from sightline.web.service.middleware import to_stderr

TOKEN_VARIABLE = "SIGHTLINE_SERVE_TOKEN"  # noqa: S105  # its name, not a token
_SHORTEST = 16
_LAST_WORDS = 5.0
"""Seconds beyond the time limit that a stopping service waits for answers to be sent."""


class Door(Struct, frozen=True, kw_only=True):
    """Where the service listens and who may come in."""

    host: str = "127.0.0.1"
    port: int = 8640
    token_file: Path | None = None
    no_token: bool = False


def serve(door: Door, limits: Limits, logging: bool = True) -> None:
    """Serve until interrupted; what is under way then is finished."""
    loopback = is_loopback(door.host)
    token, fresh = find_token(door, loopback)
    listener = _listen(door.host, door.port)
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    click.echo(say("Sightline serves at {address}; its page: {address}/docs", address=f"http://{shown}:{port}"))
    if fresh:
        click.echo(say("Token: {token}", token=token))
    click.echo(say("Ctrl+C ends it."))
    config = uvicorn.Config(
        make_app(limits, token, loopback, to_stderr if logging else None),
        log_level="warning",
        access_log=False,  # the guard writes one without queries
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=int(limits.seconds + _LAST_WORDS),
    )
    # uvicorn raises the signal again when all is finished: a stop that was asked for is no failure
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    server = uvicorn.Server(config)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
    if not server.started:
        raise UsageError("The worker processes of the service don't start.", hint="Look at what they printed above.")
    click.echo(say("Stopped."))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host name or address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def find_token(door: Door, loopback: bool) -> tuple[str, bool]:
    """The token, empty where none is wanted, and whether it was made just now."""
    if door.no_token:
        if not loopback:
            raise UsageError(
                "Without a token the service can only be reached from this machine.",
                hint="Leave out --no-token, or leave --host at 127.0.0.1.",
            )
        return "", False
    given = os.environ.get(TOKEN_VARIABLE, "").strip()
    if door.token_file is not None:
        try:
            given = door.token_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError("Can't read {path}: {why}", path=door.token_file, why=error) from None
    elif not given:
        return secrets.token_urlsafe(24), True
    if len(given) < _SHORTEST or not given.isascii() or not given.isprintable() or " " in given:
        raise UsageError(
            "A token has at least {count} printable ASCII characters and no space.",
            hint='Make one: python -c "import secrets; print(secrets.token_urlsafe(24))"',
            count=_SHORTEST,
        )
    return given, False


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise UsageError("Can't listen at {host}: {why}", host=host, why=error.strerror or error) from None
    if sys.platform != "win32":  # there it would let others listen on the same port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise UsageError(
            "Can't listen on port {port}: {why}", hint="Name another: --port", port=port, why=error.strerror
        ) from None
    listener.listen(1024)
    return listener
