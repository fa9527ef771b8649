"""Figure of a model with wrong parts in red and missing parts in dashed red."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.structural.drawing.canvas import Canvas
from sightline.suites.structural.drawing.shapes import Pen, Shape
from sightline.suites.structural.drawing.svg import to_svg
from sightline.suites.structural.drawing.vectors import XY
from sightline.suites.structural.model import Load, Model
from sightline.suites.structural.model_sketch import Panel
from sightline.suites.structural.plots import INK, WRONG
from sightline.suites.structural.sample_drawings import glyphs
from sightline.suites.structural.sample_drawings.faults import Faults
from sightline.suites.structural.sample_drawings.labels import LabelPlacer, draw_dimensions, format_load_value

SIZE = (560.0, 340.0)
MARGIN = 18.0
_GHOST_DASH = 9.0
MAX_LOADS = 200
"""Maximum number of loads drawn per model."""
_NO_FAULTS = Faults()


class Missing(Struct, frozen=True):
    """A truth, and which of its parts another model lacks."""

    truth: Model
    parts: Faults


def draw_model_figure(model: Model, wrong: Faults = _NO_FAULTS, missing: Missing | None = None) -> str:
    """Members, hinges, supports, loads with their sizes, and dimensions, as SVG.

    The model is in the coordinates of the truth, so that missing parts appear at their positions.
    """
    lacks = missing is not None and missing.parts != _NO_FAULTS
    panel = Panel((model, missing.truth) if missing and lacks else (model,), (0.0, 0.0), SIZE)
    canvas = Canvas()
    at = {point.id: panel.at(point.x, point.y) for point in model.points}
    for link in model.links:
        canvas.line((at[link.a], at[link.b]), Pen(3.0, INK))
    _lines(canvas, wrong.members, panel, Pen(4.0, WRONG))
    if missing:
        _lines(canvas, missing.parts.members, panel, Pen(2.6, WRONG, _GHOST_DASH))
    ends = glyphs.released_ends(model)
    canvas.shapes += glyphs.hinge_shapes(model, ends - wrong.hinges, panel, INK)
    canvas.shapes += glyphs.hinge_shapes(model, ends & wrong.hinges, panel, WRONG)
    for support in model.supports:
        canvas.shapes += glyphs.support_shapes(model, support, panel, WRONG if support.id in wrong.supports else INK)
    load_shapes = [
        (load, glyphs.load_shapes(model, load, panel, _colour(load, wrong))) for load in model.loads[:MAX_LOADS]
    ]
    labelled = [(shapes, format_load_value(load), _colour(load, wrong)) for load, shapes in load_shapes]
    if missing:
        labelled += _ghosts(canvas, missing, panel)
    for shapes, _, _ in labelled:
        canvas.shapes += shapes
    placer = LabelPlacer(canvas)
    for shapes, words, colour in labelled:
        placer.place_beside(shapes, words, colour)
    draw_dimensions(canvas, model, panel)
    return to_svg(canvas.finish(MARGIN)[0])


def _colour(load: Load, wrong: Faults) -> str:
    return WRONG if load.id in wrong.loads else INK


def _lines(canvas: Canvas, members: tuple[tuple[XY, XY], ...], panel: Panel, pen: Pen) -> None:
    for start, end in members:
        canvas.line((panel.at(*start), panel.at(*end)), pen)


def _ghosts(canvas: Canvas, missing: Missing, panel: Panel) -> list[tuple[list[Shape], str, str]]:
    """Missing hinges and supports are drawn; missing loads come back with their sizes."""
    truth, parts = missing.truth, missing.parts
    canvas.shapes += glyphs.dashed(glyphs.hinge_shapes(truth, parts.hinges, panel, WRONG))
    for support in truth.supports:
        if support.id in parts.supports:
            canvas.shapes += glyphs.dashed(glyphs.support_shapes(truth, support, panel, WRONG))
    return [
        (glyphs.dashed(glyphs.load_shapes(truth, load, panel, WRONG)), format_load_value(load), WRONG)
        for load in truth.loads[:MAX_LOADS]
        if load.id in parts.loads
    ]
