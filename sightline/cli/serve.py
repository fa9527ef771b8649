"""Command `sightline serve`: HTTP scoring service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sightline.core.errors import UsageError
from sightline.i18n.cli import TranslatedCommand


@click.command(
    "serve",
    cls=TranslatedCommand,
    epilog="""\b
Examples:
  sightline serve
  sightline serve --host 0.0.0.0 --token-file token.txt --workers 4

\b
Call it (TOKEN is printed at the start):
  curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
       http://127.0.0.1:8640/v1/score \\
       -d '{"task": "counting", "gt": "3", "output": "4"}'
  curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
       http://127.0.0.1:8640/v1/solve -d "{\\"model\\": $(cat beam.json)}"
  curl http://127.0.0.1:8640/openapi.json""",
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="address to listen on; other than loopback requires a token"
)
@click.option("--port", type=click.IntRange(0, 65535), default=8640, show_default=True, help="port; 0: any free port")
@click.option(
    "--token-file", type=click.Path(path_type=Path), help="file with the token; default: SIGHTLINE_SERVE_TOKEN"
)
@click.option("--no-token", is_flag=True, help="disable authentication (loopback only)")
@click.option("--workers", type=click.IntRange(1, 64), help="worker processes; default: one per core, at most 8")
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 3600),
    default=30,
    show_default=True,
    help="time limit per request in seconds",
)
@click.option(
    "--body", type=click.FloatRange(0.001, 1000), default=10, show_default=True, help="maximum request body in MB"
)
@click.option(
    "--waiting",
    type=click.IntRange(0, 100_000),
    default=256,
    show_default=True,
    help="maximum number of queued requests",
)
@click.option(
    "--memory",
    type=click.IntRange(0),
    default=4096,
    show_default=True,
    help="memory limit per worker in MB; 0: no limit",
)
@click.option("--log/--no-log", "logging", default=True, help="log one line per request to standard error")
def command(host: str, port: int, token_file: Path | None, no_token: bool, logging: bool, **allowed: Any) -> int:
    """Start an HTTP service that grades replies, solves and diagnoses structural models, and lists suites."""
    try:
        from sightline.web.service.limits import ServiceLimits
        from sightline.web.service.server import ServerOptions, serve
    except ModuleNotFoundError as error:
        raise UsageError(
            "The service requires {name}.", hint="pip install 'sightline[serve]'", name=error.name or "starlette"
        ) from None
    allowed["body"] = int(allowed["body"] * 1e6)
    limits = ServiceLimits(**{name: value for name, value in allowed.items() if value is not None})
    serve(ServerOptions(host=host, port=port, token_file=token_file, no_token=no_token), limits, logging)
    return 0
