"""What an example of a marker asks."""

from __future__ import annotations

from typing import Any

from sightline.scoring.scorers import Asked

Examples = tuple[tuple[Any, str], ...]
"""Pairs of a target (or a whole `Asked`) and a reply."""


def asked_of(target: Any) -> Asked:
    """The question of an example: its target alone, or all of it where options or facts matter."""
    return target if isinstance(target, Asked) else Asked(target=target)
