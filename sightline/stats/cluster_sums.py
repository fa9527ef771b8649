"""Exact sums by cluster, and the estimate of a statistic of them: its value, interval and bounds.

Sums are exact, so that no order, split or merge changes a digit. Bounds are lower and upper limits of a mean score for
samples that failed or could not be parsed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.core.records import COUNTED, Estimate
from sightline.stats.exact import WeightRange
from sightline.stats.influence import FOLDED_CLUSTERS as FOLDED_CLUSTERS
from sightline.stats.influence import MAX_EXACT_CLUSTERS as MAX_EXACT_CLUSTERS
from sightline.stats.influence import ClusterEstimate, Hashes, Influence
from sightline.stats.intervals import (
    Floats,
    Scale,
    Statistic,
    clustered_share,
    influence_interval,
    jackknife,
    replicates,
    wilson,
)
from sightline.stats.state_checks import require, validate_state
from sightline.stats.student import ratio_influences

_LIMB = 2.0**40
_FLUSH_ROWS = 16_384
_LIMBS = 3
"""A value is a·2⁴⁰ + b + c·2⁻⁴⁰ with whole a, b, c: up to 10²⁴ and down to a trillionth, summed without rounding."""


def estimate(
    cluster_totals: Floats,
    n: int,
    statistic: Statistic,
    scale: Scale,
    is_binomial: bool,
    max_effective_samples: float | None = None,
    keys: Hashes | None = None,
    is_folded: bool = False,
) -> Estimate:
    """The statistic of the sum of all clusters (rows), with its interval.

    `is_binomial`: samples are independent and each is right or wrong, so that Wilson's interval holds for their share.
    `max_effective_samples` limits the effective sample size; None: the number of samples does. `keys` are the hashes of
    the clusters, with which the estimate carries their influence.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        value = float(statistic(cluster_totals.sum(axis=0))) if n else float("nan")
        if np.isnan(value):
            return Estimate(value=None, n=n)
        least, most = _RANGES[scale]
        scale = scale if least <= value <= most else "number"
        part, whole, is_share = cluster_totals[:, 0], cluster_totals[:, -1], scale == "share"
        influences = ratio_influences(part, whole) if is_share else jackknife(cluster_totals, statistic)
        method, clusters = _METHODS[scale], len(cluster_totals)
        interval: tuple[float, float] | None
        if is_binomial and is_share:
            interval = wilson(float(part.sum()), round(float(whole.sum())))
            method, clusters = "wilson", n
        elif is_share:
            interval = clustered_share(part, whole, _sample_limit(cluster_totals, n, max_effective_samples))
        else:
            are_alike = value in (least, most) or not np.nan_to_num(influences).any()
            telling = int((~np.isnan(statistic(cluster_totals))).sum()) if are_alike else 0
            interval = influence_interval(value, influences, scale, telling)
    if interval is None:
        return Estimate(value=value, n=n, clusters=clusters)
    low, high = min(interval[0], value), max(interval[1], value)
    return ClusterEstimate(
        value=value,
        low=low,
        high=high,
        n=n,
        clusters=clusters,
        method=method,
        influence=None if keys is None else Influence(keys, influences, is_folded),
    )


_RANGES: dict[Scale, tuple[float, float]] = {
    "share": (0, 1),
    "bounded": (0, 1),
    "signed": (-1, 1),
    "positive": (0, math.inf),
    "number": (-math.inf, math.inf),
}
_METHODS: dict[Scale, str] = {
    "share": "wilson over clusters",
    "bounded": "wilson over clusters",
    "signed": "wilson over clusters",
    "positive": "hall over clusters",
    "number": "hall over clusters",
}


def _sample_limit(cluster_totals: Floats, n: int, max_effective_samples: float | None) -> float | None:
    """Upper limit of the effective sample size: n for unweighted binary scores, unless one is given; else None."""
    if float(cluster_totals[:, 1].sum()) != n:
        return None
    if max_effective_samples is not None:
        return max_effective_samples
    return n if bool((cluster_totals[:, 0] == np.round(cluster_totals[:, 0])).all()) else None


