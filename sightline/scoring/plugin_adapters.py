"""Adapters for plug-ins: parsers of single texts, functions of truth and reply, and classes that take single grades.

User code may return anything: results are validated here before they are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.core.errors import UsageError
from sightline.core.interfaces import Parser
from sightline.core.records import Estimate, Parsed, Unparsed
from sightline.data.columns import Batch, ParsedColumn, TextColumn
from sightline.i18n import tr
from sightline.scoring.batch import ScoreBatch
from sightline.scoring.engines import format_error
from sightline.scoring.metrics.state import ColumnState, Metric, MetricContext, MetricState, Values, ratio
from sightline.scoring.parsers.base import ColumnParser
from sightline.stats.cluster_sums import ClusterSums, column_estimate

_LONGEST = 60
"""Letters of a value that a message shows."""
_ROUNDING = 1e-6
"""A mark may lie so far beyond 0 or 1: a cosine in single precision does."""


class PluginError(UsageError):
    """A parser or metric of the user's own returned what can't be counted."""


class NotAScoreError(Exception):
    """A value that is not a score; re-raised as `PluginError` with the task's name."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value_text = format_value(value)


def not_a_score_error(error: NotAScoreError, task: str, metrics: Sequence[Metric], state: Any) -> PluginError:
    """The error of a metric whose function or state gave what is not a score."""
    return PluginError(
        "The metric '{metric}' of the task '{task}' returned {value}, not a number from 0 to 1.",
        metric=", ".join(metric.name for metric in metrics if metric.state is state),
        task=task,
        value=error.value_text,
    )


def format_value(value: Any) -> str:
    """`repr` of a value on one short line, for messages."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # it is the user's class that says it
        text = type(value).__name__
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def is_plugin(kind: type[MetricState]) -> bool:
    """Whether a state runs code of the user's own."""
    return issubclass(kind, FunctionState | RecordMetricState) or kind.__module__.partition(".")[0] != "sightline"


def check_scores(values: Any) -> NDArray[np.float64]:
    """Check that scores are from 0 to 1; raises `NotAScoreError` for the first that is not."""
    found = np.asarray(values, np.float64)
    if len(wrong := np.flatnonzero(~((found >= -_ROUNDING) & (found <= 1 + _ROUNDING)))):
        raise NotAScoreError(float(found[wrong[0]]))
    return np.clip(found, 0, 1)


class Objects(Struct, frozen=True):
    """Plain values, for parsers that read one text at a time; None where nothing was read."""

    kind: ClassVar[str] = "objects"
    values: NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: NDArray[Any]) -> Objects:
        """See `Column`."""
        return Objects(self.values[rows])


class FunctionParser(ColumnParser, frozen=True, kw_only=True):
    """A parser of single texts, used on a column."""

    kind: ClassVar[str] = "objects"
    function: Parser
    name: str = ""
    task: str = ""
    """Whose replies it reads, for messages."""

    def read(self, texts: TextColumn) -> ParsedColumn:
        """Read every text, one after another."""
        values = np.full(len(texts), None, dtype=object)
        errors = np.zeros(len(texts), np.uint8)
        reasons = [""]
        for row, text in enumerate(texts):
            got = self.function(text)
            if isinstance(got, Unparsed):
                reason = str(got.reason)
                if reason not in reasons and len(reasons) < 255:
                    reasons.append(reason)
                errors[row] = reasons.index(reason) if reason in reasons else len(reasons) - 1
            elif isinstance(got, Parsed):
                values[row] = got.value
            else:
                raise PluginError(
                    "The parser '{parser}' of the task '{task}' returned {value}, not Parsed or Unparsed.",
                    parser=self.name,
                    task=self.task,
                    value=format_value(got),
                )
        return ParsedColumn(Objects(values), errors, tuple(reasons))

    def value(self, values: Any) -> Any:
        """The value itself."""
        return values.values[0]


def plain_pairs(batch: Batch, parser: Any) -> list[tuple[Any, Any, bool]]:
    """(truth, reply, whether it was read) of each sample, as plain values."""
    pairs = []
    for row in range(len(batch)):
        at, read = np.array([row]), bool(batch.answered[row])
        pairs.append((parser.value(batch.truth.take(at)), parser.value(batch.reply.take(at)) if read else None, read))
    return pairs


def score_equality(batch: Batch, context: MetricContext) -> Values:
    """Score 1 where the parsed reply equals the parsed truth; used for plug-in parsers without a metric function."""
    pairs = plain_pairs(batch, context.parser)
    return {"score": np.array([float(read and truth == reply) for truth, reply, read in pairs])}


class FunctionState(ColumnState):
    """Mean over samples of a function of truth and reply; a reply that could not be read earns 0."""

    input_kind = "any"
    takes_weights: ClassVar[bool] = True
    function: ClassVar[Callable[[Any, Any], float]]

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self._sums = ClusterSums(2)

    @classmethod
    def score(cls, batch: Batch, context: MetricContext) -> Values:
        """What the function says of each sample."""

        def apply() -> NDArray[np.float64]:
            pairs = plain_pairs(batch, context.parser)
            return check_scores([_number(cls.function(truth, reply)) if read else 0.0 for truth, reply, read in pairs])

        return {"score": batch.compute_once(f"function {id(cls)}", apply)}

    def count(self, batch: Batch) -> Values:
        """See `ColumnState`."""
        value = self.score(batch, self.context)["score"]
        self._sums.add(batch.clusters, np.stack((value, np.ones(len(batch))), axis=1), batch.weights)
        return {}

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        self._sums.merge(other._sums)

    def compute(self) -> Estimate:
        """The mean."""
        return column_estimate(self._sums, [0, 1], ratio, "share", is_binary=self._sums.binary)


def _number(value: Any) -> float:
    """What a function returned, as a number; a text is none, even where it looks like one."""
    if isinstance(value, str | bytes | bytearray):
        raise NotAScoreError(value)
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise NotAScoreError(value) from None


class RecordMetricState(MetricState):
    """Feeds a class with `add`, `merge` and `result` that takes grades one at a time."""

    takes_weights: ClassVar[bool] = True
    metric_type: ClassVar[type[Any]]

    def __init__(self, context: MetricContext | None = None) -> None:
        super().__init__(context)
        self._metric = self.metric_type()
        self._why = ""
        """Why there will be no figure: the metric could not be merged."""

    def update(self, scores: ScoreBatch) -> Values:
        """See `MetricState`."""
        for grade in scores.records():
            self._metric.add(grade)
        return {}

    def merge(self, other: Self) -> None:
        """See `MetricState`."""
        try:
            self._metric.merge(other._metric)
        except Exception as error:  # the user's code; the other figures are none the worse for it
            self._why = self._why or format_error(error)
        self._why = self._why or other._why

    def compute(self) -> Estimate:
        """The metric's own result."""
        if self._why:
            return Estimate(value=None, reason=self._why)
        result: Estimate = self._metric.result()
        return result


def compute_plugin_metric(compute: Callable[[Any], Estimate], state: MetricState, samples: int) -> Estimate:
    """A figure of the user's own, or why there is none."""
    try:
        found = compute(state)
    except Exception as error:  # the other figures are none the worse for it
        return Estimate(value=None, n=samples, reason=format_error(error))
    value = found.value if isinstance(found, Estimate) else found
    is_finite = isinstance(value, int | float | np.number) and bool(np.isfinite(value))
    if not isinstance(found, Estimate) or not (value is None or is_finite):
        why = tr("the metric's result is {value}, not an Estimate with a finite number", value=format_value(value))
        return Estimate(value=None, n=samples, reason=why)
    return found
