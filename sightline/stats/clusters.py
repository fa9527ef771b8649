"""Sums by cluster: all that a figure and its interval need, in bounded memory, the same in every order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from sightline.records import Estimate, Grade
from sightline.stats.exact import ONE, fixed
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
from sightline.stats.state_checks import checked, require

EXACT = 4096
"""Up to so many clusters are kept apart; beyond, they are folded into groups, which are as independent as they are."""
GROUPS = 1024


class ClusterTotals(Struct, kw_only=True):
    """Column sums a cluster. A sample that names no cluster is one by itself."""

    columns: int
    sums: dict[str, list[int]] = {}
    folded: bool = False
    samples: int = 0
    independent: bool = True
    """No sample named a cluster."""
    binary: bool = True
    """Every value was 0 or 1: together with `independent`, a share may use Wilson's interval."""

    def add(self, grade: Grade, values: Sequence[float]) -> None:
        """Add the columns of one grade to its cluster."""
        self.samples += 1
        self.independent = self.independent and not grade.cluster
        self.binary = self.binary and all(value in (0, 1) for value in values)
        cluster = grade.cluster or grade.sample
        self._put(_group(cluster) if self.folded else cluster, [fixed(value) for value in values])

    def merge(self, other: ClusterTotals) -> None:
        """Add all of another's clusters."""
        self.samples += other.samples
        self.independent = self.independent and other.independent
        self.binary = self.binary and other.binary
        if other.folded and not self.folded:
            self._fold()
        for cluster, sums in other.sums.items():
            self._put(_group(cluster) if self.folded and not other.folded else cluster, sums)

    def state_dict(self) -> dict[str, Any]:
        """The sums as values."""
        names = ("sums", "folded", "samples", "independent", "binary")
        return {name: getattr(self, name) for name in names}

    def load_state_dict(self, state: Any) -> None:
        """Take the sums of others with as many columns. Raises `ValueError` where they are not such sums."""
        found = checked(state, ClusterTotals(columns=self.columns).state_dict())
        for key, row in found["sums"].items():
            require(type(key) is str, type(row) is list and len(row) == self.columns)
            require(all(type(value) is int for value in row))
        require(type(found["samples"]) is int and found["samples"] >= 0)
        for name, value in found.items():
            setattr(self, name, value)

    def _put(self, key: str, sums: Sequence[int]) -> None:
        if (row := self.sums.get(key)) is not None:
            for column, value in enumerate(sums):
                row[column] += value
            return
        self.sums[key] = list(sums)
        if len(self.sums) > EXACT and not self.folded:
            self._fold()

    def _fold(self) -> None:
        apart, self.sums, self.folded = self.sums, {}, True
        for cluster, sums in apart.items():
            self._put(_group(cluster), sums)

    def table(self) -> Floats:
        """Clusters × columns, in an order that does not depend on how they came."""
        rows = [self.sums[key] for key in sorted(self.sums)]
        return np.array(rows, dtype=np.float64).reshape(len(rows), self.columns) / ONE

    def estimate(self, statistic: Statistic, scale: Scale = "number") -> Estimate:
        """The statistic of the totals with its interval. A share has the columns (successes, count)."""
        return estimate(self.table(), self.samples, statistic, scale, self.independent and self.binary)


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


def _group(cluster: str) -> str:
    digest = hashlib.blake2b(cluster.encode(), digest_size=4).digest()
    return f"#{int.from_bytes(digest, 'little') % GROUPS}"
