"""A chart as a picture."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from msgspec import Struct

from sightline.core.fonts import chinese_typeface
from sightline.suites.matrix.generator.palette import CHART_PALETTES
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.understanding.chart_shapes import SHAPES, Style
from sightline.suites.matrix.generator.understanding.charts import Chart

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
    style = Style(
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
