"""Blind baselines for shapes and masks: constant replies, graded by the metric of the task over the same samples.

The candidates follow from the truths of the whole task, so they know as much as a model that has seen the data set but
looks at no picture: the box in the middle of the truths' extent, the average box, and the whole extent or, where
samples have several shapes, a grid of average boxes, as many as a sample has on average; of masks nothing at all and
the whole extent. They are few, and the same in any order of samples.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from msgspec.structs import replace

from sightline.data.columns import Batch, Polygons, Shapes
from sightline.scoring.geometry.arrays import Floats
from sightline.scoring.geometry.boxes import corners_of
from sightline.scoring.metrics.state import Metric, MetricContext, MetricState, TargetStatistics, Values
from sightline.stats.state_checks import require, validate_state

if TYPE_CHECKING:
    from sightline.scoring.batch import ScoreBatch

_UNIT = 2.0**20
_FARTHEST = 1e5
"""Coordinates beyond it count as so far: sums stay whole numbers of 64 bits."""
_MOST_BOXES = 100
NOTHING, EXTENT, CENTRE, AVERAGE, GRID = (
    "always nothing",
    "always the whole extent",
    "always the middle",
    "always the average box",
    "always a grid of average boxes",
)


class ShapePrior(TargetStatistics):
    """Extent, average box and average number of the true shapes of a task; exact, in any order."""

    def __init__(self) -> None:
        self.extent: Floats = np.array([np.inf, np.inf, -np.inf, -np.inf])
        self.sums = [0, 0, 0, 0]
        """Of the bounds of all shapes, in units of 2⁻²⁰."""
        self.shapes = 0
        self.samples = 0

    def add(self, truth: Any, key: int) -> None:
        """See `TargetStatistics`."""
        self.samples += len(truth)
        bounds = _bounds(truth)
        if not len(bounds):
            return
        self.shapes += len(bounds)
        low, high = bounds[:, :2].min(axis=0), bounds[:, 2:].max(axis=0)
        self.extent = np.concatenate((np.minimum(self.extent[:2], low), np.maximum(self.extent[2:], high)))
        whole = np.rint(bounds * _UNIT).astype(np.int64).sum(axis=0)
        self.sums = [mine + more for mine, more in zip(self.sums, whole.tolist(), strict=True)]

    def merge(self, other: Self) -> None:
        """See `TargetStatistics`."""
        self.samples += other.samples
        self.shapes += other.shapes
        self.extent = np.concatenate(
            (np.minimum(self.extent[:2], other.extent[:2]), np.maximum(self.extent[2:], other.extent[2:]))
        )
        self.sums = [mine + more for mine, more in zip(self.sums, other.sums, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """The counts as values."""
        return {"extent": self.extent, "sums": np.array(self.sums), "shapes": self.shapes, "samples": self.samples}

    def load_state_dict(self, state: Any) -> None:
        """Restore the counts; raises `ValueError` if the data are invalid."""
        found = validate_state(state, ShapePrior().state_dict())
        require(found["extent"].shape == (4,), found["sums"].shape == (4,), found["shapes"] >= 0, found["samples"] >= 0)
        self.extent, self.sums = found["extent"], found["sums"].tolist()
        self.shapes, self.samples = found["shapes"], found["samples"]

    def candidates(self, is_mask: bool) -> dict[str, Floats]:
        """The boxes of each constant reply, by its name."""
        nothing = {NOTHING: np.empty((0, 4))} if is_mask else {}
        if not self.shapes:
            return nothing
        extent = {EXTENT: self.extent.reshape(1, 4)}
        if is_mask:  # drawing masks takes time
            return nothing | extent
        x1, y1, x2, y2 = self.extent.tolist()
        middle = ((3 * x1 + x2) / 4, (3 * y1 + y2) / 4, (x1 + 3 * x2) / 4, (y1 + 3 * y2) / 4)
        average = np.array(self.sums) / _UNIT / self.shapes
        single = {CENTRE: np.array([middle]), AVERAGE: average.reshape(1, 4)}
        count = min(round(self.shapes / self.samples), _MOST_BOXES)
        return single | ({GRID: _grid(self.extent, average, count)} if count > 1 else extent)


def _bounds(truth: Any) -> Floats:
    """Bounds of all shapes of a column."""
    if isinstance(truth, Polygons):
        if not len(truth.points):
            return np.empty((0, 4))
        points, starts = np.clip(truth.points, -_FARTHEST, _FARTHEST), truth.rings[:-1]
        return np.concatenate((np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)), axis=1)
    points = np.clip(truth.coords.reshape(-1, truth.coords.shape[1] // 2, 2), -_FARTHEST, _FARTHEST)
    return np.concatenate((points.min(axis=1), points.max(axis=1)), axis=1) if len(points) else np.empty((0, 4))


def _grid(extent: Floats, average: Floats, count: int) -> Floats:
    """As many boxes of average size, spread evenly over the extent, row by row."""
    columns = math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    number = np.arange(count)
    share = np.stack(((number % columns + 0.5) / columns, (number // columns + 0.5) / rows), axis=1)
    centre = extent[:2] + share * (extent[2:] - extent[:2])
    half = (average[2:] - average[:2]) / 2
    return np.concatenate((centre - half, centre + half), axis=1)


class ConstantReplyState(MetricState):
    """The metric of a task over constant replies. A subclass is made for each task; see `constant_reply_state`."""

    metric: ClassVar[Metric]
    takes_weights: ClassVar[bool] = True
    statistics_type: ClassVar[type[TargetStatistics] | None] = ShapePrior
    excluded_from_state: ClassVar[tuple[str, ...]] = ("context", "boxes")

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        prior, kind = self.context.target_statistics, self.metric.state
        inner = replace(self.context, target_statistics=None, metric_names=frozenset({self.metric.name}))
        is_mask = kind.input_kind == "polygons"
        single = bool(getattr(self.context.parser, "single", False))
        boxes = {} if prior is None or not prior.samples else prior.candidates(is_mask)
        self.boxes = {name: each for name, each in boxes.items() if not single or len(each) == 1}
        self.states: dict[str, MetricState] = {name: kind(inner) for name in self.boxes}

    def update(self, scores: ScoreBatch) -> Values:
        """See `MetricState`."""
        batch = scores.parsed
        if batch is None or not len(batch):
            return {}
        for name, state in self.states.items():
            constant = _repeat(self.boxes[name], batch.truth, len(batch))
            read = np.ones(len(batch), bool)
            parsed = Batch(batch.truth, constant, read, batch.clusters, batch.key, batch.weights)
            state.update(replace(scores, parsed=parsed))
        return {}

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        for name, state in self.states.items():
            state.merge(other.states[name])

    def blind_baseline(self, metric: Metric) -> tuple[str, float] | None:
        """See `MetricState`."""
        if metric.name != self.metric.name:
            return None
        values = {name: self.metric.compute(state).value for name, state in self.states.items()}
        known = {name: value for name, value in values.items() if value is not None}
        return max(known.items(), key=lambda pair: pair[1]) if known else None


def constant_reply_state(metric: Metric | None) -> type[MetricState] | None:
    """The state of constant replies for a headline metric; None where there is no such baseline for it."""
    if metric is None or not metric.higher_is_better or metric.unit != "share":
        return None
    if metric.state.input_kind not in ("shapes", "polygons") or metric.state.statistics_type is not None:
        return None
    made: type[MetricState] = type(
        "ConstantReplyState", (ConstantReplyState,), {"metric": metric, "__module__": __name__}
    )
    return made


def _repeat(boxes: Floats, truth: Any, samples: int) -> Any:
    """A column with the same boxes in every sample, as shapes of the kind of the truths."""
    offsets, counts = np.arange(samples + 1) * len(boxes), np.full(samples, float(len(boxes)))
    if isinstance(truth, Polygons):
        points = np.tile(corners_of(boxes).reshape(-1, 2), (samples, 1))
        return Polygons(offsets, np.arange(samples * len(boxes) + 1) * 4, points, counts)
    shapes = boxes if truth.coords.shape[1] == 4 else corners_of(boxes)
    return Shapes(offsets, np.tile(shapes, (samples, 1)), counts)