class ClusterSums:
    """Exact column sums per cluster; more than `MAX_EXACT_CLUSTERS` are folded into `FOLDED_CLUSTERS` by their hash.

    Sample weights: once one is not 1, the sums of the weighted values are kept beside those of the plain ones. Where
    all weights turn out equal, the plain ones count, so that equal weights change no digit.
    """

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.samples = 0
        self.binary = True
        self.folded = False
        self._keys: Hashes = np.empty(0, np.uint64)
        self._sums: NDArray[np.int64] = np.empty((0, _LIMBS * columns), np.int64)
        """Limbs of the plain sums; behind them, where there are weights, those of the weighted sums."""
        self.weights = WeightRange()
        self._replicates: Floats | None = None
        self._pending: list[tuple[Hashes, Floats]] = []
        self._pending_rows = 0

    @property
    def _width(self) -> int:
        return _LIMBS * self.columns

    def add(self, clusters: Hashes, values: NDArray[Any], weights: Floats | None = None) -> None:
        """Add the rows of `values`, shape (samples, columns), to their clusters; `weights` None: each counts once."""
        if not len(clusters):
            return
        self.samples += len(clusters)
        wanted = np.asarray(values, np.float64).reshape(len(clusters), self.columns)
        self.binary = self.binary and bool(((wanted == 0) | (wanted == 1)).all())
        self.weights.add(weights)
        weighted = wanted if weights is None else wanted * weights[:, None]
        if not self.weights.is_unit:
            wanted = np.concatenate((wanted, weighted), axis=1)
        if self._pending and self._pending[-1][1].shape[1] != wanted.shape[1]:
            self._flush()
        self._pending.append((clusters, wanted))
        self._pending_rows += len(clusters)
        if self._pending_rows >= _FLUSH_ROWS:
            self._flush()

    def _flush(self) -> None:
        """Add what is waiting: sorting many rows at once costs little more than sorting a few."""
        if not self._pending:
            return
        clusters, values = (np.concatenate(parts) for parts in zip(*self._pending, strict=True))
        self._pending, self._pending_rows = [], 0
        parts = [_split_limbs(part) for part in np.split(values, values.shape[1] // self.columns, axis=1)]
        self._add_sums(clusters % FOLDED_CLUSTERS if self.folded else clusters, np.concatenate(parts, axis=1))

    def merge(self, other: Self) -> None:
        """Add all of another's clusters."""
        self.samples += other.samples
        self.binary = self.binary and other.binary
        self._flush()
        other._flush()
        self.weights.merge(other.weights)
        if other.folded and not self.folded:
            self._fold()
        self._add_sums(other._keys % FOLDED_CLUSTERS if self.folded else other._keys, other._sums)

    def state_dict(self) -> dict[str, Any]:
        """The sums as values and arrays."""
        self._flush()
        flags = {"samples": self.samples, "binary": self.binary, "folded": self.folded}
        plain, weighted = self._sums[:, : self._width], self._sums[:, self._width :]
        return {**flags, "keys": self._keys, "sums": plain, "weighted": weighted, **self.weights.state_dict()}

    def load_state_dict(self, state: Any) -> None:
        """Restore the sums, of as many columns; raises `ValueError` if the data are invalid."""
        found = validate_state(state, ClusterSums(self.columns).state_dict())
        keys, sums, samples = found["keys"], found["sums"], found["samples"]
        weighted = found["weighted"]
        require(len(keys) == len(sums), bool((keys[1:] > keys[:-1]).all()), type(samples) is int and samples >= 0)
        require(weighted.shape in ((len(keys), 0), sums.shape))
        self.weights.load_state_dict({name: found[name] for name in self.weights.state_dict()})
        require(self.weights.is_unit or weighted.shape == sums.shape)
        self.samples, self.binary, self.folded = samples, bool(found["binary"]), bool(found["folded"])
        require(not self.folded or bool((keys < FOLDED_CLUSTERS).all()))
        self._keys, self._sums, self._replicates = keys, np.concatenate((sums, weighted), axis=1), None
        self._pending, self._pending_rows = [], 0

    def _add_sums(self, keys: Hashes, sums: NDArray[np.int64]) -> None:
        if not len(keys):
            return
        self._replicates = None
        width = max(sums.shape[1], self._sums.shape[1])
        keys, sums = (
            np.concatenate((self._keys, keys)),
            np.concatenate((_widen(self._sums, width), _widen(sums, width))),
        )
        # the numbers of groups are small, and small numbers are sorted by digits
        order = np.argsort(keys.astype(np.uint16) if self.folded else keys, kind="stable")
        keys = keys[order]
        first = np.flatnonzero(np.concatenate((np.ones(1, bool), keys[1:] != keys[:-1])))
        self._keys, self._sums = keys[first], np.add.reduceat(sums[order], first, axis=0)
        if len(self._keys) > MAX_EXACT_CLUSTERS and not self.folded:
            self._fold()

    def _fold(self) -> None:
        keys, sums, self.folded = self._keys % FOLDED_CLUSTERS, self._sums, True
        self._keys, self._sums = self._keys[:0], self._sums[:0]
        self._add_sums(keys, sums)

    def _counted_limbs(self) -> NDArray[np.int64]:
        """Limbs of the sums that count: the weighted ones where weights differ."""
        self._flush()
        return self._sums[:, : self._width] if self.weights.is_even else self._sums[:, self._width :]

    def table(self) -> Floats:
        """Clusters × columns, in an order that does not depend on how they came."""
        limbs = self._counted_limbs().reshape(len(self._keys), _LIMBS, self.columns).astype(np.float64)
        return limbs[:, 0] * _LIMB + (limbs[:, 1] + limbs[:, 2] / _LIMB)

    def totals(self) -> Floats:
        """The sum of every column, rounded once."""
        whole = [sum(column) for column in self._counted_limbs().T.tolist()]
        limbs = np.array(whole, dtype=object).reshape(_LIMBS, self.columns)
        scale = 2**40
        exact = [(int(a) * scale + int(b)) * scale + int(c) for a, b, c in limbs.T]
        return np.array([total / scale for total in exact], dtype=np.float64)

    def estimate(self, statistic: Statistic, scale: Scale = "number") -> Estimate:
        """The statistic of the totals with its interval. A share has the columns (successes, count)."""
        return column_estimate(self, range(self.columns), statistic, scale, is_binary=self.binary)

    @property
    def keys(self) -> Hashes:
        """Hashes of the clusters in the order of `table`; the numbers of groups where they are folded."""
        self._flush()
        return self._keys

    @property
    def is_independent(self) -> bool:
        """Whether each sample is a cluster by itself and counts as much as any other."""
        self._flush()
        return not self.folded and len(self._keys) == self.samples and self.weights.is_even

    def draw_replicates(self) -> Floats:
        """Column totals of every replicate of the cluster bootstrap, which all figures of these sums share."""
        if self._replicates is None:
            self._replicates = replicates(self.table())
        return self._replicates


def column_estimate(
    sums: ClusterSums,
    columns: Sequence[int],
    statistic: Statistic,
    scale: Scale = "number",
    *,
    is_binary: bool = True,
    max_effective_samples: float | None = None,
) -> Estimate:
    """The statistic of some columns of the sums. A share has the columns (successes, samples); `is_binary`: each
    sample is a success or none, so that Wilson's interval holds where samples are independent."""
    table = sums.table()[:, columns]
    is_binomial = is_binary and sums.is_independent
    return estimate(table, sums.samples, statistic, scale, is_binomial, max_effective_samples, sums.keys, sums.folded)


def _widen(sums: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Plain sums with weighted ones behind them, which are the same where nothing had a weight."""
    return sums if sums.shape[1] == width else np.concatenate((sums, sums), axis=1)


def _split_limbs(values: Floats) -> NDArray[np.int64]:
    """The values split into whole limbs, all first limbs before all second ones."""
    high = np.floor(values / _LIMB)
    rest = values - high * _LIMB
    whole = np.floor(rest)
    return np.concatenate((high, whole, np.round((rest - whole) * _LIMB)), axis=1).astype(np.int64)


def with_statuses(estimate: Estimate, statuses: Mapping[str, int]) -> Estimate:
    """The estimate with the number of samples that were not read, not answered, or not asked."""
    unread = sum(statuses.get(status, 0) for status in COUNTED if status != "answered")
    return replace(estimate, unparsed=unread, invalid=statuses.get("invalid", 0), failed=statuses.get("failed", 0))


def with_bounds(estimate: Estimate, masses: Mapping[str, int]) -> Estimate:
    """The mean score with its floor, all failures wrong, and its ceiling, all failed and unread samples right.

    `masses` are the weights of the samples of each status, as whole numbers: equal weights cancel out exactly.
    """
    answered = sum(masses.get(status, 0) for status in COUNTED)
    if estimate.value is None or not answered:
        return estimate
    unread, failed = answered - masses.get("answered", 0), masses.get("failed", 0)
    floor, ceiling = estimate.value, min(1.0, estimate.value + unread / answered)
    if failed:
        asked = answered + failed
        floor, ceiling = floor * (answered / asked), min(1.0, ceiling * (answered / asked) + failed / asked)
    return replace(estimate, floor=floor, ceiling=ceiling)
