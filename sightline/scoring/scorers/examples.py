"""Examples of a scorer: pairs of a question and a reply."""

from __future__ import annotations

from typing import Any

from sightline.scoring.scorers import Asked

Examples = tuple[tuple[Any, str], ...]
"""Pairs of a target (or a whole `Asked`) and a reply."""


def asked_of(target: Any) -> Asked:
    """Wrap the target of an example as a question, unless it is one already."""
    return target if isinstance(target, Asked) else Asked(target=target)
