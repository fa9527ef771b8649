"""Metrics over columns: a tally takes batches of read samples, and figures are read from it.

All metrics of a family share one tally, so that boxes are matched and captions tokenised once, however many figures
are asked for. Tallies over different samples merge into the tally over all of them, with the same digits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from sightline.columns import Batch
from sightline.records import Estimate, Unit
from sightline.stats.controls import Control
from sightline.stats.groups import GroupSums

Values = dict[str, NDArray[Any]]
"""One array a name, one entry a sample: what a reader of the grades wants to see. `score`, 0 to 1, must be there."""


class Breakdown(Struct, frozen=True, kw_only=True):
    """A table beside the figures: by class, by size, a confusion matrix."""

    name: str
    """Such as `per_class`."""
    head: tuple[str, ...]
    rows: tuple[tuple[str | float | int | None, ...], ...]


class Survey(ABC):
    """What must be known of all truths before the first reply can be graded: classes, document frequencies."""

    @abstractmethod
    def add(self, truth: Any, key: int) -> None:
        """Take the truths of the batch number `key`."""

    @abstractmethod
    def merge(self, other: Self) -> None:
        """Take all that `other` has seen."""


class Plan(Struct, frozen=True, kw_only=True):
    """What a tally is made for."""

    wanted: frozenset[str] = frozenset()
    """The figures that will be read: what costs much is left out where nobody asks."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The task's own options, such as `words` = the asked range of a caption's length."""
    parser: Any = None
    """What read the columns: it can turn a row into a plain value (`parser.value`)."""
    survey: Any = None
    """The finished survey, where the tally's class has one; None: the truths in the batch are all there are."""


class Tally(ABC):
    """The state of a family of metrics."""

    takes: ClassVar[str]
    """The kind of column: `numbers`, `labels`, `ranks`, `shapes`, `polygons`, `texts`."""
    survey_type: ClassVar[type[Survey] | None] = None
    takes_weights: ClassVar[bool] = False
    """Whether its figures respect `Batch.weights`; where they don't and weights differ, the report says so."""
    excluded_from_state: ClassVar[tuple[str, ...]] = ("plan",)
    """Attributes that are not counted but given; a subclass names its own alone. See `books.state_codec`."""

    @classmethod  # noqa: B027  # most tallies need no time to get ready
    def expect(cls, wanted: frozenset[str]) -> None:
        """Samples will come: what takes long to get ready may begin with it."""

    def __init__(self, plan: Plan | None = None) -> None:
        self.plan = plan or Plan()
        self.scores = GroupSums(3)
        """Columns: samples with full marks, samples, their own scores."""

    def add(self, batch: Batch) -> Values:
        """Count a batch in; returns what is worth knowing of each sample."""
        values = self.count(batch)
        score = values["score"] = np.where(batch.answered, values["score"], 0.0)  # what could not be read earns nothing
        self.scores.add(batch.clusters, np.stack((score >= 1, np.ones(len(batch)), score), axis=1), batch.weights)
        return values

    @abstractmethod
    def count(self, batch: Batch) -> Values:
        """Count a batch in; `score` of the returned values is each sample's own, from 0 to 1."""

    def merge(self, other: Self) -> None:
        """Take all that `other` has counted. A subclass adds its own state and calls this."""
        self.scores.merge(other.scores)

    def control(self) -> Control | None:
        """The best constant answer on the same truths, where a constant answer makes sense; `skill` is of accuracy."""
        return None

    def breakdowns(self) -> Sequence[Breakdown]:
        """Tables beside the figures."""
        return ()

    def remarks(self) -> Mapping[str, int]:
        """What was counted on the way and should be told, such as `count disagrees with boxes`."""
        return {}

    def close(self) -> None:  # noqa: B027  # most tallies hold nothing to let go
        """Let processes go."""

    def accuracy(self) -> Estimate:
        """Share of samples with full marks."""
        return self.scores.estimate(lambda totals: totals[..., 0] / totals[..., 1], "share")

    def mean_score(self) -> Estimate:
        """Mean of the samples' own scores."""
        return self.scores.estimate(lambda totals: totals[..., 2] / totals[..., 1], "bounded")


class Figure(Struct, frozen=True, kw_only=True):
    """A metric by name, read from a tally. `tally` = `Tally` itself: it can be read from every kind."""

    name: str
    title: str
    tally: type[Any]
    """A subclass of `Tally`."""
    read: Callable[[Any], Estimate]
    higher_is_better: bool = True
    unit: Unit = "share"
    is_mean: bool = False
    """Whether it is the mean of what each sample earns, from 0 to 1 and 0 for an unread reply: it has bounds then."""


ACCURACY = Figure(name="accuracy", title="Accuracy", tally=Tally, read=lambda tally: tally.accuracy(), is_mean=True)
MEAN_SCORE = Figure(
    name="mean_score", title="Mean score", tally=Tally, read=lambda tally: tally.mean_score(), is_mean=True
)
