"""Output and exit code of commands that graded something: metrics, report paths, cost estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sightline.cli import DONE, GATE_FAILED, PARTIAL, USAGE
from sightline.cli.streams import OutputError, print_json
from sightline.core.config import RunConfig
from sightline.core.records import COUNTED
from sightline.core.score_config import ScoreConfig
from sightline.i18n import tr
from sightline.inference.cost import CostEstimate

if TYPE_CHECKING:
    from sightline.api.evaluation import Result
    from sightline.api.score_files import ScoreReport
    from sightline.scoring.summary import Summary


def finish(result: Result, config: RunConfig) -> int:
    """Print the result; returns the exit code."""
    try:
        _print_result(result, config)
    except OutputError as error:  # how the run went matters more than that nobody could read it
        error.exit_code = exit_code(result, config)
        raise
    return exit_code(result, config)


def _print_result(result: Result, config: RunConfig) -> None:
    from sightline.scoring.failures import failure_line

    failed = result.summary.statuses.get("failed")
    if config.json:
        print_json(result.to_dict())
        if failed:  # the summary below has them among its notes
            click.secho(failure_line(result.summary.failures, failed), fg="yellow", err=True)
    else:
        from sightline.reports.terminal import print_summary

        print_summary(result.summary)
        click.echo(f"\n{tr('Report')}: {result.folder / 'report.html'}")
        click.echo(tr("Report with notable samples: sightline report {run}", run=result.folder))
    if result.stopped is not None:
        click.secho(f"{tr('Stopped early')}: {result.stopped}", fg="yellow", err=True)
    elif failed or result.summary.failed_after_feedback:
        click.secho(tr("Rerun the same command to retry them."), fg="yellow", err=True)


def exit_code(result: Result, config: RunConfig) -> int:
    """Exit code: 0 done, 1 gate failed, 2 no sample answered, 3 partial."""
    from sightline.inference.stop_signals import InterruptedRun

    score = result.summary.score
    value = score.value if score is not None else None
    answered = sum(result.summary.statuses.get(status, 0) for status in COUNTED)
    if isinstance(result.stopped, InterruptedRun):  # not a usage error: the same command resumes the run
        return PARTIAL
    if result.stopped is not None and not answered:
        return USAGE
    if not result.complete:
        return PARTIAL
    if config.debug and value != 1:
        click.secho(tr("The oracle replies did not get full marks."), fg="red", err=True)
        return GATE_FAILED
    if config.fail_under is not None and (value is None or value < config.fail_under):
        click.secho(tr("Below --fail-under {gate}.", gate=config.fail_under), fg="red", err=True)
        return GATE_FAILED
    return DONE


def finish_scoring(report: ScoreReport, config: ScoreConfig) -> int:
    """Print the result of scoring files, side by side for several models; returns the exit code."""
    if config.json:
        print_json(report.to_dict())
    else:
        from sightline.reports.terminal import print_side_by_side, print_summary

        if len(report.summaries) == 1:
            print_summary(report.summary)
        else:
            print_side_by_side(list(report.summaries.values()))
        click.echo(f"\n{tr('Results')}: {report.folder}")
    if any(summary.pending for summary in report.summaries.values()):
        return PARTIAL
    for model, summary in report.summaries.items():
        if not any(summary.statuses.get(status) for status in COUNTED):
            _tell_nothing_scored(model, summary, report)
            return USAGE
    values = [summary.score.value if summary.score else None for summary in report.summaries.values()]
    if config.fail_under is not None and any(value is None or value < config.fail_under for value in values):
        click.secho(tr("Below --fail-under {gate}.", gate=config.fail_under), fg="red", err=True)
        return GATE_FAILED
    return DONE


def _tell_nothing_scored(model: str, summary: Summary, report: ScoreReport) -> None:
    invalid = summary.statuses.get("invalid", 0)
    if not summary.samples:
        why = tr("the annotation files have no sample of the chosen tasks")
    else:
        why = tr(
            "all {count} samples are invalid, as invalid_sample_log.txt in {folder} explains",
            count=invalid,
            folder=report.folder,
        )
    click.secho(tr("No sample of {model} was scored: {why}.", model=model, why=why), fg="red", err=True)


def print_forecast(forecast: CostEstimate, config: RunConfig) -> None:
    """Counts, tokens and cost."""
    if config.json:
        print_json(forecast)
        return
    from sightline.reports.formatting import format_cost

    cost = format_cost(forecast.cost) if forecast.cost is not None else tr("unknown; set --price-in and --price-out")
    for name, value in (
        (tr("Samples"), f"{forecast.samples:,}"),
        (tr("Invalid"), f"{forecast.invalid:,}"),
        (tr("Requests"), f"{forecast.requests:,}"),
        (tr("Prompt tokens (approx.)"), f"{forecast.tokens_in:,}"),
        (tr("Reply tokens (approx.)"), f"{forecast.tokens_out:,}"),
        (tr("Cost (approx.)"), cost),
    ):
        click.echo(f"{name:<24} {value}")
    click.echo(tr("No request was sent."))
