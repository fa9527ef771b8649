"""Members, hinges and supports."""

from __future__ import annotations

from collections.abc import Iterator

from sightline.suites.structural.drawing import supports as glyphs
from sightline.suites.structural.drawing.dimensions import angle_mark, reference
from sightline.suites.structural.drawing.hinges import hinge
from sightline.suites.structural.drawing.labels import beside
from sightline.suites.structural.drawing.shapes import Pen, Text
from sightline.suites.structural.drawing.vectors import XY, along, angle_gap
from sightline.suites.structural.generator.pictures.draft import Draft
from sightline.suites.structural.generator.pictures.joints import Joint
from sightline.suites.structural.generator.pictures.words import number
from sightline.suites.structural.model import PointSupport

_UPRIGHT = (0.0, 270.0, 90.0, 180.0)
_SLOPE_LINE, _SLOPE_RADIUS = 52.0, 40.0


def draw_structure(draft: Draft) -> None:
    """All that carries, without loads and dimensions."""
    for support in draft.model.supports:
        _draw_support(draft, support)
    draft.settle()
    pen = Pen(draft.style.member, draft.style.ink)
    for link in draft.model.links:
        draft.canvas.line((draft.pixels[link.a], draft.pixels[link.b]), pen)
    draft.settle(members=True)
    _draw_hinges(draft)
    draft.settle()


def _draw_hinges(draft: Draft) -> None:
    radius, pen = draft.style.hinge, Pen(2.0, draft.style.ink)
    for joint in draft.joints.values():
        if joint.has_central_hinge:
            hinge(draft.canvas, joint.at, radius, pen, draft.style.paper)
            continue
        for way, hinged in zip(joint.ways, joint.hinged, strict=True):
            if hinged:
                # beside the joint, on the member that it frees
                hinge(draft.canvas, along(joint.at, way, 2.1 * radius), radius, pen, draft.style.paper)


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
    return sum(angle_gap(way, angle) for way in joint.ways) + 0.01 * angle_gap(angle, 90.0)


def _draw_support(draft: Draft, support: PointSupport) -> None:
    joint = draft.joints[support.point]
    angle = ground_angle(joint, support)
    look = draft.style.supports
    at = joint.at
    if support.kind in ("pin", "roller"):
        clearance = draft.style.hinge + 1.0 if joint.has_central_hinge else draft.style.member / 2
        at = along(at, angle - 90.0, clearance)
    outline = getattr(glyphs, support.kind)(draft.canvas, at, angle, look)
    draft.take(outline)
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
    vertex = along(low, uphill + 180.0, _SLOPE_LINE - 14.0)
    style = draft.style
    draft.canvas.line((vertex, along(vertex, uphill, _SLOPE_LINE)), style.thin)
    reference(draft.canvas, vertex, level, _SLOPE_LINE + 14.0, style.thin)
    angle_mark(draft.canvas, vertex, _SLOPE_RADIUS, level, slope, style.thin)
    draft.settle()
    text = draft.text(f"{number(slope)}°", colour=style.dimension_ink)
    draft.later(_slope_spots(text, vertex, level, slope))


def _slope_spots(text: Text, vertex: XY, level: float, slope: float) -> Iterator[Text]:
    """Beyond the arc, at the end of the level line, below it, or before the vertex."""
    yield from beside(text, vertex, level + slope / 2, (_SLOPE_RADIUS + 5, _SLOPE_RADIUS + 12))
    yield from beside(text, along(vertex, level, _SLOPE_LINE + 14.0), level, (6.0, 14.0))
    yield from beside(text, along(vertex, level, _SLOPE_RADIUS), 270.0, (7.0, 12.0))
    yield from beside(text, vertex, level + 180.0, (6.0, 14.0))
