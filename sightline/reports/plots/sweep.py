"""Plot of a sweep over pixel budgets: score with its interval above, prompt tokens per request below."""

from __future__ import annotations

from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from sightline.i18n import tr
from sightline.reports.plots.data import VisConfig, read_vis_config
from sightline.reports.plots.style import INK, QUIET, drawable, new_page, pixels_per_inch, plot_style, set_title
from sightline.runs.comparison.sweep import Sweep, describe_budget


def draw_sweep(sweep: Sweep, folder: Path) -> None:
    """Write sweep.png and sweep.svg."""
    vis = read_vis_config(None)
    with plot_style(vis, [sweep.model, sweep.suite]):
        figure = _draw(sweep, vis)
        figure.set_dpi(pixels_per_inch(vis))
        FigureCanvasAgg(figure).print_png(str(folder / "sweep.png"), metadata={"Software": None})  # type: ignore[no-untyped-call]
        figure.set_layout_engine("none")
        # letters as shapes: no reader needs the fonts; a fixed salt gives the same bytes every time
        with matplotlib.rc_context({"svg.fonttype": "path", "svg.hashsalt": "sightline"}):
            metadata = {"Date": None, "Creator": None}
            FigureCanvasSVG(figure).print_svg(str(folder / "sweep.svg"), metadata=metadata)  # type: ignore[no-untyped-call]


def _draw(sweep: Sweep, vis: VisConfig) -> Figure:
    has_tokens = any(point.tokens_per_request for point in sweep.points)
    figure = new_page(vis)
    if has_tokens:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=[2.2, 1.0])
    else:
        above = below = figure.add_subplot()
    _draw_scores(above, sweep, vis)
    if has_tokens:
        _draw_tokens(below, sweep, vis)
    # evenly spaced: a ladder of budgets doubles from step to step, and the original size is no number
    labels = [drawable(str(describe_budget(point.max_pixels))) for point in sweep.points]
    below.set_xticks(range(len(labels)), labels)
    below.set_xlim(-0.5, len(labels) - 0.5)
    below.set_xlabel(tr("Max. pixels"))
    set_title(figure, vis, tr("Sweep over pixel budgets"), sweep.suite, sweep.model)
    rule = tr(
        "knee: by paired differences to the largest budget, margin {margin} points", margin=f"{100 * sweep.margin:g}"
    )
    figure.supxlabel(f"{tr('Whiskers: 95 % intervals')} · {rule}", fontsize=vis.font_size * 0.85, color=QUIET)
    return figure


def _draw_scores(axes: Axes, sweep: Sweep, vis: VisConfig) -> None:
    factor = 100.0 if sweep.unit == "share" else 1.0
    ink, accent = vis.palette[0], vis.palette[1 % len(vis.palette)]
    drawn = [(index, point.score) for index, point in enumerate(sweep.points) if point.score is not None]
    known = [(index, score) for index, score in drawn if score.value is not None]
    axes.plot([x for x, _ in known], [factor * (score.value or 0) for _, score in known], color=ink, linewidth=1.6)
    for index, score in known:
        value = factor * (score.value or 0.0)
        low = value if score.low is None else factor * score.low
        high = value if score.high is None else factor * score.high
        is_knee = index == sweep.knee
        axes.errorbar(
            index,
            value,
            yerr=[[max(0.0, value - low)], [max(0.0, high - value)]],
            fmt="o",
            color=accent if is_knee else ink,
            ecolor=accent if is_knee else ink,
            capsize=5,
            markersize=11 if is_knee else 7,
        )
        marks = [tr("knee")] * is_knee
        text = " · ".join([f"{value:.1f}", *marks])
        axes.annotate(
            text,
            (index, max(value, high)),
            (0, 6),
            textcoords="offset points",
            ha="center",
            va="bottom",
            color=accent if is_knee else INK,
        )
    name = tr(sweep.metric) if sweep.metric else tr("Score")
    axes.set_ylabel(f"{name}, %" if sweep.unit == "share" else name)
    axes.margins(y=0.2)
    axes.grid(axis="y")
    axes.tick_params(length=0)


def _draw_tokens(axes: Axes, sweep: Sweep, vis: VisConfig) -> None:
    values = [point.tokens_per_request or 0.0 for point in sweep.points]
    colours = [vis.palette[1 % len(vis.palette) if index == sweep.knee else 0] for index in range(len(values))]
    axes.bar(range(len(values)), values, 0.5, color=colours)
    for index, value in enumerate(values):
        axes.annotate(f"{value:,.0f}", (index, value), (0, 3), textcoords="offset points", ha="center", va="bottom")
    axes.set_ylabel(tr("Prompt tokens\nper request"))
    axes.margins(y=0.25)
    axes.grid(axis="y")
    axes.tick_params(length=0)
