"""Token usage and cost of a run, computed from its journal."""

from __future__ import annotations

from msgspec.structs import replace

from sightline.inference.journal.reader import JournalReader
from sightline.runs.manifest import Manifest
from sightline.scoring.summary import Usage


def compute_usage(usage: Usage, history: JournalReader, manifest: Manifest) -> Usage:
    """Return the usage with requests, tokens and cost filled in from the journal."""
    prices = manifest.config.get("price_in") or 0, manifest.config.get("price_out") or 0
    return replace(
        usage,
        requests=history.requests,
        tokens_in=history.tokens_in,
        tokens_out=history.tokens_out,
        cost=(history.tokens_in * prices[0] + history.tokens_out * prices[1]) / 1e6,
    )
