"""Boxes and quads in the words of the detection tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

FARTHEST = 1e12
"""Beyond, a coordinate is not read."""


def numbers(values: Any, count: int) -> list[float] | None:
    """So many finite numbers, or None; texts that spell numbers count too."""
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != count:
        return None
    try:
        found = [float(value) for value in values]
    except (TypeError, ValueError):
        return None
    return found if all(math.isfinite(value) and abs(value) <= FARTHEST for value in found) else None


def shape_text(tag: str, coordinates: Sequence[float], score: float | None = None) -> str:
    """`<box><x1>…</box>`, with its score behind it where it has one. No digit is lost."""
    body = "".join(f"<{_spelled(value)}>" for value in coordinates)
    said = "" if score is None else f"<score>{_spelled(score)}</score>"
    return f"<{tag}>{body}</{tag}>{said}"


def shapes_text(shapes: Sequence[str]) -> str:
    """All shapes of a picture behind their number."""
    return f"{len(shapes)} {''.join(shapes)}".strip()


def _spelled(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
