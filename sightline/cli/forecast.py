"""What --dry-run prints."""

from __future__ import annotations

import json

import click
import msgspec

from sightline.core.config import RunConfig
from sightline.i18n import say
from sightline.inference.cost_estimate import CostEstimate


def print_forecast(forecast: CostEstimate, config: RunConfig) -> None:
    """Counts, tokens and cost."""
    if config.json:
        click.echo(json.dumps(msgspec.to_builtins(forecast), indent=2))
        return
    cost = f"{forecast.cost:.2f}" if forecast.cost is not None else say("unknown: give --price-in and --price-out")
    for name, value in (
        (say("Samples"), f"{forecast.samples:,}"),
        (say("Invalid"), f"{forecast.invalid:,}"),
        (say("Requests"), f"{forecast.requests:,}"),
        (say("Tokens in, about"), f"{forecast.tokens_in:,}"),
        (say("Tokens out, about"), f"{forecast.tokens_out:,}"),
        (say("Cost, about"), cost),
    ):
        click.echo(f"{name:<20} {value}")
    click.echo(say("No request was sent."))
