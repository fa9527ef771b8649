"""What is plotted: figures of models on tasks, and the tables beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

Entry = str | float | int | None


class Point(Struct, frozen=True, kw_only=True):
    """One figure of one model on one task."""

    model: str
    task: str
    metric: str
    title: str
    """Of the metric, as people read it."""
    unit: Literal["share", "number"]
    core: bool
    headline: bool
    higher_is_better: bool
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    baseline: float | None = None
    """What the best blind strategy earns, where there is one."""


class Panel(Struct, frozen=True, kw_only=True):
    """A table of one model on one task, such as `by_size` or `confusion`; its name is the kind of its plot."""

    model: str
    task: str
    name: str
    head: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]


class PlotData(Struct, frozen=True, kw_only=True):
    """All that the plots of one report are drawn from."""

    title: str
    points: tuple[Point, ...]
    panels: tuple[Panel, ...] = ()

    def texts(self) -> Iterator[str]:
        """Every text that a plot may show."""
        yield self.title
        for point in self.points:
            yield from (point.model, point.task, point.title)
        for panel in self.panels:
            yield from (panel.model, panel.task, *panel.head)
            yield from (entry for row in panel.rows for entry in row if isinstance(entry, str))


def finite(value: Entry) -> float | None:
    """The number, or None where there is none that could be drawn."""
    if isinstance(value, str) or value is None or not math.isfinite(value):
        return None
    return float(value)


def in_order(names: Iterable[str]) -> list[str]:
    """Each name once, in the order of their first appearance."""
    return list(dict.fromkeys(names))
