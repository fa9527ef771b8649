"""Drawing of charts of fifteen kinds with Matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from io import BytesIO
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter
from msgspec import Struct

from sightline.core.fonts import chinese_typeface
from sightline.suites.matrix.generator.canvas import CHART_PALETTES
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.understanding.charts import Chart
from sightline.suites.matrix.generator.understanding.dials import format_number

_LONG = 10_000
"""From here on the numbers of a lying axis stand aslant."""


class ChartStyle(Struct, frozen=True, kw_only=True):
    """How it looks."""

    colours: tuple[str, ...]
    width: float
    """Of bars, as a share of their room."""
    line: float
    marker: str
    hatch: str
    vary: bool
    """Whether the bars of one series differ in colour."""


def _ticks(axis: Any, chart: Chart) -> None:
    """Numbers at the large ticks."""
    axis.set_major_locator(FixedLocator([chart.axis.major * k for k in range(chart.axis.count + 1)]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: format_number(value)))


def _minor_ticks(chart: Chart) -> list[float]:
    """The small ticks."""
    count, parts = chart.axis.count, chart.axis.parts
    return [chart.axis.minor * k for k in range(count * parts + 1) if k % parts]


def _grid_style() -> dict[str, Any]:
    return {"linewidth": 0.4, "color": mpl.rcParams["grid.color"], "zorder": 0.5}


def _upright(axes: Any, chart: Chart) -> list[int]:
    """Labels below, values at the left."""
    axes.set_ylim(0, chart.axis.top)
    _ticks(axes.yaxis, chart)
    axes.set_axisbelow(True)
    axes.grid(axis="y", linewidth=0.9)
    # lines in one go: thirty small ticks would take most of the time
    axes.hlines(_minor_ticks(chart), 0, 1, transform=axes.get_yaxis_transform(), **_grid_style())
    places = list(range(len(chart.labels)))
    axes.set_xticks(places, chart.labels)
    return places


def _colours(chart: Chart, style: ChartStyle) -> list[str]:
    count = len(chart.labels)
    return [style.colours[k % len(style.colours)] if style.vary else style.colours[0] for k in range(count)]


def _values(chart: Chart) -> list[float]:
    return list(next(iter(chart.table.values())).values())


def _bar(axes: Any, chart: Chart, style: ChartStyle) -> None:
    axes.bar(_upright(axes, chart), _values(chart), style.width, color=_colours(chart, style), hatch=style.hatch)


def _barh(axes: Any, chart: Chart, style: ChartStyle) -> None:
    axes.set_xlim(0, chart.axis.top)
    _ticks(axes.xaxis, chart)
    axes.set_axisbelow(True)
    axes.grid(axis="x", linewidth=0.9)
    axes.vlines(_minor_ticks(chart), 0, 1, transform=axes.get_xaxis_transform(), **_grid_style())
    places = list(range(len(chart.labels)))
    axes.barh(places, _values(chart), style.width, color=_colours(chart, style), hatch=style.hatch)
    axes.set_yticks(places, chart.labels)
    if chart.axis.top >= _LONG:
        axes.tick_params(axis="x", rotation=30)


def _line(axes: Any, chart: Chart, style: ChartStyle) -> None:
    axes.plot(_upright(axes, chart), _values(chart), color=style.colours[0], linewidth=style.line, marker=style.marker)


def _area(axes: Any, chart: Chart, style: ChartStyle) -> None:
    places = _upright(axes, chart)
    axes.fill_between(places, _values(chart), color=style.colours[0], alpha=0.45)
    axes.plot(places, _values(chart), color=style.colours[0], linewidth=style.line, marker=".")


def _lollipop(axes: Any, chart: Chart, style: ChartStyle) -> None:
    places = _upright(axes, chart)
    axes.vlines(places, 0, _values(chart), color=style.colours[0], linewidth=style.line)
    axes.scatter(places, _values(chart), s=46, color=style.colours[0], marker=style.marker, zorder=3)
    axes.set_xlim(-0.5, len(places) - 0.5)


def _scatter(axes: Any, chart: Chart, style: ChartStyle) -> None:
    """Points anywhere along the way, each with its label."""
    _upright(axes, chart)
    values = _values(chart)
    axes.scatter(range(len(values)), values, s=40, color=_colours(chart, style), marker=style.marker, zorder=3)
    axes.set_xlim(-0.5, len(values) - 0.2)
    axes.set_xticks([])
    for k, (label, value) in enumerate(zip(chart.labels, values, strict=True)):
        axes.annotate(label, (k, value), xytext=(7, 0), textcoords="offset points", va="center")


def _polar(axes: Any, chart: Chart, style: ChartStyle) -> None:
    count = len(chart.labels)
    angles = [2 * np.pi * k / count for k in range(count)]
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.bar(angles, _values(chart), 2 * np.pi / count * style.width, color=_colours(chart, style), zorder=2)
    axes.set_ylim(0, chart.axis.top)
    _ticks(axes.yaxis, chart)
    axes.set_xticks(angles, chart.labels)
    axes.set_rlabel_position(180.0 / count)
    axes.tick_params(axis="y", labelsize=8, zorder=4)
    axes.tick_params(axis="x", pad=9)
    axes.xaxis.grid(False)
    axes.yaxis.grid(True, which="major", linewidth=0.9, color="#8d959c", zorder=3)
    for level in _minor_ticks(chart):
        axes.plot(np.linspace(0, 2 * np.pi, 181), [level] * 181, linewidth=0.35, color="#8d959c", zorder=3)
    axes.set_axisbelow(False)


def _histogram(axes: Any, chart: Chart, style: ChartStyle) -> None:
    edges = [float(chart.labels[0].split("–")[0]), *(float(label.split("–")[1]) for label in chart.labels)]
    _upright(axes, chart)
    axes.bar(edges[:-1], _values(chart), np.diff(edges), align="edge", color=style.colours[0], edgecolor="#ffffff")
    axes.set_xticks(edges, [format_number(edge) for edge in edges])
    axes.set_xlim(edges[0], edges[-1])


def _box(axes: Any, chart: Chart, style: ChartStyle) -> None:
    """The median is the value; the rest is spread around it."""
    step, top = chart.axis.minor, chart.axis.top
    stats = []
    for k, (label, value) in enumerate(zip(chart.labels, _values(chart), strict=True)):
        low, high = value - (2 + k % 2) * step, min(top, value + (2 + (k + 1) % 3) * step)
        stats.append(
            {
                "label": label,
                "med": value,
                "q1": low,
                "q3": high,
                "whislo": max(0.0, low - (2 + k % 3) * step),
                "whishi": min(top, high + 2 * step),
                "fliers": [],
            }
        )
    places = _upright(axes, chart)
    axes.bxp(
        stats,
        positions=places,
        widths=style.width,
        patch_artist=True,
        showfliers=False,
        boxprops={"facecolor": style.colours[0], "alpha": 0.55},
        medianprops={"color": "#111111", "linewidth": 2.2},
    )


def _pie(axes: Any, chart: Chart, style: ChartStyle) -> None:
    _slices(axes, chart, style, {})


def _donut(axes: Any, chart: Chart, style: ChartStyle) -> None:
    _slices(axes, chart, style, {"width": 0.42})


def _slices(axes: Any, chart: Chart, style: ChartStyle, ring: dict[str, float]) -> None:
    values = _values(chart)
    texts = [f"{label}\n{format_number(value)}" for label, value in zip(chart.labels, values, strict=True)]
    colours = [style.colours[k % len(style.colours)] for k in range(len(values))]
    axes.pie(
        values,
        labels=texts,
        colors=colours,
        startangle=90,
        labeldistance=1.22,
        textprops={"ha": "center", "va": "center"},
        wedgeprops={"edgecolor": "white", **ring},
    )


def _grouped(axes: Any, chart: Chart, style: ChartStyle) -> None:
    places, count = np.array(_upright(axes, chart)), len(chart.table)
    wide = style.width / count
    for k, (name, row) in enumerate(chart.table.items()):
        at = places + (k - (count - 1) / 2) * wide
        axes.bar(at, list(row.values()), wide * 0.94, color=style.colours[k], label=name)


def _stacked(axes: Any, chart: Chart, style: ChartStyle) -> None:
    places = _upright(axes, chart)
    below = np.zeros(len(places))
    for k, (name, row) in enumerate(chart.table.items()):
        axes.bar(places, list(row.values()), style.width, below, color=style.colours[k], label=name)
        below = below + np.array(list(row.values()))


def _lines(axes: Any, chart: Chart, style: ChartStyle) -> None:
    places = _upright(axes, chart)
    for k, (name, row) in enumerate(chart.table.items()):
        marker, dash = ("o", "s", "^")[k], ("-", "--", "-.")[k]
        axes.plot(
            places, list(row.values()), dash, color=style.colours[k], linewidth=style.line, marker=marker, label=name
        )


def _heat_map(axes: Any, chart: Chart, style: ChartStyle) -> None:
    grid = np.array([list(row.values()) for row in chart.table.values()])
    axes.imshow(grid, cmap=("viridis", "Blues", "YlOrRd", "BuGn")[len(style.hatch) + int(style.vary)], aspect="auto")
    axes.set_xticks(range(len(chart.labels)), chart.labels)
    axes.set_yticks(range(len(chart.table)), list(chart.table))
    for (row, column), value in np.ndenumerate(grid):
        back = {"facecolor": "#ffffff", "edgecolor": "none", "alpha": 0.75, "pad": 2}
        axes.text(column, row, format_number(float(value)), ha="center", va="center", bbox=back)


SHAPES: dict[str, Callable[[Any, Chart, ChartStyle], None]] = {
    "bar": _bar,
    "barh": _barh,
    "line": _line,
    "area": _area,
    "lollipop": _lollipop,
    "scatter": _scatter,
    "polar": _polar,
    "histogram": _histogram,
    "box": _box,
    "pie": _pie,
    "donut": _donut,
    "grouped": _grouped,
    "stacked": _stacked,
    "lines": _lines,
    "heat": _heat_map,
}
"""How each kind is drawn."""


_DOTS = 100
_WIDE = {"left": 0.13, "right": 0.96, "bottom": 0.1, "top": 0.9}
_WITH_LEGEND = {**_WIDE, "bottom": 0.2}
_MARGINS = {
    "barh": {**_WIDE, "left": 0.18, "bottom": 0.13},
    "heat": {**_WIDE, "left": 0.2},
    "polar": {"left": 0.1, "right": 0.9, "bottom": 0.1, "top": 0.82},
    "pie": {"left": 0.1, "right": 0.9, "bottom": 0.08, "top": 0.85},
    "donut": {"left": 0.1, "right": 0.9, "bottom": 0.08, "top": 0.85},
}
_ROUND = ("polar", "pie", "donut")
_FACES = ("DejaVu Sans", "DejaVu Sans", "DejaVu Serif", "STIXGeneral")


class ChartPicture(Struct, frozen=True, kw_only=True):
    """The picture and where its axis lies in it."""

    png: bytes
    zero: float = 0.0
    """Pixel row (column for bars that lie) of the value 0, from the top (left)."""
    unit: float = 0.0
    """Pixels that a value of 1 takes; 0 where numbers are printed."""


def draw_chart(chart: Chart, rng: SampleRng) -> ChartPicture:
    """The chart in a style of chance."""
    colours = rng.pick(CHART_PALETTES)
    start = rng.whole(0, len(colours) - 1)
    style = ChartStyle(
        colours=colours[start:] + colours[:start],
        width=rng.between(0.5, 0.8),
        line=rng.between(1.4, 2.8),
        marker=rng.pick(("o", "s", "D", "^")),
        hatch=rng.pick(("", "", "", "//")),
        vary=rng.chance(0.3),
    )
    rc: dict[Any, Any] = {
        "font.family": [rng.pick(_FACES), *_chinese_font_name()],
        "font.size": rng.pick((10, 11, 12)),
        "axes.facecolor": rng.pick(("#ffffff", "#ffffff", "#f6f8fa", "#fdf9f0")),
        "axes.spines.top": rng.chance(),
        "axes.spines.right": rng.chance(),
        "grid.color": rng.pick(("#c4cad0", "#d5d9dd")),
        "hatch.linewidth": 0.6,
    }
    with mpl.rc_context(rc):
        wide, high = rng.pick((6.0, 6.6)), rng.pick((4.4, 4.8))
        figure = Figure(figsize=(wide, 5.6 if chart.kind == "polar" else high), dpi=_DOTS)
        canvas = FigureCanvasAgg(figure)
        # the picture's own ground
        figure.set_facecolor(rng.pick(("#ffffff", "#ffffff", "#faf7f0", "#f3f6f9")))
        axes = figure.add_subplot(projection="polar" if chart.kind == "polar" else None)
        SHAPES[chart.kind](axes, chart, style)
        _titles(axes, chart, rng)
        figure.subplots_adjust(**_MARGINS.get(chart.kind, _WIDE if chart.single else _WITH_LEGEND))
        stream = BytesIO()
        canvas.print_png(stream, metadata={"Software": None}, pil_kwargs={"compress_level": 3})  # type: ignore[no-untyped-call]
        zero, unit = _scale(figure, axes, chart)
    return ChartPicture(png=stream.getvalue(), zero=zero, unit=unit)


@cache
def _chinese_font_name() -> tuple[str, ...]:
    """The name under which Matplotlib knows the Chinese typeface."""
    place = chinese_typeface()
    if place is None:
        return ()
    font_manager.fontManager.addfont(str(place))
    return (font_manager.FontProperties(fname=str(place)).get_name(),)


def _titles(axes: Any, chart: Chart, rng: SampleRng) -> None:
    title = f"{chart.topic} ({chart.unit})"
    axes.set_title(
        title,
        loc="left" if chart.kind in _ROUND else rng.pick(("left", "center")),
        pad=18 if chart.kind in _ROUND else 8,
    )
    if not chart.single and chart.kind != "heat":
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.09), ncols=3, frameon=False)


def _scale(figure: Figure, axes: Any, chart: Chart) -> tuple[float, float]:
    if chart.kind in ("pie", "donut", "heat"):
        return 0.0, 0.0
    if chart.kind == "barh":
        zero, top = (axes.transData.transform((value, 0))[0] for value in (0, chart.axis.top))
        return float(zero), float((top - zero) / chart.axis.top)
    zero, top = (axes.transData.transform((0, value))[1] for value in (0, chart.axis.top))
    high = figure.bbox.height
    if chart.kind == "polar":
        zero, top = (np.array(axes.transData.transform((0, value))) for value in (0, chart.axis.top))
        return 0.0, float(np.hypot(*(top - zero)) / chart.axis.top)
    return float(high - zero), float((top - zero) / chart.axis.top)
