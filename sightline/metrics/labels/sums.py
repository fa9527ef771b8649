"""Counts of classes by cluster, and the interval of a figure of them.

Like `GroupSums`, but for very many columns: what a sample adds is a handful of ones, and nothing else is touched.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

from sightline.columns.kinds import Hashes, Places
from sightline.stats.clusters import GROUPS
from sightline.stats.intervals import Scale, Statistic, clustered_bootstrap, clustered_bounded


class ClusterCounts:
    """Counts by cluster (rows) and column; beyond `GROUPS` clusters they are folded into so many by their hash."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.folded = False
        self._keys: Hashes = np.empty(0, np.uint64)
        self.table: Places = np.zeros((0, columns), np.int64)

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, clusters: Hashes, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        """Add one at each (sample's cluster, column); `rows` says which sample of `clusters` an entry is of."""
        keys = clusters % GROUPS if self.folded else clusters
        self._hold(keys)
        flat = np.searchsorted(self._keys, keys)[rows] * self.columns + columns
        np.add.at(self.table.reshape(-1), flat, 1)
        self._bound()

    def merge(self, other: Self) -> None:
        """Add all of another's clusters."""
        if other.folded and not self.folded:
            self._fold()
        keys = other._keys % GROUPS if self.folded else other._keys
        self._hold(keys)
        np.add.at(self.table, np.searchsorted(self._keys, keys), other.table)
        self._bound()

    def _hold(self, keys: Hashes) -> None:
        every = np.union1d(self._keys, keys)
        if len(every) > len(self._keys):
            table = np.zeros((len(every), self.columns), np.int64)
            table[np.searchsorted(every, self._keys)] = self.table
            self._keys, self.table = every, table

    def _bound(self) -> None:
        if len(self._keys) > GROUPS and not self.folded:
            self._fold()

    def _fold(self) -> None:
        keys, table, self.folded = self._keys % GROUPS, self.table, True
        self._keys, self.table = np.empty(0, np.uint64), np.zeros((0, self.columns), np.int64)
        self._hold(keys)
        np.add.at(self.table, np.searchsorted(self._keys, keys), table)

    def interval(self, statistic: Statistic, scale: Scale) -> tuple[float, float] | None:
        """The interval of a figure; None with fewer than two clusters."""
        interval = clustered_bounded if scale == "bounded" else clustered_bootstrap
        with np.errstate(invalid="ignore", divide="ignore"):
            return interval(self.table.astype(np.float64), statistic)
