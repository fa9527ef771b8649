"""Parsers and metrics by the names that a task gives them, whatever their make.

Built in are parsers and figures over columns. A plug-in may be simpler: a function text → `Parsed`, a function
(truth, reply) → number, or a row metric; these are wrapped here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.columns import Batch, Read, TextColumn
from sightline.contracts import Parser, Task
from sightline.errors import ConfigError
from sightline.metrics.tally import Figure, Plan, Tally, Values
from sightline.parsing.column import ColumnParser
from sightline.records import Estimate, Grade, Unparsed
from sightline.registry import find, names
from sightline.stats.groups import GroupSums

_TALLIES = {
    "numbers": "sightline.metrics.numbers:NumberTally",
    "labels": "sightline.metrics.labels.tally:LabelTally",
    "ranks": "sightline.metrics.ranks:RankTally",
    "shapes": "sightline.metrics.detection.tally:DetectionTally",
    "polygons": "sightline.metrics.masks.tally:MaskTally",
    "texts": "sightline.metrics.captions.tally:CaptionTally",
}
"""Which tally counts a kind of column where no figure names one."""


class Objects(Struct, frozen=True):
    """Plain values, for parsers that read one text at a time; None where nothing was read."""

    kind: ClassVar[str] = "objects"
    values: NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: NDArray[Any]) -> Objects:
        """See `Column`."""
        return Objects(self.values[rows])


class TextParser(ColumnParser, frozen=True, kw_only=True):
    """A parser of single texts, used on a column."""

    kind: ClassVar[str] = "objects"
    function: Parser

    def read(self, texts: TextColumn) -> Read:
        """Read every text, one after another."""
        values = np.full(len(texts), None, dtype=object)
        errors = np.zeros(len(texts), np.uint8)
        reasons = [""]
        for row, text in enumerate(texts):
            got = self.function(text)
            if isinstance(got, Unparsed):
                if got.reason not in reasons and len(reasons) < 255:
                    reasons.append(got.reason)
                errors[row] = reasons.index(got.reason) if got.reason in reasons else len(reasons) - 1
            else:
                values[row] = got.value
        return Read(Objects(values), errors, tuple(reasons))

    def value(self, values: Any) -> Any:
        """The value itself."""
        return values.values[0]


def find_parser(name: str) -> ColumnParser:
    """The parser of that name, able to read columns."""
    found = find("parsers", name)
    return found if isinstance(found, ColumnParser) else TextParser(function=found)


def find_figure(name: str) -> Figure:
    """The metric of that name: a figure as it is; a function or row metric as a figure of a tally of its own."""
    if name in names("figures"):
        figure: Figure = find("figures", name)
        return figure
    found = find("metrics", name)
    if isinstance(found, Figure):
        return found
    if isinstance(found, type):
        tally: type[Tally] = type("RowMetricTally", (_RowMetricTally,), {"metric_type": found})
        return Figure(
            name=name,
            title=getattr(found, "title", name),
            tally=tally,
            read=lambda made: made.estimate(),
            higher_is_better=getattr(found, "higher_is_better", True),
            unit=getattr(found, "unit", "share"),
        )
    tally = type("FunctionTally", (_FunctionTally,), {"function": staticmethod(found)})
    title = (found.__doc__ or name.rpartition(":")[2]).strip().splitlines()[0]
    return Figure(name=name, title=title, tally=tally, read=lambda made: made.estimate(), unit="number")


def tally_types(task: Task, parser: ColumnParser, figures: list[Figure]) -> list[type[Tally]]:
    """The tallies that a task's figures are read from, the one that scores samples first."""
    wanted = list(dict.fromkeys(figure.tally for figure in figures if figure.tally is not Tally))
    for figure in figures:
        takes = getattr(figure.tally, "takes", "any")
        if figure.tally is not Tally and takes not in ("any", parser.kind):
            raise ConfigError(
                "The task '{task}': the metric '{metric}' is about {takes}, but the parser '{parser}' reads {kind}.",
                task=task.name,
                metric=figure.name,
                takes=takes,
                parser=task.parser,
                kind=parser.kind,
            )
    proper = [tally for tally in wanted if tally.takes == parser.kind]
    if not proper and parser.kind in _TALLIES:
        proper = [find("metrics", _TALLIES[parser.kind])]
    if not proper and not wanted:
        proper = [EqualTally]
    return [*proper, *(tally for tally in wanted if tally not in proper)]


class _PlainTally(Tally):
    """Counts samples one at a time, as plain values."""

    takes = "any"

    def pairs(self, batch: Batch) -> list[tuple[Any, Any, bool]]:
        """(truth, reply, whether it was read) of each sample."""
        value = self.plan.parser.value
        pairs = []
        for row in range(len(batch)):
            at, read = np.array([row]), bool(batch.answered[row])
            pairs.append((value(batch.truth.take(at)), value(batch.reply.take(at)) if read else None, read))
        return pairs


class EqualTally(_PlainTally):
    """Full marks for a reply whose value is that of the truth: what `accuracy` of a user's own parser means."""

    def count(self, batch: Batch) -> Values:
        return {"score": np.array([float(read and truth == reply) for truth, reply, read in self.pairs(batch)])}


class _FunctionTally(_PlainTally):
    """Mean over samples of a function of truth and reply; a reply that could not be read earns 0."""

    function: ClassVar[Callable[[Any, Any], float]]

    def __init__(self, plan: Plan | None = None) -> None:
        super().__init__(plan)
        self._sums = GroupSums(2)

    def count(self, batch: Batch) -> Values:
        earned = [float(type(self).function(truth, reply)) if read else 0.0 for truth, reply, read in self.pairs(batch)]
        value = np.array(earned, np.float64)
        self._sums.add(batch.clusters, np.stack((value, np.ones(len(batch))), axis=1))
        return {"score": np.clip(value, 0, 1)}

    def merge(self, other: Self) -> None:
        super().merge(other)
        self._sums.merge(other._sums)

    def estimate(self) -> Estimate:
        """The mean."""
        return self._sums.estimate(lambda totals: totals[..., 0] / totals[..., 1])


class _RowMetricTally(_PlainTally):
    """Feeds a metric that takes grades: `values` of a grade hold `target` and `predicted`; equal is full marks."""

    metric_type: ClassVar[type[Any]]

    def __init__(self, plan: Plan | None = None) -> None:
        super().__init__(plan)
        self._metric = self.metric_type()

    def count(self, batch: Batch) -> Values:
        score = np.zeros(len(batch))
        for row, (truth, reply, read) in enumerate(self.pairs(batch)):
            score[row] = float(read and truth == reply)
            cluster = str(batch.clusters[row])
            self._metric.add(
                Grade(
                    sample=f"{cluster}/{row}",
                    task="",
                    state="ok" if read else "unparsed",
                    score=float(score[row]),
                    last_score=float(score[row]),
                    best_score=float(score[row]),
                    values={"target": truth, "predicted": reply},
                    cluster=cluster,
                )
            )
        return {"score": score}

    def merge(self, other: Self) -> None:
        super().merge(other)
        self._metric.merge(other._metric)

    def estimate(self) -> Estimate:
        """The metric's own result."""
        result: Estimate = self._metric.result()
        return result
