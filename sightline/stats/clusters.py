"""A figure and its interval from sums by cluster."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sightline.core.records import Estimate
from sightline.stats.intervals import (
    Floats,
    Scale,
    Statistic,
    bootstrap_reach,
    clustered_bounded,
    clustered_share,
    clustered_signed,
    replicates,
    wilson,
)

EXACT = 4096
"""Up to so many clusters are kept apart; beyond, they are folded into groups, which are as independent as they are."""
GROUPS = 1024


def estimate(
    whole: Floats,
    n: int,
    statistic: Statistic,
    scale: Scale,
    is_plain: bool,
    draw: Callable[[], Floats] | None = None,
) -> Estimate:
    """The statistic of the sum of all clusters (rows), with its interval.

    Plain are independent samples that each are right or wrong: Wilson's interval holds for their share. `draw`
    gives the replicates of the bootstrap where they are kept for several figures.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        value = float(statistic(whole.sum(axis=0))) if n else float("nan")
        if np.isnan(value):
            return Estimate(value=None, n=n)
        if is_plain and scale == "share":
            low, high = wilson(float(whole[:, 0].sum()), round(float(whole[:, 1].sum())))
            return Estimate(value=value, low=low, high=high, n=n, clusters=n, method="wilson")
        least = -1 if scale == "signed" else 0
        method, reach = _reach(whole, n, statistic, scale if least <= value <= 1 else "number", draw)
    if reach is None:
        return Estimate(value=value, n=n, clusters=len(whole))
    low, high = min(reach[0], value), max(reach[1], value)
    return Estimate(value=value, low=low, high=high, n=n, clusters=len(whole), method=method)


def _reach(
    whole: Floats, n: int, statistic: Statistic, scale: Scale, draw: Callable[[], Floats] | None
) -> tuple[str, tuple[float, float] | None]:
    """How the interval was made, and the interval itself; None with fewer than two clusters."""
    if len(whole) < 2:
        return "", None
    if scale == "bounded":
        return "wilson over clusters", clustered_bounded(whole, statistic)
    if scale == "signed":
        return "wilson over clusters", clustered_signed(whole, statistic)
    if scale == "share":
        return "wilson over clusters", clustered_share(whole[:, 0], whole[:, 1], _most(whole, n))
    return "clustered bootstrap", bootstrap_reach(whole, statistic, replicates(whole) if draw is None else draw())


def _most(whole: Floats, n: int) -> int | None:
    """Right or wrong, each with a weight of 1: clusters are then worth no more than their samples."""
    whole_numbers = bool((whole[:, 0] == np.round(whole[:, 0])).all())
    return n if whole_numbers and float(whole[:, 1].sum()) == n else None
