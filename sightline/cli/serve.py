"""sightline serve"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sightline.core.errors import UsageError
from sightline.i18n.cli import SpeakingCommand


@click.command(
    "serve",
    cls=SpeakingCommand,
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
@click.option("--host", default="127.0.0.1", show_default=True, help="the address to listen at; others need a token")
@click.option("--port", type=click.IntRange(0, 65535), default=8640, show_default=True, help="the port; 0: any")
@click.option("--token-file", type=click.Path(path_type=Path), help="file with the token; else SIGHTLINE_SERVE_TOKEN")
@click.option("--no-token", is_flag=True, help="let every program of this machine in; loopback only")
@click.option("--workers", type=click.IntRange(1, 64), help="worker processes; default: one a core, 8 at most")
@click.option("--seconds", type=click.FloatRange(0.1, 3600), default=30, show_default=True, help="time for a request")
@click.option("--body", type=click.FloatRange(0.001, 1000), default=10, show_default=True, help="MB a body may have")
@click.option(
    "--waiting", type=click.IntRange(0, 100_000), default=256, show_default=True, help="requests that may wait"
)
@click.option("--memory", type=click.IntRange(0), default=4096, show_default=True, help="MB for a worker; 0: no limit")
@click.option("--log/--no-log", "logging", default=True, help="one line a request on standard error")
def command(host: str, port: int, token_file: Path | None, no_token: bool, logging: bool, **allowed: Any) -> int:
    """Answer other programs over HTTP: grade replies, solve and diagnose structural models, list what exists."""
    try:
        from sightline.web.service.limits import ServiceLimits
        from sightline.web.service.server import ServerOptions, serve
    except ModuleNotFoundError as error:
        raise UsageError(
            "The service needs {name}.", hint="pip install 'sightline[serve]'", name=error.name or "starlette"
        ) from None
    allowed["body"] = int(allowed["body"] * 1e6)
    limits = ServiceLimits(**{name: value for name, value in allowed.items() if value is not None})
    serve(ServerOptions(host=host, port=port, token_file=token_file, no_token=no_token), limits, logging)
    return 0
