"""Sums that no order and no split can change: whole numbers of 2⁻⁴⁰, about a trillionth."""

from __future__ import annotations

ONE = 2**40


def fixed(value: float) -> int:
    """The value as a whole number of 2⁻⁴⁰."""
    return round(value * ONE)
