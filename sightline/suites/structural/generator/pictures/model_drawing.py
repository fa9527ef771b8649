"""Complete drawing of a model: members, hinges, supports, loads and dimensions."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sightline.suites.structural.drawing.canvas import Drawing, Pen, Text
from sightline.suites.structural.drawing.labels import candidates_beside
from sightline.suites.structural.drawing.symbols import SUPPORT_SYMBOLS, draw_hinge, draw_reference_line
from sightline.suites.structural.drawing.vectors import XY, angle_gap, offset_point
from sightline.suites.structural.generator.pictures.dimensions import draw_dimension_chains, draw_member_dimensions
from sightline.suites.structural.generator.pictures.draft import Draft, Joint, View, fit
from sightline.suites.structural.generator.pictures.loads import draw_distributed_loads, draw_forces, draw_moments
from sightline.suites.structural.generator.pictures.style import Style, format_number, load_symbols
from sightline.suites.structural.model import Model, PointSupport

_UPRIGHT = (0.0, 270.0, 90.0, 180.0)
_SLOPE_LINE, _SLOPE_RADIUS = 52.0, 40.0


def draw_structure(draft: Draft) -> None:
    """All that carries, without loads and dimensions."""
    for support in draft.model.supports:
        _draw_support(draft, support)
    draft.mark_drawn()
    pen = Pen(draft.style.member, draft.style.ink)
    for link in draft.model.links:
        draft.canvas.line((draft.pixels[link.a], draft.pixels[link.b]), pen)
    draft.mark_drawn(members=True)
    _draw_hinges(draft)
    draft.mark_drawn()


def _draw_hinges(draft: Draft) -> None:
    radius, pen = draft.style.hinge, Pen(2.0, draft.style.ink)
    for joint in draft.joints.values():
        if joint.has_central_hinge:
            draw_hinge(draft.canvas, joint.at, radius, pen, draft.style.paper)
            continue
        for direction, hinged in zip(joint.directions, joint.hinged, strict=True):
            if hinged:
                # beside the joint, on the member that it frees
                draw_hinge(
                    draft.canvas, offset_point(joint.at, direction, 2.1 * radius), radius, pen, draft.style.paper
                )


def ground_angle(joint: Joint, support: PointSupport) -> float:
    """How far the glyph is turned; its ground then lies in the direction of this angle less 90°."""
    match support.kind:
        case "pin":
            return 0.0 if joint.is_open(-90.0) else max(_UPRIGHT, key=lambda angle: joint.room(angle - 90.0))
        case "fixed":
            return max(_UPRIGHT, key=lambda angle: _distance_from_members(joint, angle - 90.0))
        case "roller":
            angle = support.angle
        case "slider":
            angle = support.angle - 90.0
    # a support that holds along a line does so from either side of it
    other_side = not joint.is_open(angle - 90.0, 40.0) and joint.is_open(angle + 90.0, 40.0)
    return (angle + 180.0 if other_side else angle) % 360.0


def _distance_from_members(joint: Joint, angle: float) -> float:
    return sum(angle_gap(direction, angle) for direction in joint.directions) + 0.01 * angle_gap(angle, 90.0)


def _draw_support(draft: Draft, support: PointSupport) -> None:
    joint = draft.joints[support.point]
    angle = ground_angle(joint, support)
    support_style = draft.style.supports
    at = joint.at
    if support.kind in ("pin", "roller"):
        clearance = draft.style.hinge + 1.0 if joint.has_central_hinge else draft.style.member / 2
        at = offset_point(at, angle - 90.0, clearance)
    outline = SUPPORT_SYMBOLS[support.kind](draft.canvas, at, angle, support_style)
    draft.reserve(outline)
    slope = (angle + 90.0) % 180.0 - 90.0
    if support.kind in ("roller", "slider") and abs(slope) > 0.01 and abs(slope + 90.0) > 0.01:
        _draw_slope(draft, outline, slope)


def _draw_slope(draft: Draft, outline: tuple[XY, ...], slope: float) -> None:
    """The inclination of the ground, measured from the horizontal at its lower end."""
    # the outline's last two corners lie at the foot of the hatching; the ground line is a little above them
    ends = (outline[2], outline[3])
    low = max(ends, key=lambda point: point[1])
    uphill = slope if slope > 0 else 180.0 + slope
    level = 0.0 if slope > 0 else 180.0
    vertex = offset_point(low, uphill + 180.0, _SLOPE_LINE - 14.0)
    style = draft.style
    draft.canvas.line((vertex, offset_point(vertex, uphill, _SLOPE_LINE)), style.thin)
    draw_reference_line(draft.canvas, vertex, level, _SLOPE_LINE + 14.0, style.thin)
    draft.canvas.arc(vertex, _SLOPE_RADIUS, level, slope, style.thin)
    draft.mark_drawn()
    text = draft.text(f"{format_number(slope)}°", colour=style.dimension_ink)
    draft.defer_label(_slope_label_candidates(text, vertex, level, slope))


def _slope_label_candidates(text: Text, vertex: XY, level: float, slope: float) -> Iterator[Text]:
    """Beyond the arc, at the end of the level line, below it, or before the vertex."""
    yield from candidates_beside(text, vertex, level + slope / 2, (_SLOPE_RADIUS + 5, _SLOPE_RADIUS + 12))
    yield from candidates_beside(text, offset_point(vertex, level, _SLOPE_LINE + 14.0), level, (6.0, 14.0))
    yield from candidates_beside(text, offset_point(vertex, level, _SLOPE_RADIUS), 270.0, (7.0, 12.0))
    yield from candidates_beside(text, vertex, level + 180.0, (6.0, 14.0))


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_AROUND = tuple(45.0 * k for k in range(8))


class DrawingLayout(Struct, frozen=True, kw_only=True):
    """A drawing with its view and clashes."""

    drawing: Drawing
    view: View
    """From metres to the drawing's pixels."""
    clashes: tuple[str, ...] = ()
    """What overlaps something else because no space was free: empty for a clean drawing."""


def lay_out_drawing(model: Model, style: Style | None = None) -> DrawingLayout:
    """The drawing, its view, and its clashes."""
    style = style or Style()
    draft = Draft(model, style, fit(model))
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
