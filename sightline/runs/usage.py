"""Token usage and cost of a run, computed from its journal."""

from __future__ import annotations

from msgspec.structs import replace

from sightline.inference.journal import JournalReader
from sightline.runs.manifest import Manifest
from sightline.scoring.summary import Usage


def compute_usage(usage: Usage, history: JournalReader, manifest: Manifest) -> Usage:
    """Return the usage with requests, tokens and cost filled in from the journal."""
    prices = manifest.config.get("price_in") or 0, manifest.config.get("price_out") or 0
    return replace(
        usage,
        requests=history.counts.requests,
        tokens_in=history.counts.tokens_in,
        tokens_out=history.counts.tokens_out,
        cost=(history.counts.tokens_in * prices[0] + history.counts.tokens_out * prices[1]) / 1e6,
    )
