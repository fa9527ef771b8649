"""Parsers, scorers and metrics by the names that a task gives them, whatever their form.

A plug-in may be simple: a parser is a function text → `Parsed`, a metric a function (truth, reply) → number or a class
that takes grades one at a time. These are wrapped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from sightline.core.errors import ConfigError
from sightline.core.interfaces import Task
from sightline.core.registry import find
from sightline.data.columns import Batch
from sightline.scoring.metrics.state import Metric, MetricContext, MetricState, Values
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.plugin_adapters import FunctionParser, FunctionState, RecordMetricState, score_equality

CompareColumns = Callable[[Batch, MetricContext], Values]
"""Truths and replies to each sample's `score`, 0 to 1, and other values that a reader wants to see."""

_KINDS = {
    "numbers": ("numbers:score_numbers", "numbers:NumberState"),
    "labels": ("labels:score_labels", "labels:LabelState"),
    "ranks": ("ranks:score_ranks", "ranks:RankState"),
    "shapes": ("detection:score_shapes", "detection:DetectionState"),
    "polygons": ("mask_comparison:score_masks", "masks:MaskState"),
    "texts": ("captions.state:score_captions", "captions.state:CaptionState"),
}
"""How columns of a kind are scored, and the state with their breakdowns and blind baseline; in `scoring.metrics`."""


def find_parser(name: str) -> ColumnParser:
    """The parser of that name, able to read columns."""
    found = find("parsers", name)
    if isinstance(found, ColumnParser):
        return found
    if isinstance(found, type) or not callable(found):
        raise ConfigError(
            "'{name}' is not a parser. Expected a function that takes a text and returns Parsed or Unparsed.", name=name
        )
    return FunctionParser(function=found, name=name)


def find_metric(name: str) -> Metric:
    """The metric of that name, in whatever form it is registered."""
    found = find("metrics", name)
    if isinstance(found, Metric):
        return found if found.name == name else replace(found, name=name)  # reports use the task's name for it
    if isinstance(found, type):
        return _class_metric(name, found)
    if not callable(found):
        raise _not_a_metric(name)
    state: type[Any] = type("FunctionState", (FunctionState,), {"function": staticmethod(found)})
    title = (found.__doc__ or "").strip() or name.rpartition(":")[2]
    return Metric(name=name, title=title.splitlines()[0], state=state, compute=state.compute, unit="number")


def _class_metric(name: str, found: type[Any]) -> Metric:
    if issubclass(found, MetricState) and callable(getattr(found, "compute", None)):
        state: type[Any] = found
    elif all(callable(getattr(found, part, None)) for part in ("add", "merge", "result")):
        state = type("RecordMetricState", (RecordMetricState,), {"metric_type": found})
    else:
        raise _not_a_metric(name)
    return Metric(
        name=name,
        title=getattr(found, "title", "") or name,
        state=state,
        compute=state.compute,
        higher_is_better=getattr(found, "higher_is_better", True),
        unit=getattr(found, "unit", "share"),
        is_mean=getattr(found, "is_mean", False),
    )


def _not_a_metric(name: str) -> ConfigError:
    return ConfigError(
        "'{name}' is not a metric. Expected a function of truth and reply, or a class with add, merge and result.",
        name=name,
    )


def check_kinds(task: Task, parser: ColumnParser, metrics: list[Metric]) -> None:
    """Refuse a task whose metric is about another kind of column than its parser reads."""
    for metric in metrics:
        kind = metric.state.input_kind
        if kind not in ("any", parser.kind):
            raise ConfigError(
                "The task '{task}': the metric '{metric}' is about {takes}, but the parser '{parser}' reads {kind}.",
                task=task.name,
                metric=metric.name,
                takes=kind,
                parser=task.parser,
                kind=parser.kind,
            )


def find_column_scorer(parser: ColumnParser, metrics: list[Metric]) -> CompareColumns:
    """What scores the replies of a task: by the kind of column, else the first function among its metrics."""
    if parser.kind in _KINDS:
        compare: CompareColumns = find("metrics", f"sightline.scoring.metrics.{_KINDS[parser.kind][0]}")
        return compare
    functions = [metric.state for metric in metrics if issubclass(metric.state, FunctionState)]
    return functions[0].score if functions else score_equality


def kind_state(parser: ColumnParser) -> type[MetricState] | None:
    """The state of the parser's kind of column, which is kept whatever the metrics: it has the breakdowns."""
    if parser.kind not in _KINDS:
        return None
    state: type[MetricState] = find("metrics", f"sightline.scoring.metrics.{_KINDS[parser.kind][1]}")
    return state
