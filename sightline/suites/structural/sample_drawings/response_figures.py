"""Figures of the response to the loads: moments or bar forces, and the deflected shape."""

from __future__ import annotations

from sightline.suites.structural.drawing.canvas import Canvas
from sightline.suites.structural.drawing.shapes import Pen, Text
from sightline.suites.structural.drawing.svg import to_svg
from sightline.suites.structural.drawing.vectors import interpolate
from sightline.suites.structural.fem.solution import Solution
from sightline.suites.structural.framecalc.results import format_force
from sightline.suites.structural.model import Model
from sightline.suites.structural.model_sketch import Panel, draw_sketch
from sightline.suites.structural.plots import INK, SOFT, draw_deflected, draw_diagram
from sightline.suites.structural.sample_drawings.model_figure import MARGIN, SIZE

TENSION, COMPRESSION = "#2f6fb3", "#c2571a"
_MOMENT = 2
_NOTHING = 1e-6
"""Share of the largest force below which a force counts as zero."""


def draw_moments(model: Model, solution: Solution) -> str:
    """M along all members, on the tension side, as SVG."""
    panel = _panel(model)
    canvas = _bare(model, panel)
    draw_diagram(canvas, model, solution, panel, _MOMENT)
    return to_svg(canvas.finish(MARGIN)[0])


def draw_bar_forces(model: Model, solution: Solution) -> str:
    """N of every bar: blue in tension, orange in compression, the wider the larger, as SVG."""
    panel = _panel(model)
    canvas = _bare(model, panel)
    at = {point.id: panel.at(point.x, point.y) for point in model.points}
    forces = [-float(ends[0]) for ends in solution.end_forces]
    peak = max(map(abs, forces))
    for link, force in zip(model.links, forces, strict=True):
        if abs(force) > _NOTHING * peak:
            colour = TENSION if force > 0 else COMPRESSION
            canvas.line((at[link.a], at[link.b]), Pen(2.0 + 5.0 * abs(force) / peak, colour))
        else:
            force = 0.0
        middle = interpolate(at[link.a], at[link.b])
        canvas.text(Text(middle, format_force(force), 14, INK, "m", 0.0, "#ffffff"))
    return to_svg(canvas.finish(MARGIN)[0])


def draw_deflected_shape(model: Model, solution: Solution) -> str:
    """The shape under load, much enlarged, as SVG."""
    panel = _panel(model)
    canvas = _bare(model, panel)
    draw_deflected(canvas, model, solution, panel)
    return to_svg(canvas.finish(MARGIN)[0])


def _panel(model: Model) -> Panel:
    return Panel((model,), (0.0, 0.0), SIZE)


def _bare(model: Model, panel: Panel) -> Canvas:
    canvas = Canvas()
    draw_sketch(canvas, Model(points=model.points, links=model.links, supports=model.supports), panel, SOFT, 2.0)
    return canvas
