"""Plot data and plot settings: metrics of models on tasks, the tables beside them, and `vis_config.json`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Struct, field

from sightline.core.errors import ConfigError
from sightline.core.registry import find, names
from sightline.core.settings import convert, read_file, setting
from sightline.i18n import tr
from sightline.reports.formatting import row_name
from sightline.scoring.summary import Row, Summary

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


def unique(names: Iterable[str]) -> list[str]:
    """Each name once, in the order of their first appearance."""
    return list(dict.fromkeys(names))


def plot_data(summaries: Sequence[Summary]) -> PlotData:
    """The figures by task, and the tables beside them."""
    points, panels = [], []
    for summary in summaries:
        rows = summary.rows_of("task")
        first = {row.name: row.metric for row in reversed(rows)}
        shown = {row.name: row_name(row) for row in rows}
        points += [
            Point(
                model=summary.model,
                task=row_name(row),
                metric=row.metric,
                title=row.title,
                unit=row.unit,
                core=row.core,
                headline=first[row.name] == row.metric,
                higher_is_better=row.higher_is_better,
                value=row.estimate.value,
                low=row.estimate.low,
                high=row.estimate.high,
                n=row.estimate.n,
                baseline=row.baseline.value if row.baseline else None,
            )
            for row in rows
        ]
        panels += [
            Panel(
                model=summary.model,
                task=shown.get(table.task, table.task),
                name=table.name,
                head=table.head,
                # a file may hold rows of any length
                rows=tuple(row for row in table.rows if len(row) == len(table.head)),
            )
            for table in summary.breakdowns
            if len(table.head) > 1
        ]
        panels += _rung_panels(summary)
    return PlotData(title=tr(summaries[0].title), points=tuple(points), panels=tuple(panels))


def _rung_panels(summary: Summary) -> list[Panel]:
    """The ladder of diagnosis: metrics that say by their `rung` (0 to 1) how far up an answer must have come."""
    wanted = [row for row in summary.rows if row.scope in ("overall", "task")]
    rows = [(rung, row) for row in wanted if (rung := _rung(row)) is not None]
    steps = dict(sorted({rung: row.title for rung, row in rows}.items()))
    if len(steps) < 2:
        return []
    found = {(rung, row.scope, row.name): row for rung, row in rows}
    head: list[str] = ["rung"]
    table: list[list[Entry]] = [[title] for title in steps.values()]
    for scope, name in dict.fromkeys((row.scope, row.name) for _, row in rows):
        shown = next(row_name(row) for _, row in rows if (row.scope, row.name) == (scope, name))
        shown = shown or tr("All samples")
        head += [shown, f"{shown}_low", f"{shown}_high"]
        for line, rung in zip(table, steps, strict=True):
            row = found.get((rung, scope, name))
            line += [None] * 3 if row is None else [row.estimate.value, row.estimate.low, row.estimate.high]
    return [Panel(model=summary.model, task="", name="rungs", head=tuple(head), rows=tuple(map(tuple, table)))]


def _rung(row: Row) -> float | None:
    if row.metric not in names("metrics"):  # a file must not name code to be loaded
        return None
    rung = getattr(find("metrics", row.metric), "rung", None)
    return float(rung) if isinstance(rung, int | float) else None


PLOT_KINDS = (
    *("bars", "radar", "heatmap", "by_size", "by_count", "per_class", "confusion", "pr_curve", "boundary", "grid"),
    *("rungs", "pairs", "calibration"),
)
FORMATS = ("png", "pdf")
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7", "#F0E442", "#555555")
"""The colours of Okabe and Ito, which colour-blind readers can tell apart; the strongest first, grey for black."""


class VisConfig(Struct, frozen=True, kw_only=True):
    """The settings of the plots."""

    width: Annotated[int, setting("least width of a PNG, in pixels", ge=1920, le=16000)] = 1920
    height: Annotated[int, setting("least height of a PNG, in pixels", ge=1080, le=16000)] = 1080
    dpi: Annotated[int, setting("pixels an inch, on a page 12.8 inches wide", ge=72, le=600)] = 150
    palette: Annotated[tuple[str, ...], setting("colours of the models, as #RRGGBB")] = OKABE_ITO
    formats: Annotated[tuple[str, ...], setting("files of every plot", choices=FORMATS)] = FORMATS
    plots: Annotated[tuple[str, ...], setting("which kinds are drawn", choices=PLOT_KINDS)] = PLOT_KINDS
    radar_maximum: Annotated[dict[str, float], setting("value at the rim, for metrics that are no shares")] = field(
        default_factory=lambda: {"cider": 1.0}
    )
    font_size: Annotated[float, setting("size of the labels, in points", ge=6, le=24)] = 13.0


VIS_CONFIG = Path(__file__).with_name("vis_config.json")
"""The defaults as a file, for whoever wants to change them."""


def read_vis_config(path: Path | None = None) -> VisConfig:
    """The settings in a file; without one, the defaults."""
    if path is None:
        return VisConfig()
    vis = convert(VisConfig, read_file(path), str(path))
    _check_palette(vis, path)
    for metric, maximum in vis.radar_maximum.items():
        if not 0 < maximum < float("inf"):
            raise ConfigError(
                "radar_maximum in {path}: the maximum of '{metric}' must be above 0, not {value}.",
                path=path,
                metric=metric,
                value=maximum,
            )
    return vis


def _check_palette(vis: VisConfig, path: Path) -> None:
    if not vis.palette:
        raise ConfigError("palette in {path} must name at least one colour.", path=path)
    for colour in vis.palette:
        if not re.fullmatch(r"#[0-9A-Fa-f]{6}", colour):
            raise ConfigError(
                "palette in {path}: '{colour}' is not a colour. Use the form #0072B2.", path=path, colour=colour
            )
