"""Counts of classes by cluster, and the interval of a figure of them.

Like `GroupSums`, but for very many columns: what a sample adds is a handful of ones, and nothing else is touched.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sightline.data.columns import Hashes, Offsets
from sightline.stats.clusters import GROUPS
from sightline.stats.intervals import Scale, Statistic, clustered_bootstrap, clustered_bounded
from sightline.stats.state_checks import checked, require
from sightline.stats.weights import UNIT, WeightRange, fixed_weights


class ClusterCounts:
    """Counts by cluster (rows) and column; beyond `GROUPS` clusters they are folded into so many by their hash."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.folded = False
        self._keys: Hashes = np.empty(0, np.uint64)
        self.table: Offsets = np.zeros((0, columns), np.int64)
        self.masses: Offsets = np.zeros((0, 0), np.int64)
        """The table with every sample counted by its weight, from the first weight on that is not 1."""
        self.weights = WeightRange()

    def __len__(self) -> int:
        return len(self._keys)

    def add(
        self,
        clusters: Hashes,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        """Add one at each (sample's cluster, column); `rows` says which sample of `clusters` an entry is of."""
        self._weigh(weights)
        keys = clusters % GROUPS if self.folded else clusters
        self._hold(keys)
        flat = np.searchsorted(self._keys, keys)[rows] * self.columns + columns
        np.add.at(self.table.reshape(-1), flat, 1)
        if not self.weights.is_plain:
            mass = fixed_weights(np.ones(len(clusters)) if weights is None else weights)
            np.add.at(self.masses.reshape(-1), flat, mass[rows])
        self._bound()

    def _weigh(self, weights: NDArray[np.float64] | None) -> None:
        was_plain = self.weights.is_plain
        self.weights.add(weights)
        if was_plain and not self.weights.is_plain:
            self.masses = self.table * UNIT

    def merge(self, other: Self) -> None:
        """Add all of another's clusters."""
        was_plain = self.weights.is_plain
        self.weights.merge(other.weights)
        if was_plain and not self.weights.is_plain:
            self.masses = self.table * UNIT
        if other.folded and not self.folded:
            self._fold()
        keys = other._keys % GROUPS if self.folded else other._keys
        self._hold(keys)
        np.add.at(self.table, np.searchsorted(self._keys, keys), other.table)
        if not self.weights.is_plain:
            theirs = other.table * UNIT if other.weights.is_plain else other.masses
            np.add.at(self.masses, np.searchsorted(self._keys, keys), theirs)
        self._bound()

    def state_dict(self) -> dict[str, Any]:
        """The counts as values and arrays."""
        counted = {"folded": self.folded, "keys": self._keys, "table": self.table}
        return {**counted, "masses": self.masses, **self.weights.state_dict()}

    def load_state_dict(self, state: Any) -> None:
        """Take the counts of others with as many columns. Raises `ValueError` where they are not such counts."""
        found = checked(state, ClusterCounts(self.columns).state_dict())
        keys, table = found["keys"], found["table"]
        require(len(keys) == len(table), bool((keys[1:] > keys[:-1]).all()))
        self.weights.load_state_dict({name: found[name] for name in self.weights.state_dict()})
        require(self.weights.is_plain or found["masses"].shape == table.shape)
        self.folded, self._keys, self.table = bool(found["folded"]), keys, table
        self.masses = np.zeros((0, 0), np.int64) if self.weights.is_plain else found["masses"]

    def _hold(self, keys: Hashes) -> None:
        every = np.union1d(self._keys, keys)
        if len(every) > len(self._keys):
            places = np.searchsorted(every, self._keys)
            self.table = _spread(self.table, places, len(every))
            if not self.weights.is_plain:
                self.masses = _spread(self.masses, places, len(every))
            self._keys = every

    def _bound(self) -> None:
        if len(self._keys) > GROUPS and not self.folded:
            self._fold()

    def _fold(self) -> None:
        keys, table, masses, self.folded = self._keys % GROUPS, self.table, self.masses, True
        self._keys, self.table = np.empty(0, np.uint64), np.zeros((0, self.columns), np.int64)
        self.masses = np.zeros((0, 0 if self.weights.is_plain else self.columns), np.int64)
        self._hold(keys)
        np.add.at(self.table, np.searchsorted(self._keys, keys), table)
        if not self.weights.is_plain:
            np.add.at(self.masses, np.searchsorted(self._keys, keys), masses)

    def interval(self, statistic: Statistic, scale: Scale) -> tuple[float, float] | None:
        """The interval of a figure; None with fewer than two clusters."""
        interval = clustered_bounded if scale == "bounded" else clustered_bootstrap
        table = self.table.astype(np.float64) if self.weights.is_even else self.masses / UNIT
        with np.errstate(invalid="ignore", divide="ignore"):
            return interval(table, statistic)


def _spread(table: Offsets, rows: NDArray[np.intp], length: int) -> Offsets:
    """The table with its rows at other places among `length`, and zeros between them."""
    spread = np.zeros((length, table.shape[1]), np.int64)
    spread[rows] = table
    return spread
