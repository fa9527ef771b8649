"""HTTP server of the service: listening socket, token, graceful shutdown."""

from __future__ import annotations

import ipaddress
import os
import secrets
import signal
import socket
from contextlib import suppress
from pathlib import Path

import click
import uvicorn
from msgspec import Struct

from sightline.core.errors import UsageError
from sightline.i18n import tr
from sightline.web.service.app import make_app
from sightline.web.service.limits import ServiceLimits
from sightline.web.service.middleware import log_to_stderr

TOKEN_VARIABLE = "SIGHTLINE_SERVE_TOKEN"  # noqa: S105  # its name, not a token
_MIN_TOKEN_CHARACTERS = 16
_SHUTDOWN_GRACE = 5.0
"""Seconds beyond the request timeout that a stopping service waits for pending responses."""


class ServerOptions(Struct, frozen=True, kw_only=True):
    """Listening address and authentication of the service."""

    host: str = "127.0.0.1"
    port: int = 8640
    token_file: Path | None = None
    no_token: bool = False


def serve(options: ServerOptions, limits: ServiceLimits, logging: bool = True) -> None:
    """Serve until interrupted; pending requests are finished."""
    loopback = is_loopback(options.host)
    token, is_generated = resolve_token(options, loopback)
    listener = _listen(options.host, options.port)
    host, port = listener.getsockname()[:2]
    display_host = f"[{host}]" if ":" in host else host
    click.echo(
        tr("Sightline is serving at {address}; documentation: {address}/docs", address=f"http://{display_host}:{port}")
    )
    if is_generated:
        click.echo(tr("Token: {token}", token=token))
    click.echo(tr("Press Ctrl+C to stop."))
    config = uvicorn.Config(
        make_app(limits, token, loopback, log_to_stderr if logging else None),
        log_level="warning",
        access_log=False,  # the middleware writes one without queries
        server_header=False,
        ws="none",
        lifespan="on",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=int(limits.seconds + _SHUTDOWN_GRACE),
    )
    # uvicorn raises the signal again after shutdown: a requested stop is not a failure
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    server = uvicorn.Server(config)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
    if not server.started:
        raise UsageError("The worker processes of the service do not start.", hint="See their output above.")
    click.echo(tr("Stopped."))


def is_loopback(host: str) -> bool:
    """Whether a host name or address is reachable from this machine only."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def resolve_token(options: ServerOptions, loopback: bool) -> tuple[str, bool]:
    """Return the token (empty: no authentication) and whether it was newly generated."""
    if options.no_token:
        if not loopback:
            raise UsageError(
                "Without a token the service must listen on a loopback address.",
                hint="Remove --no-token, or keep --host at 127.0.0.1.",
            )
        return "", False
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if options.token_file is not None:
        try:
            token = options.token_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError("Cannot read {path}: {why}", path=options.token_file, why=error) from None
    elif not token:
        return secrets.token_urlsafe(24), True
    if len(token) < _MIN_TOKEN_CHARACTERS or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            "A token needs at least {count} printable ASCII characters and no spaces.",
            hint='Generate one: python -c "import secrets; print(secrets.token_urlsafe(24))"',
            count=_MIN_TOKEN_CHARACTERS,
        )
    return token, False


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise UsageError("Cannot listen at {host}: {why}", host=host, why=error.strerror or error) from None
    is_dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(address, family=family, backlog=1024, dualstack_ipv6=is_dual)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise UsageError(
            "Cannot listen on port {port}: {why}", hint="Choose another port: --port", port=port, why=why
        ) from None
