"""Classes of labelled shapes: those of the truths, and matching of each class by itself.

Where no truth has a label, all shapes are of one class, whatever labels replies have.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sightline.data.columns import Batch, Polygons, Shapes, take_ragged
from sightline.scoring.geometry.arrays import Ints, image_of_rows, offsets_of
from sightline.scoring.metrics.label_counts import LabelTargetStatistics
from sightline.scoring.metrics.state import ColumnState, MetricContext, TargetStatistics, Values

NO_LABELS = "shapes have no labels"


class ShapeClassStatistics(LabelTargetStatistics):
    """Code and name of every class that a true shape has; code 0 is that of shapes without a label."""

    def add(self, truth: Any, key: int) -> None:
        """See `TargetStatistics`."""
        if truth.labels is None:
            if len(image_of_rows(truth.offsets)):
                self.names.setdefault(0, "")
            return
        for code in np.unique(truth.labels).tolist():
            self.names.setdefault(code, truth.label_names.get(code, ""))


class ShapeClasses:
    """The classes of a task, in the order of their codes."""

    def __init__(self, statistics: LabelTargetStatistics) -> None:
        self.codes = statistics.codes() if statistics.names else np.zeros(1, np.uint64)
        self.names = [statistics.names.get(code, "") for code in self.codes.tolist()]

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def are_labelled(self) -> bool:
        """Whether true shapes have labels."""
        return bool(self.codes.any())

    def index(self, shapes: Any) -> Ints:
        """The class of each shape; as many as there are classes: it is of none of them."""
        count = len(image_of_rows(shapes.offsets))
        if not self.are_labelled:
            return np.zeros(count, np.int64)
        labels = np.zeros(count, np.uint64) if shapes.labels is None else shapes.labels
        positions = np.minimum(np.searchsorted(self.codes, labels), len(self) - 1)
        return np.where(self.codes[positions] == labels, positions, len(self))


class ClassGroups(NamedTuple):
    """The shapes of a batch regrouped, so that every class of an image is an image by itself."""

    truth: Any
    reply: Any
    """Boxes, quads or polygons."""
    image: Ints
    """The sample of each group."""
    class_index: Ints
    """The class of each group."""
    truth_order: Ints
    """Where each true shape was in the batch."""
    reply_order: Ints


def group_by_class(batch: Batch, classes: ShapeClasses) -> ClassGroups:
    """Regroup the shapes of a batch by sample and class."""

    def compute() -> ClassGroups:
        width = len(classes) + 1
        keys = [image_of_rows(side.offsets) * width + classes.index(side) for side in (batch.truth, batch.reply)]
        groups = np.unique(np.concatenate(keys))
        orders = [np.argsort(key, kind="stable") for key in keys]
        sides = [
            _reorder(side, order, np.bincount(np.searchsorted(groups, key), minlength=len(groups)))
            for side, key, order in zip((batch.truth, batch.reply), keys, orders, strict=True)
        ]
        return ClassGroups(sides[0], sides[1], groups // width, groups % width, orders[0], orders[1])

    return batch.compute_once("class groups", compute)


def _reorder(shapes: Any, order: Ints, sizes: NDArray[np.intp]) -> Any:
    scores, counts = None if shapes.scores is None else shapes.scores[order], np.full(len(sizes), np.nan)
    if isinstance(shapes, Polygons):
        rings, points = take_ragged(shapes.rings, order)
        return Polygons(offsets_of(sizes), rings, shapes.points[points], counts, scores)
    return Shapes(offsets_of(sizes), shapes.coords[order], counts, scores)


class ClassCounts(Protocol):
    """What is counted over samples whose shapes have classes."""

    classes: ShapeClasses

    def add(self, batch: Batch) -> None:
        """Count the samples of a batch."""

    def merge(self, other: Self) -> None:
        """Merge the counts of `other`, over the same classes."""


C = TypeVar("C", bound=ClassCounts)


class ClassState(ColumnState, Generic[C]):
    """Base of states over classes of shapes.

    Without target statistics batches are held until a figure is read, as then all classes are known.
    """

    takes_weights: ClassVar[bool] = True
    statistics_type: ClassVar[type[TargetStatistics] | None] = ShapeClassStatistics
    excluded_from_state: ClassVar[tuple[str, ...]] = ("context", "_settled")
    needs_labels: ClassVar[bool] = True
    """Whether there is nothing to count where shapes have no labels."""

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        statistics = self.context.target_statistics
        self._counted = None if statistics is None else self.make_counts(ShapeClasses(statistics))
        self._held: list[Batch] = []
        self._settled: C | None = None

    @abstractmethod
    def make_counts(self, classes: ShapeClasses) -> C:
        """Counts over these classes, of no sample yet."""

    def count(self, batch: Batch) -> Values:
        """See `ColumnState`."""
        if self._counted is None:
            self._held.append(batch)
            self._settled = None
        elif self._counted.classes.are_labelled or not self.needs_labels:
            self._counted.add(batch)
        return {}

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        if self._counted is not None and other._counted is not None:
            self._counted.merge(other._counted)
        self._held += other._held
        self._settled = None

    @property
    def counts(self) -> C:
        """What was counted."""
        if self._counted is not None:
            return self._counted
        if self._settled is None:
            statistics = ShapeClassStatistics()
            for batch in self._held:
                statistics.add(batch.truth, batch.key)
            self._settled = self.make_counts(ShapeClasses(statistics))
            for batch in self._held:
                batch.results.pop("class groups", None)
                self._settled.add(batch)
        return self._settled
