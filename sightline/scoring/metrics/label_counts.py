"""Counts by class and by cluster, and what is computed from them: precision, recall, F1, Cohen's kappa.

Definitions are scikit-learn's with `labels` = the classes of the truths, so that no reply can add a class. Importing
this module imports Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sightline.core.records import Estimate
from sightline.data.columns import Batch, Hashes, Offsets
from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.geometry.arrays import image_of_rows
from sightline.scoring.metrics.state import TargetStatistics
from sightline.stats.cluster_sums import FOLDED_CLUSTERS, estimate
from sightline.stats.exact import WEIGHT_UNIT, WeightRange, fixed_weights
from sightline.stats.intervals import Floats, Scale, Statistic
from sightline.stats.state_checks import require, validate_state

MOST_IN_INTERVALS = 64
"""With more classes figures have no interval: the table of clusters would be large."""
MOST_IN_CONFUSION = 100


@compiled
def find_label_hits(truth_at: Any, truth: Any, reply_at: Any, reply: Any) -> Any:
    """Which true labels the reply of their sample has; the labels of a sample ascend."""
    found = np.zeros(len(truth), np.bool_)
    for row in range(len(truth_at) - 1):
        k, stop = reply_at[row], reply_at[row + 1]
        for j in range(truth_at[row], truth_at[row + 1]):
            while k < stop and reply[k] < truth[j]:
                k += 1
            found[j] = k < stop and reply[k] == truth[j]
    return found


@compiled
def compare_lists(truth_at: Any, truth: Any, reply_at: Any, reply: Any) -> Any:
    """Of each sample: whether the lists are equal, and whether the sets are; recall, precision and F1 of the sets,
    reciprocal rank; the number of common, wanted and given indices."""
    table = np.zeros((len(truth_at) - 1, 9))
    for row in range(len(table)):
        true, given = truth[truth_at[row] : truth_at[row + 1]], reply[reply_at[row] : reply_at[row + 1]]
        table[row, 0] = len(true) == len(given) and (true == given).all()
        wanted, predicted = np.unique(true), np.unique(given)
        table[row, 7], table[row, 8] = len(wanted), len(predicted)
        if len(true) == 0 or len(given) == 0:
            table[row, 1:6] = 1.0 if len(true) == len(given) else 0.0
            continue
        common, k = 0, 0
        for one in predicted:
            while k < len(wanted) and wanted[k] < one:
                k += 1
            common += k < len(wanted) and wanted[k] == one
        table[row, 1] = common == len(wanted) and common == len(predicted)
        table[row, 2], table[row, 3] = common / len(wanted), common / len(predicted)
        table[row, 4] = 2 * common / (len(wanted) + len(predicted))
        table[row, 6] = common
        if common:
            for rank in range(len(given)):
                position = np.searchsorted(wanted, given[rank])
                if position < len(wanted) and wanted[position] == given[rank]:
                    table[row, 5] = 1 / (rank + 1)
                    break
    return table


class LabelTargetStatistics(TargetStatistics):
    """Code and name of every class that a truth has."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}

    def add(self, truth: Any, key: int) -> None:
        """See `TargetStatistics`."""
        for code in np.unique(truth.codes).tolist():
            self.names.setdefault(code, truth.names[code])

    def merge(self, other: Self) -> None:
        """See `TargetStatistics`."""
        self.names.update(other.names)

    def state_dict(self) -> dict[str, Any]:
        """The classes as values."""
        return {"names": self.names}

    def load_state_dict(self, state: Any) -> None:
        """Restore the classes; raises `ValueError` if the data are invalid."""
        names = validate_state(state, {"names": {}})["names"]
        for code, name in names.items():
            require(type(code) is int and 0 <= code < 2**64, type(name) is str)
        self.names = names

    def codes(self) -> Hashes:
        """The codes of all classes, ascending."""
        return np.array(sorted(self.names), np.uint64)


