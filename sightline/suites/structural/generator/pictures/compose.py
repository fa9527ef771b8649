"""A whole drawing of a model.

drawing = draw_model(model)                        # with the plainest style
draft = draw(model, style)                         # drawing, view, and what found no free place
x, y = draft.view.pixel(3.0, 0.0)                  # metres to pixels of draft.drawing
shapes = outline(other, draft.view, "#d1242f")     # another model's members and supports, to lay over it
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from sightline.suites.structural.drawing.canvas import Drawing
from sightline.suites.structural.drawing.labels import beside
from sightline.suites.structural.drawing.shapes import Shape
from sightline.suites.structural.generator.pictures.chains import draw_chains
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.forces import draw_forces
from sightline.suites.structural.generator.pictures.moments import draw_moments
from sightline.suites.structural.generator.pictures.spots import draw_spots
from sightline.suites.structural.generator.pictures.spreads import draw_spreads
from sightline.suites.structural.generator.pictures.structure import draw_structure
from sightline.suites.structural.generator.pictures.style import Style
from sightline.suites.structural.generator.pictures.view import View, fit
from sightline.suites.structural.generator.pictures.words import symbols
from sightline.suites.structural.model import Model

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_AROUND = tuple(45.0 * k for k in range(8))


class Drawn(Struct, frozen=True, kw_only=True):
    """A drawing with what one needs to add to it or to judge it."""

    drawing: Drawing
    view: View
    """From metres to the drawing's pixels."""
    clashes: tuple[str, ...] = ()
    """What lies over something else because no place was free: empty for a clean drawing."""


def draw_model(model: Model, style: Style | None = None, *, view: View | None = None) -> Drawing:
    """The drawing alone, in pixels of its own; `view` sets the scale, else the model fills the sheet."""
    return draw(model, style, view=view).drawing


def draw(model: Model, style: Style | None = None, *, view: View | None = None) -> Drawn:
    """The drawing, its view, and its clashes."""
    style = style or Style()
    draft = Draft(model, style, view or fit(model))
    names = symbols(model, style)
    draw_structure(draft)
    draw_spreads(draft)
    draw_forces(draft, names)
    draw_moments(draft, names)
    if not draft.is_beam:
        draw_spots(draft)
    draft.write()
    if style.letters:
        _draw_letters(draft)
    draw_chains(draft)
    drawing, shift = draft.canvas.finished(style.margin, style.paper)
    return Drawn(drawing=drawing, view=draft.view.moved(shift), clashes=tuple(draft.clashes))


def outline(model: Model, view: View, colour: str, style: Style | None = None) -> tuple[Shape, ...]:
    """Members, hinges and supports in one colour, at the places that a view gives them."""
    draft = Draft(model, msgspec.structs.replace(style or Style(), ink=colour), view)
    draw_structure(draft)
    return tuple(draft.canvas.shapes)


def _draw_letters(draft: Draft) -> None:
    if len(draft.joints) > len(_LETTERS):
        return
    for letter, joint in zip(_LETTERS, draft.joints.values(), strict=False):
        text = draft.text(letter)
        sides = sorted(_AROUND, key=lambda angle: -min(joint.room(angle), 60.0))
        draft.label(
            option
            for clearance in (10.0, 16.0, 24.0, 34.0)
            for side in sides
            for option in beside(text, joint.at, side, (clearance,))
        )
