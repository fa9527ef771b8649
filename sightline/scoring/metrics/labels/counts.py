"""What is counted by class: hits, predictions, truths, the confusion of single labels."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sightline.data.columns import Batch, Hashes, Offsets
from sightline.scoring.metrics.labels.sums import ClusterCounts
from sightline.scoring.metrics.labels.survey import LabelSurvey
from sightline.stats.intervals import Floats
from sightline.stats.weights import UNIT, WeightRange, fixed_weights

MOST_IN_INTERVALS = 64
"""With more classes figures have no interval: the table of clusters would be large."""
MOST_IN_CONFUSION = 100


class ClassCounts:
    """Counts over the classes of a survey; nothing in it grows with what the replies say."""

    excluded_from_state: ClassVar[tuple[str, ...]] = ("codes", "names")

    def __init__(self, survey: LabelSurvey) -> None:
        self.codes = survey.codes()
        self.names = [survey.names[code] for code in self.codes.tolist()]
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
        true, given = self._places(truth.codes), self._places(reply.codes)
        true_rows, given_rows = _rows(truth.offsets), _rows(reply.offsets)
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
        self._confuse(batch, true, given)

    def weighted(self) -> Floats:
        """Hits, predictions and truths of each class, then the samples, by their weights where these differ."""
        return self.totals.astype(np.float64) if self.weights.is_even else self.masses / UNIT

    def _confuse(self, batch: Batch, true: Offsets, given: Offsets) -> None:
        """Samples with one true label by what was said: a class, something else, nothing that could be read."""
        if self.confusion is None:
            return
        size = len(self.codes)
        one = np.flatnonzero(np.diff(batch.truth.offsets) == 1)
        actual = true[batch.truth.offsets[one]]
        said = np.full(len(one), size)
        single = np.diff(batch.reply.offsets)[one] == 1
        named = given[batch.reply.offsets[one][single]]
        said[single] = np.where(named >= 0, named, size)
        said[~batch.answered[one]] = size + 1
        kept = actual >= 0
        np.add.at(self.confusion, (actual[kept], said[kept]), 1)

    def _places(self, codes: Hashes) -> Offsets:
        """The class of each code; −1 where it is none."""
        if not len(self.codes):
            return np.full(len(codes), -1)
        places = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[places] == codes, places, -1)

    def merge(self, other: Self) -> None:
        """Take all that `other`, over the same classes, has counted."""
        self.totals += other.totals
        self.masses += other.masses
        self.weights.merge(other.weights)
        self.unknown += other.unknown
        self.several += other.several
        if self.confusion is not None and other.confusion is not None:
            self.confusion += other.confusion
        if self.clusters is not None and other.clusters is not None:
            self.clusters.merge(other.clusters)


def _rows(offsets: Offsets) -> Offsets:
    """Which sample each label is of."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