class ClusterCounts:
    """Counts by cluster (rows) and column; more than `FOLDED_CLUSTERS` are folded into so many by hash."""

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
        keys = clusters % FOLDED_CLUSTERS if self.folded else clusters
        self._hold(keys)
        flat = np.searchsorted(self._keys, keys)[rows] * self.columns + columns
        np.add.at(self.table.reshape(-1), flat, 1)
        if not self.weights.is_unit:
            mass = fixed_weights(np.ones(len(clusters)) if weights is None else weights)
            np.add.at(self.masses.reshape(-1), flat, mass[rows])
        self._bound()

    def _weigh(self, weights: NDArray[np.float64] | None) -> None:
        was_unit = self.weights.is_unit
        self.weights.add(weights)
        if was_unit and not self.weights.is_unit:
            self.masses = self.table * WEIGHT_UNIT

    def merge(self, other: Self) -> None:
        """Add all of another's clusters."""
        was_unit = self.weights.is_unit
        self.weights.merge(other.weights)
        if was_unit and not self.weights.is_unit:
            self.masses = self.table * WEIGHT_UNIT
        if other.folded and not self.folded:
            self._fold()
        keys = other._keys % FOLDED_CLUSTERS if self.folded else other._keys
        self._hold(keys)
        np.add.at(self.table, np.searchsorted(self._keys, keys), other.table)
        if not self.weights.is_unit:
            theirs = other.table * WEIGHT_UNIT if other.weights.is_unit else other.masses
            np.add.at(self.masses, np.searchsorted(self._keys, keys), theirs)
        self._bound()

    def state_dict(self) -> dict[str, Any]:
        """The counts as values and arrays."""
        counted = {"folded": self.folded, "keys": self._keys, "table": self.table}
        return {**counted, "masses": self.masses, **self.weights.state_dict()}

    def load_state_dict(self, state: Any) -> None:
        """Restore the counts, of as many columns; raises `ValueError` if the data are invalid."""
        found = validate_state(state, ClusterCounts(self.columns).state_dict())
        keys, table = found["keys"], found["table"]
        require(len(keys) == len(table), bool((keys[1:] > keys[:-1]).all()))
        self.weights.load_state_dict({name: found[name] for name in self.weights.state_dict()})
        require(self.weights.is_unit or found["masses"].shape == table.shape)
        self.folded, self._keys, self.table = bool(found["folded"]), keys, table
        self.masses = np.zeros((0, 0), np.int64) if self.weights.is_unit else found["masses"]

    def _hold(self, keys: Hashes) -> None:
        every = np.union1d(self._keys, keys)
        if len(every) > len(self._keys):
            positions = np.searchsorted(every, self._keys)
            self.table = _spread(self.table, positions, len(every))
            if not self.weights.is_unit:
                self.masses = _spread(self.masses, positions, len(every))
            self._keys = every

    def _bound(self) -> None:
        if len(self._keys) > FOLDED_CLUSTERS and not self.folded:
            self._fold()

    def _fold(self) -> None:
        keys, table, masses, self.folded = self._keys % FOLDED_CLUSTERS, self.table, self.masses, True
        self._keys, self.table = np.empty(0, np.uint64), np.zeros((0, self.columns), np.int64)
        self.masses = np.zeros((0, 0 if self.weights.is_unit else self.columns), np.int64)
        self._hold(keys)
        np.add.at(self.table, np.searchsorted(self._keys, keys), table)
        if not self.weights.is_unit:
            np.add.at(self.masses, np.searchsorted(self._keys, keys), masses)

    def estimate(self, statistic: Statistic, scale: Scale, n: int) -> Estimate:
        """A figure of the sums of n samples with its interval."""
        table = self.table.astype(np.float64) if self.weights.is_even else self.masses / WEIGHT_UNIT
        return estimate(table, n, statistic, scale, False, keys=self._keys, is_folded=self.folded)


def _spread(table: Offsets, rows: NDArray[np.intp], length: int) -> Offsets:
    """The table with its rows at other places among `length`, and zeros between them."""
    spread = np.zeros((length, table.shape[1]), np.int64)
    spread[rows] = table
    return spread


