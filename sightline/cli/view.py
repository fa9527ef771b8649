"""Command `sightline view RUN`: browse runs and samples in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from sightline.cli import RUN_HELP
from sightline.core.errors import UsageError
from sightline.i18n.cli import TranslatedCommand


@click.command(
    "view",
    cls=TranslatedCommand,
    epilog=f"""\b
Examples:
  sightline view
  sightline view last
  sightline view sightline-demo/runs
  sightline view runs/20260101-120000_simulation_gpt-4o --no-open

Without RUN, all runs below `runs` (or SIGHTLINE_OUTPUT_DIR) are shown. RUN may also be another folder of runs.

{RUN_HELP}""",
)
@click.argument("run", required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=None, help="port; default: 8337, or any free port")
@click.option("--open/--no-open", "opening", default=True, help="open the page in the browser")
def command(run: str | None, port: int | None, opening: bool) -> int:
    """Browse runs in the browser: metrics, samples with image and reply, two runs side by side."""
    from sightline.runs.run_list import resolve_run, runs_folder

    folder = runs_folder() if run is None else Path(run) if Path(run).is_dir() else resolve_run(run)
    if not folder.is_dir():
        raise UsageError("{path} is not a folder.", path=folder)
    try:
        from sightline.web.viewer.server import serve
    except ModuleNotFoundError as error:
        raise UsageError(
            "The viewer requires {name}.", hint="pip install 'sightline[viewer]'", name=error.name or "starlette"
        ) from None
    serve(folder, port, opening)
    return 0
