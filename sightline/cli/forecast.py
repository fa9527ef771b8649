"""What --dry-run prints."""

from __future__ import annotations

import json

import click
import msgspec

from sightline.core.config import RunConfig
from sightline.i18n import tr
from sightline.inference.cost import CostEstimate


def print_forecast(forecast: CostEstimate, config: RunConfig) -> None:
    """Counts, tokens and cost."""
    if config.json:
        click.echo(json.dumps(msgspec.to_builtins(forecast), indent=2))
        return
    cost = f"{forecast.cost:.2f}" if forecast.cost is not None else tr("unknown: give --price-in and --price-out")
    for name, value in (
        (tr("Samples"), f"{forecast.samples:,}"),
        (tr("Invalid"), f"{forecast.invalid:,}"),
        (tr("Requests"), f"{forecast.requests:,}"),
        (tr("Tokens in, about"), f"{forecast.tokens_in:,}"),
        (tr("Tokens out, about"), f"{forecast.tokens_out:,}"),
        (tr("Cost, about"), cost),
    ):
        click.echo(f"{name:<20} {value}")
    click.echo(tr("No request was sent."))
