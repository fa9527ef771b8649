"""Corrections of p-values for looking many times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sightline.stats.student import Floats


def holm(values: Sequence[float | None]) -> list[float | None]:
    """p-values corrected so that a false alarm anywhere has 5 % (Holm); where there is no p there is none after."""
    order, known = _ranked(values)
    grown = np.maximum.accumulate(known * np.arange(len(known), 0, -1))
    return _put_back(order, np.minimum(grown, 1), len(values))


def benjamini_hochberg(values: Sequence[float | None]) -> list[float | None]:
    """p-values corrected so that 5 % of all alarms are expected to be false (Benjamini and Hochberg)."""
    order, known = _ranked(values)
    shrunk = known * len(known) / np.arange(1, len(known) + 1)
    lowest = np.minimum.accumulate(shrunk[::-1])[::-1]
    return _put_back(order, np.minimum(lowest, 1), len(values))


def _ranked(values: Sequence[float | None]) -> tuple[list[int], Floats]:
    known = [(value, place) for place, value in enumerate(values) if value is not None]
    known.sort()
    return [place for _, place in known], np.array([value for value, _ in known], dtype=np.float64)


def _put_back(order: list[int], values: Floats, size: int) -> list[float | None]:
    result: list[float | None] = [None] * size
    for place, value in zip(order, values.tolist(), strict=True):
        result[place] = value
    return result
