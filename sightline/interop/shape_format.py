"""Text format of boxes and quads used by the detection tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

MAX_COORDINATE = 1e12
"""Coordinates beyond this are rejected."""


def parse_numbers(values: Any, count: int) -> list[float] | None:
    """Parse exactly `count` finite numbers (numeric strings included), or return None."""
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != count:
        return None
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        return None
    return numbers if all(math.isfinite(value) and abs(value) <= MAX_COORDINATE for value in numbers) else None


def format_shape(tag: str, coordinates: Sequence[float], score: float | None = None) -> str:
    """Format a shape as `<box><x1>…</box>`, followed by its score if it has one; lossless."""
    body = "".join(f"<{_format_number(value)}>" for value in coordinates)
    suffix = "" if score is None else f"<score>{_format_number(score)}</score>"
    return f"<{tag}>{body}</{tag}>{suffix}"


def format_shapes(shapes: Sequence[str]) -> str:
    """Format all shapes of an image, preceded by their number."""
    return f"{len(shapes)} {''.join(shapes)}".strip()


def _format_number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
