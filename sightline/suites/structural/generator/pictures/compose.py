"""The complete drawing of a model.

drawing = draw_model(model)                        # with the default style
draft = lay_out_drawing(model, style)              # drawing, view, and labels without free space
x, y = draft.view.pixel(3.0, 0.0)                  # metres to pixels of draft.drawing
shapes = outline(other, draft.view, "#d1242f")     # another model's members and supports, to lay over it
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from sightline.suites.structural.drawing.canvas import Drawing
from sightline.suites.structural.drawing.labels import candidates_beside
from sightline.suites.structural.drawing.shapes import Shape
from sightline.suites.structural.generator.pictures.dimension_chains import draw_dimension_chains
from sightline.suites.structural.generator.pictures.distributed_loads import draw_distributed_loads
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.forces import draw_forces
from sightline.suites.structural.generator.pictures.member_dimensions import draw_member_dimensions
from sightline.suites.structural.generator.pictures.moments import draw_moments
from sightline.suites.structural.generator.pictures.notation import load_symbols
from sightline.suites.structural.generator.pictures.structure import draw_structure
from sightline.suites.structural.generator.pictures.style import Style
from sightline.suites.structural.generator.pictures.view import View, fit
from sightline.suites.structural.model import Model

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_AROUND = tuple(45.0 * k for k in range(8))


class DrawingLayout(Struct, frozen=True, kw_only=True):
    """A drawing with its view and clashes."""

    drawing: Drawing
    view: View
    """From metres to the drawing's pixels."""
    clashes: tuple[str, ...] = ()
    """What overlaps something else because no space was free: empty for a clean drawing."""


def draw_model(model: Model, style: Style | None = None, *, view: View | None = None) -> Drawing:
    """The drawing alone; `view` sets the scale, else the model fills the sheet."""
    return lay_out_drawing(model, style, view=view).drawing


def lay_out_drawing(model: Model, style: Style | None = None, *, view: View | None = None) -> DrawingLayout:
    """The drawing, its view, and its clashes."""
    style = style or Style()
    draft = Draft(model, style, view or fit(model))
    names = load_symbols(model, style)
    draw_structure(draft)
    draw_distributed_loads(draft)
    draw_forces(draft, names)
    draw_moments(draft, names)
    if not draft.is_beam:
        draw_member_dimensions(draft)
    draft.place_deferred_labels()
    if style.letters:
        _draw_letters(draft)
    draw_dimension_chains(draft)
    drawing, shift = draft.canvas.finish(style.margin, style.paper)
    return DrawingLayout(drawing=drawing, view=draft.view.moved(shift), clashes=tuple(draft.clashes))


def outline(model: Model, view: View, colour: str, style: Style | None = None) -> tuple[Shape, ...]:
    """Members, hinges and supports in one colour, in the pixels of a view."""
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
            for option in candidates_beside(text, joint.at, side, (clearance,))
        )
