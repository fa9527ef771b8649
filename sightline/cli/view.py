"""sightline view RUNS_DIR"""

from __future__ import annotations

from pathlib import Path

import click

from sightline.core.errors import UsageError
from sightline.i18n.cli import SpeakingCommand


@click.command(
    "view",
    cls=SpeakingCommand,
    epilog="\b\nExamples:\n  sightline view\n  sightline view runs/20260101-120000_simulation_gpt-4o --no-open",
)
@click.argument("runs_dir", default="runs", type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=None, help="the port; default: 8337, or any free one")
@click.option("--open/--no-open", "opening", default=True, help="open the page in the browser")
def command(runs_dir: Path, port: int | None, opening: bool) -> int:
    """Look through runs in the browser: figures, samples with picture and reply, two runs side by side."""
    if not runs_dir.is_dir():
        raise UsageError("{path} is no folder.", path=runs_dir)
    try:
        from sightline.web.viewer.serve import serve
    except ModuleNotFoundError as error:
        raise UsageError(
            "The pages need {name}.", hint="pip install 'sightline[viewer]'", name=error.name or "starlette"
        ) from None
    serve(runs_dir, port, opening)
    return 0
