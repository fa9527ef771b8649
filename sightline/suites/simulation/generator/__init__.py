"""Fresh simulations whose answers follow from their fields."""

from __future__ import annotations

from pathlib import Path


def generate(out: Path, count: int, seed: int) -> None:
    """Write a data set of `count` simulations."""
    raise NotImplementedError
