"""Command `sightline demo`: an end-to-end demo on generated data, offline."""

from __future__ import annotations

from itertools import count as numbers
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from sightline.core.registry import find, names
from sightline.i18n import tr
from sightline.i18n.cli import TranslatedCommand

if TYPE_CHECKING:
    from sightline.api.evaluation import Result

MODELS = ("baseline/oracle", "baseline/perturbed:0.2", "baseline/random")
_FOLDER = "sightline-demo"


@click.command(
    "demo",
    cls=TranslatedCommand,
    epilog="""\b
Examples:
  sightline demo
  sightline demo --out try --count 4 --seed 1

Generates data for every installed suite, runs baseline models on it and compares them. Next: `sightline list
sightline-demo/runs` and `sightline view sightline-demo/runs`.""",
)
@click.option(
    "--out", default=None, show_default=_FOLDER, type=click.Path(path_type=Path), help="new folder for data and runs"
)
@click.option("--count", default=None, type=click.IntRange(1), help="number of items per suite")
@click.option("--seed", default=0, show_default=True, help="seed; the same seed gives the same bytes")
def command(out: Path | None, count: int | None, seed: int) -> int:
    """Run an end-to-end demo on new data of every installed suite; no network or API key required."""
    from sightline.api.evaluation import generate
    from sightline.cli.progress import report_compilation
    from sightline.reports.terminal import print_comparison

    out = _new_folder(out)
    results = []
    report_compilation()
    for suite in names("suites"):
        click.secho(tr("Generating data for {suite} …", suite=suite), bold=True)
        kind = find("suites", suite)
        config = to_builtins(kind.demo_config) if kind.demo_config is not None else {}
        data = generate(suite, out / "data" / suite, count=count or kind.demo_count, seed=seed, **config)
        results += [_evaluate(suite, model, data, out, seed) for model in _models(suite, data)]
    print_comparison([result.summary for result in results])
    _next_steps(results, out)
    return 0


def _new_folder(requested: Path | None) -> Path:
    """The requested folder, which must be new or empty; by default the first unused `sightline-demo`, `…-2` and so on.

    Nothing is overwritten: people keep their own runs and notes in the folder of a demo.
    """
    from sightline.api.evaluation import check_new_folder

    out = requested or next(
        path for number in numbers(1) if not (path := Path(_FOLDER if number == 1 else f"{_FOLDER}-{number}")).exists()
    )
    check_new_folder(out)
    out.mkdir(parents=True, exist_ok=True)
    return out


def _models(suite: str, data: Path) -> list[str]:
    """The baselines, and the constant answer that a lazy model would give, where the suite has one."""
    from sightline.core.records import Sample
    from sightline.core.registry import load_suite
    from sightline.data.dataset import open_dataset

    loaded = load_suite(suite)
    first = next((sample for sample in open_dataset(loaded, data) if isinstance(sample, Sample)), None)
    choices = loaded.choices(first) if first is not None else ()
    return [*MODELS, *(f"baseline/constant:{choice}" for choice in choices[:1])]


def _evaluate(suite: str, model: str, data: Path, out: Path, seed: int) -> Result:
    from sightline.api.evaluation import evaluate

    click.echo(tr("Running {model} …", model=model))
    return evaluate(suite, model=model, data=str(data), output_dir=str(out / "runs"), seed=seed, fresh=True)


def _next_steps(results: list[Result], out: Path) -> None:
    suite = results[0].summary.suite
    spoiled = next(r for r in results if "perturbed" in r.summary.model)
    click.echo(
        "\n"
        + tr(
            "A skill of 0 is the score of the best blind baseline; a constant answer never exceeds it.\n\n"
            "Next steps:\n"
            "  report           {report}\n"
            "  metrics          sightline show {run}\n"
            "  replies          {journal}\n"
            "  your own model   sightline run {suite} --data {data} --model NAME --api-base http://localhost:8000/v1",
            report=spoiled.folder / "report.html",
            run=spoiled.folder,
            journal=spoiled.folder / "journal.jsonl",
            suite=suite,
            data=out / "data" / suite,
        )
    )
