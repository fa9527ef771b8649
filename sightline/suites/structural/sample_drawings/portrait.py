"""A model as a drawing: what is wrong in red, and what is missing as red ghosts."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.structural.drawing.canvas import Canvas
from sightline.suites.structural.drawing.shapes import Pen, Shape
from sightline.suites.structural.drawing.svg import to_svg
from sightline.suites.structural.drawing.vectors import XY
from sightline.suites.structural.model import Load, Model
from sightline.suites.structural.model_sketch import Panel
from sightline.suites.structural.plots import INK, WRONG
from sightline.suites.structural.sample_drawings import ink
from sightline.suites.structural.sample_drawings.faults import Faults
from sightline.suites.structural.sample_drawings.writing import Writer, dimensions, size_of

SIZE = (560.0, 340.0)
MARGIN = 18.0
_GHOST_DASH = 9.0
MOST_LOADS = 200
"""So many loads of one model are drawn, and not more."""
_SOUND = Faults()


class Missing(Struct, frozen=True):
    """A truth, and which of its parts another model lacks."""

    truth: Model
    parts: Faults


def portrait(model: Model, wrong: Faults = _SOUND, missing: Missing | None = None) -> str:
    """Members, hinges, supports, loads with their sizes, and dimensions, as SVG.

    The model stands in the truth's coordinates, so that ghosts of what is missing fall into their places.
    """
    lacks = missing is not None and missing.parts != _SOUND
    panel = Panel((model, missing.truth) if missing and lacks else (model,), (0.0, 0.0), SIZE)
    canvas = Canvas()
    at = {point.id: panel.at(point.x, point.y) for point in model.points}
    for link in model.links:
        canvas.line((at[link.a], at[link.b]), Pen(3.0, INK))
    _lines(canvas, wrong.members, panel, Pen(4.0, WRONG))
    if missing:
        _lines(canvas, missing.parts.members, panel, Pen(2.6, WRONG, _GHOST_DASH))
    ends = ink.all_hinges(model)
    canvas.shapes += ink.hinges(model, ends - wrong.hinges, panel, INK)
    canvas.shapes += ink.hinges(model, ends & wrong.hinges, panel, WRONG)
    for support in model.supports:
        canvas.shapes += ink.support(model, support, panel, WRONG if support.id in wrong.supports else INK)
    written = [(load, ink.load(model, load, panel, _colour(load, wrong))) for load in model.loads[:MOST_LOADS]]
    told = [(shapes, size_of(load), _colour(load, wrong)) for load, shapes in written]
    if missing:
        told += _ghosts(canvas, missing, panel)
    for shapes, _, _ in told:
        canvas.shapes += shapes
    writer = Writer(canvas)
    for shapes, words, colour in told:
        writer.beside(shapes, words, colour)
    dimensions(canvas, model, panel)
    return to_svg(canvas.finished(MARGIN)[0])


def _colour(load: Load, wrong: Faults) -> str:
    return WRONG if load.id in wrong.loads else INK


def _lines(canvas: Canvas, members: tuple[tuple[XY, XY], ...], panel: Panel, pen: Pen) -> None:
    for one, other in members:
        canvas.line((panel.at(*one), panel.at(*other)), pen)


def _ghosts(canvas: Canvas, missing: Missing, panel: Panel) -> list[tuple[list[Shape], str, str]]:
    """Missing hinges and supports are drawn; missing loads come back with their sizes."""
    truth, parts = missing.truth, missing.parts
    canvas.shapes += ink.ghosts(ink.hinges(truth, parts.hinges, panel, WRONG))
    for support in truth.supports:
        if support.id in parts.supports:
            canvas.shapes += ink.ghosts(ink.support(truth, support, panel, WRONG))
    return [
        (ink.ghosts(ink.load(truth, load, panel, WRONG)), size_of(load), WRONG)
        for load in truth.loads[:MOST_LOADS]
        if load.id in parts.loads
    ]
