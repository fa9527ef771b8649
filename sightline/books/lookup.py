"""Parsers and metrics by the names that a task gives them, whatever their make.

Built in are parsers and figures over columns. A plug-in may be simpler: a function text → `Parsed`, a function
(truth, reply) → number, or a row metric; these are wrapped.
"""

from __future__ import annotations

from typing import Any

from sightline.books.plain import EqualTally, FunctionTally, RowMetricTally, TextParser
from sightline.contracts import Task
from sightline.errors import ConfigError
from sightline.metrics.tally import Figure, Tally
from sightline.parsing.column import ColumnParser
from sightline.registry import find, names

_TALLIES = {
    "numbers": "sightline.metrics.numbers:NumberTally",
    "labels": "sightline.metrics.labels.tally:LabelTally",
    "ranks": "sightline.metrics.ranks:RankTally",
    "shapes": "sightline.metrics.detection.tally:DetectionTally",
    "polygons": "sightline.metrics.masks.tally:MaskTally",
    "texts": "sightline.metrics.captions.tally:CaptionTally",
}
"""Which tally counts a kind of column where no figure names one."""


def find_parser(name: str) -> ColumnParser:
    """The parser of that name, able to read columns."""
    found = find("parsers", name)
    if isinstance(found, ColumnParser):
        return found
    if isinstance(found, type) or not callable(found):
        raise ConfigError("'{name}' is no parser: a function from a text to Parsed or Unparsed is one.", name=name)
    return TextParser(function=found, name=name)


def find_figure(name: str) -> Figure:
    """The metric of that name: a figure as it is; a function or row metric as a figure of a tally of its own."""
    if name in names("figures"):
        figure: Figure = find("figures", name)
        return figure
    found = find("metrics", name)
    if isinstance(found, Figure):
        return found
    if isinstance(found, type):
        return _row_figure(name, found)
    if not callable(found):
        raise _no_metric(name)
    tally = type("FunctionTally", (FunctionTally,), {"function": staticmethod(found)})
    title = (found.__doc__ or "").strip() or name.rpartition(":")[2]
    return Figure(name=name, title=title.splitlines()[0], tally=tally, read=_estimate, unit="number")


def _row_figure(name: str, found: type[Any]) -> Figure:
    if not all(callable(getattr(found, part, None)) for part in ("add", "merge", "result")):
        raise _no_metric(name)
    return Figure(
        name=name,
        title=getattr(found, "title", name),
        tally=type("RowMetricTally", (RowMetricTally,), {"metric_type": found}),
        read=_estimate,
        higher_is_better=getattr(found, "higher_is_better", True),
        unit=getattr(found, "unit", "share"),
    )


def _estimate(tally: Any) -> Any:
    return tally.estimate()


def _no_metric(name: str) -> ConfigError:
    return ConfigError(
        "'{name}' is no metric: a function of truth and reply is one, or a class with add, merge and result.",
        name=name,
    )


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