class ClassCounts:
    """Counts over the classes of all targets; nothing in it grows with what the replies say."""

    excluded_from_state: ClassVar[tuple[str, ...]] = ("codes", "names")

    def __init__(self, statistics: LabelTargetStatistics) -> None:
        self.codes = statistics.codes()
        self.names = [statistics.names[code] for code in self.codes.tolist()]
        size = len(self.codes)
        self.totals = np.zeros(3 * size + 1, np.int64)
        """Hits, predictions and truths of each class, then the number of samples."""
        self.masses = np.zeros(3 * size + 1, np.int64)
        """The same with every sample counted by its weight, as `fixed_weights` has it."""
        self.weights = WeightRange()
        self.confusion = np.zeros((size, size + 2), np.int64) if size <= MOST_IN_CONFUSION else None
        self.clusters = ClusterCounts(3 * size + 1) if size <= MOST_IN_INTERVALS else None
        self.unknown = 0
        self.several = 0
        """Samples with several labels, true or given."""

    def add(self, batch: Batch, hit: NDArray[np.bool_]) -> None:
        """Count a batch; `hit` says which true labels were given."""
        truth, reply, size = batch.truth, batch.reply, len(self.codes)
        true, given = self._class_indices(truth.codes), self._class_indices(reply.codes)
        true_rows, given_rows = image_of_rows(truth.offsets), image_of_rows(reply.offsets)
        self.unknown += len(np.unique(given_rows[given < 0]))
        self.several += int(np.count_nonzero((np.diff(truth.offsets) > 1) | (np.diff(reply.offsets) > 1)))
        known, held = given >= 0, true >= 0
        columns = np.concatenate(
            (true[hit & held], size + given[known], 2 * size + true[held], np.full(len(batch), 3 * size))
        )
        rows = np.concatenate((true_rows[hit & held], given_rows[known], true_rows[held], np.arange(len(batch))))
        self.totals += np.bincount(columns, minlength=3 * size + 1)
        self.weights.add(batch.weights)
        mass = fixed_weights(np.ones(len(batch)) if batch.weights is None else batch.weights)
        np.add.at(self.masses, columns, mass[rows])
        if self.clusters is not None:
            self.clusters.add(batch.clusters, rows, columns, batch.weights)
        self._count_confusion(batch, true, given)

    def weighted(self) -> Floats:
        """Hits, predictions and truths of each class, then the samples, by their weights where these differ."""
        return self.totals.astype(np.float64) if self.weights.is_even else self.masses / WEIGHT_UNIT

    def _count_confusion(self, batch: Batch, true: Offsets, given: Offsets) -> None:
        """Samples with one true label by what was said: a class, something else, nothing that could be read."""
        if self.confusion is None:
            return
        size = len(self.codes)
        one = np.flatnonzero(np.diff(batch.truth.offsets) == 1)
        actual = true[batch.truth.offsets[one]]
        predicted = np.full(len(one), size)
        single = np.diff(batch.reply.offsets)[one] == 1
        named = given[batch.reply.offsets[one][single]]
        predicted[single] = np.where(named >= 0, named, size)
        predicted[~batch.answered[one]] = size + 1
        kept = actual >= 0
        np.add.at(self.confusion, (actual[kept], predicted[kept]), 1)

    def _class_indices(self, codes: Hashes) -> Offsets:
        """The class of each code; −1 where it is none."""
        if not len(self.codes):
            return np.full(len(codes), -1)
        positions = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[positions] == codes, positions, -1)

    def merge(self, other: Self) -> None:
        """Merge the state of `other`, over the same classes."""
        self.totals += other.totals
        self.masses += other.masses
        self.weights.merge(other.weights)
        self.unknown += other.unknown
        self.several += other.several
        if self.confusion is not None and other.confusion is not None:
            self.confusion += other.confusion
        if self.clusters is not None and other.clusters is not None:
            self.clusters.merge(other.clusters)


def _parts(totals: Floats) -> tuple[Floats, Floats, Floats]:
    size = totals.shape[-1] // 3
    return totals[..., :size], totals[..., size : 2 * size], totals[..., 2 * size : 3 * size]


def _quotient(upper: Floats, lower: Any) -> Floats:
    """0 where there is nothing to divide by."""
    return np.where(lower > 0, upper / np.where(lower > 0, lower, 1), 0.0)


def precisions(totals: Floats) -> Floats:
    """Hits among the predictions of each class."""
    hit, given, _ = _parts(totals)
    return _quotient(hit, given)


def recalls(totals: Floats) -> Floats:
    """Hits among the truths of each class."""
    hit, _, true = _parts(totals)
    return _quotient(hit, true)


def f1s(totals: Floats) -> Floats:
    """F1 of each class."""
    hit, given, true = _parts(totals)
    return _quotient(2 * hit, given + true)


def macro(of_class: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """The mean over the classes that have a truth; a draw of the bootstrap may lack some."""

    def mean(totals: Floats) -> Floats:
        present = _parts(totals)[2] > 0
        result: Floats = (of_class(totals) * present).sum(axis=-1) / present.sum(axis=-1)
        return result

    return mean


def micro_f1(totals: Floats) -> Floats:
    """F1 of all classes' counts together."""
    hit, given, true = (part.sum(axis=-1) for part in _parts(totals))
    return np.where(true > 0, _quotient(2 * hit, given + true), np.nan)


def kappa(totals: Floats) -> Floats:
    """Cohen's kappa: agreement beyond what the same answers would reach by chance."""
    hit, given, true = _parts(totals)
    n = totals[..., -1]
    agreed, chance = hit.sum(axis=-1) / n, (given * true).sum(axis=-1) / (n * n)
    return np.where(chance < 1, (agreed - chance) / np.where(chance < 1, 1 - chance, 1), np.nan)
