"""Builder of a scene, and elements shared by several layouts: car parks, traffic, tank farms, wavy edges.

Layouts use unrotated plan coordinates; the builder rotates everything about the centre.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace
from PIL import Image, ImageDraw
from shapely import Polygon, box  # type: ignore[import-untyped]  # no stubs

from sightline.suites.remote_sensing.generator.catalog import KINDS
from sightline.suites.remote_sensing.generator.conditions import MIN_INSIDE
from sightline.suites.remote_sensing.generator.scene import (
    SIDE,
    Area,
    Road,
    Scene,
    SceneObject,
    Stripe,
    Tree,
    is_over_water,
)
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Outline, Point, bounds, circle, rectangle, rotate

MARGIN = 190.0
"""Least extent of a plan beyond the picture."""
CENTRE: Point = (SIDE / 2, SIDE / 2)
UP = -math.pi / 2
_MARGIN = 2.0
_MAX_MORE_TREES = 4
_PICTURE = box(0, 0, SIDE, SIDE)
_ROAD, _CLOSED = 1, 2


class SceneBuilder:
    """Adds areas and objects in plan coordinates; rejects objects that would overlap others or leave the picture."""

    def __init__(
        self,
        rng: SeededRandom,
        base: str,
        turn: float = 0.0,
        scale: float = 1.0,
        centre: Point = CENTRE,
        cut: bool = False,
    ) -> None:
        self.rng = rng
        self.base = base
        self.turn = turn
        self.scale = scale
        """Units of the picture per unit of the plan."""
        self.margin = max(MARGIN, SIDE / 2 * (1.5 / scale - 1))
        """Extent of a plan beyond the standard picture, so that the corners are filled after rotation."""
        self._centre = centre
        self._cut = cut
        side = (int(SIDE), int(SIDE))
        self._occupied, self._reserved = Image.new("L", side), Image.new("L", side)
        self._draw_occupied, self._draw_reserved = ImageDraw.Draw(self._occupied), ImageDraw.Draw(self._reserved)
        self._areas: list[Area] = []
        self._roads: list[Road] = []
        self._stripes: list[Stripe] = []
        self._trees: list[Tree] = []
        self._things: list[SceneObject] = []

    def to_image(self, points: Sequence[Point]) -> Outline:
        """Plan coordinates to picture coordinates."""
        (x0, y0), scale = self._centre, self.scale
        return rotate((((x - x0) * scale, (y - y0) * scale) for x, y in points), CENTRE, self.turn)

    def to_plan(self, point: Point) -> Point:
        """Picture coordinates to plan coordinates."""
        ((x, y),) = rotate(((point[0] - CENTRE[0], point[1] - CENTRE[1]),), (0.0, 0.0), -self.turn)
        return self._centre[0] + x / self.scale, self._centre[1] + y / self.scale

    def add_ground(self, material: str, points: Sequence[Point], pattern: str = "", angle: float = 0.0) -> None:
        """Add an area of ground above the existing ones."""
        outline = self.to_image(points)
        area = Area(material=material, outline=outline, pattern=pattern, angle=angle + self.turn)
        self._areas.append(area)

    def add_road(self, points: Sequence[Point], width: float, marking: str = "dashes", **form: str | bool) -> None:
        """Add a road; only vehicles may be placed on it."""
        material, kerb = str(form.get("material", "asphalt")), bool(form.get("kerb", False))
        line = self.to_image(points)
        road = Road(points=line, width=width * self.scale, material=material, marking=marking, kerb=kerb)
        self._roads.append(road)
        reserved = round((width + (8 if kerb else 3)) * self.scale)
        self._draw_reserved.line(line, fill=_ROAD, width=reserved, joint="curve")

    def add_stripe(self, points: Sequence[Point], width: float = 1.0, material: str = "marking") -> None:
        """Add a painted line."""
        self._stripes.append(Stripe(self.to_image(points), width * self.scale, material))

    def reserve(self, points: Sequence[Point]) -> None:
        """Keep an area free of further objects."""
        self._draw_reserved.polygon(self.to_image(points), fill=_CLOSED)

    def add_object(
        self, kind: str, at: Point, angle: float = 0.0, location: str = "", **form: float | str | bool
    ) -> bool:
        """Add an object if there is room; returns whether it was added.

        `length`, `ratio` and `paint` are drawn where they are not given; `room` is kept free about it; with `free` it
        may lie on anything.
        """
        kind_info = KINDS[kind]
        length = (float(form.get("length", 0.0)) or self.rng.between(*kind_info.length)) * self.scale
        width = length * float(form.get("ratio", kind_info.ratio))
        paint = str(form.get("paint", "")) or self.rng.pick(kind_info.paints)
        (point,) = self.to_image((at,))
        turn = angle + self.turn
        obj = SceneObject(
            id=len(self._things),
            kind=kind,
            at=point,
            length=length,
            width=width,
            angle=turn,
            paint=paint,
            location=location,
        )
        left, top, right, bottom = bounds(obj.frame)
        if min(left, top) < _MARGIN or max(right, bottom) > SIDE - _MARGIN:
            if not self._cut or (min(left, top) > 0 and max(right, bottom) < SIDE):
                return False
            inside = Polygon(obj.outline).intersection(_PICTURE)
            if inside.area < MIN_INSIDE * Polygon(obj.outline).area or inside.geom_type != "Polygon":
                return False
            obj = replace(obj, silhouette=tuple(inside.exterior.coords[:-1]), is_cut=True)
        room = float(form.get("room", 2.0)) * self.scale
        frame = rectangle(point, length + 2 * room, width + 2 * room, turn)
        if not form.get("free") and not self._is_free(frame):
            return False
        self._draw_occupied.polygon(frame, fill=1)
        self._things.append(obj)
        return True

    def is_open(self, points: Sequence[Point]) -> bool:
        """Whether an area within the picture is neither occupied nor reserved."""
        outline = [(min(max(x, 0.0), SIDE), min(max(y, 0.0), SIDE)) for x, y in self.to_image(points)]
        left, top, right, bottom = bounds(outline)
        return right - left > 1 and bottom - top > 1 and self._is_free(tuple(outline))

    def _is_free(self, frame: Outline, allowed: int = 0) -> bool:
        """Whether no object is within the frame, and no ground reserved beyond the allowed level."""
        left, top, right, bottom = (round(side) for side in bounds(frame))
        left, top = max(left, 0), max(top, 0)
        stamp = Image.new("L", (max(right - left, 1), max(bottom - top, 1)))
        ImageDraw.Draw(stamp).polygon([(x - left, y - top) for x, y in frame], fill=1)
        window = (left, top, left + stamp.width, top + stamp.height)
        occupied, reserved = np.asarray(self._occupied.crop(window)), np.asarray(self._reserved.crop(window))
        return not bool((((occupied > 0) | (reserved > allowed)) & (np.asarray(stamp) > 0)).any())

    def add_vehicle(self, kind: str, at: Point, angle: float, location: str) -> bool:
        """Add a vehicle, which may be on a road but not on other objects."""
        kind_info = KINDS[kind]
        (point,) = self.to_image((at,))
        longest = kind_info.length[1]
        scale = self.scale
        frame = rectangle(point, (longest + 5) * scale, (longest * kind_info.ratio + 3) * scale, angle + self.turn)
        return self._is_free(frame, allowed=_ROAD) and self.add_object(kind, at, angle, location, free=True, room=1.0)

    def add_ship(
        self, kind: str, at: Point, angle: float, location: str, room: float = 9.0, **form: float | str
    ) -> bool:
        """Add a ship if its whole frame is over water."""
        length = float(form.get("length", 0.0)) or self.rng.between(*KINDS[kind].length)
        (point,) = self.to_image((at,))
        scale = self.scale
        frame = rectangle(
            point, (length + 2 * room) * scale, (length * KINDS[kind].ratio + 2 * room) * scale, angle + self.turn
        )
        if not is_over_water(self.base, self._areas, frame):
            return False
        return self.add_object(kind, at, angle, location, length=length, room=room)

    def add_tree(self, at: Point, radius: float) -> bool:
        """Add a tree that covers neither roads nor objects."""
        (point,) = self.to_image((at,))
        radius *= self.scale
        x, y = point
        if not (-radius < x < SIDE + radius and -radius < y < SIDE + radius):
            return False
        reach = radius + 2
        ring = [(x + reach * math.cos(k), y + reach * math.sin(k)) for k in np.linspace(0, 6.3, 13)]
        for px, py in ((x, y), *ring):
            inside = 0 <= px < SIDE and 0 <= py < SIDE
            pixel = (int(px), int(py))
            if inside and (self._occupied.getpixel(pixel) or self._reserved.getpixel(pixel)):
                return False
        self._trees.append(Tree(point, radius, self.rng.between(0.8, 1.15)))
        return True

    def scatter_trees(
        self, corners: tuple[float, float, float, float], count: int, radius: tuple[float, float]
    ) -> None:
        """Add random trees within a rectangle: left, top, right, bottom."""
        left, top, right, bottom = corners
        for _ in range(round(count * min(max(1 / self.scale**2, 1), _MAX_MORE_TREES))):
            at = (self.rng.between(left, right), self.rng.between(top, bottom))
            self.add_tree(at, self.rng.between(*radius))

    def finish(self, number: int, scene_class: str) -> Scene:
        """The finished scene, with trees sorted by size."""
        return Scene(
            number=number,
            scene_class=scene_class,
            base=self.base,
            areas=tuple(self._areas),
            roads=tuple(self._roads),
            stripes=tuple(self._stripes),
            trees=tuple(sorted(self._trees, key=lambda tree: tree.radius)),
            objects=tuple(self._things),
        )


def span(builder: SceneBuilder, low: float, high: float) -> tuple[Point, Point, Point, Point]:
    """A rectangle across the whole plan, between two heights."""
    left, right = -builder.margin, SIDE + builder.margin
    return (left, low), (right, low), (right, high), (left, high)


def corners(left: float, top: float, right: float, bottom: float) -> tuple[Point, Point, Point, Point]:
    """An upright rectangle."""
    return (left, top), (right, top), (right, bottom), (left, bottom)


TRAFFIC = ("car", "car", "car", "car", "car", "van", "van", "truck", "bus")
STALL, DEPTH, LANE = 11.0, 21.0, 22.0


def add_car_park(builder: SceneBuilder, at: Point, stalls: int, rows: int, fill: float) -> None:
    """Double rows of stalls about lanes; `at` is the top left corner."""
    rng = builder.rng
    left, top = at
    right, bottom = left + stalls * STALL + 8, top + rows * (DEPTH + LANE / 2) + 8
    builder.add_ground("lot", corners(left, top, right, bottom))
    y = top + 4
    for row in range(rows):
        upwards = row % 2 == 0
        for stall in range(stalls + 1):
            x = left + 4 + stall * STALL
            builder.add_stripe(((x, y), (x, y + DEPTH)), 0.9)
            if stall < stalls and rng.chance(fill):
                middle = (x + STALL / 2 + rng.between(-0.6, 0.6), y + DEPTH / 2 + rng.between(-1.2, 1.2))
                nose = -math.pi / 2 if rng.chance() else math.pi / 2
                builder.add_vehicle("van" if rng.chance(0.12) else "car", middle, nose, "in the parking lot")
        y += DEPTH + (LANE if upwards else 0)
    builder.reserve(corners(left, top, right, bottom))


def add_traffic(
    builder: SceneBuilder, line: tuple[Point, Point], width: float, count: int, location: str = "on the road"
) -> None:
    """Vehicles along a straight road, on the right-hand side of it."""
    rng = builder.rng
    (x0, y0), (x1, y1) = line
    angle = math.atan2(y1 - y0, x1 - x0)
    for _ in range(count):
        share, side = rng.between(0.0, 1.0), rng.pick((-1, 1))
        off = side * width / 4
        at = (x0 + share * (x1 - x0) - off * math.sin(angle), y0 + share * (y1 - y0) + off * math.cos(angle))
        builder.add_vehicle(rng.pick(TRAFFIC), at, angle if side > 0 else angle + math.pi, location)


def add_tank_farm(builder: SceneBuilder, at: Point, columns: int, rows: int) -> None:
    """Round tanks in a walled yard; `at` is the top left corner."""
    rng = builder.rng
    size = rng.between(32, 54)
    pitch = size * rng.between(1.3, 1.5)
    left, top = at
    yard = corners(left - 6, top - 6, left + columns * pitch + 6, top + rows * pitch + 6)
    builder.add_ground("gravel", yard)
    builder.add_stripe((*yard, yard[0]), 2.0, "kerb")
    for row in range(rows):
        for column in range(columns):
            middle = (left + (column + 0.5) * pitch, top + (row + 0.5) * pitch)
            if rng.chance(0.88):
                length = size * rng.pick((1.0, 1.0, 0.8))
                builder.add_object("storage tank", middle, 0.0, "in the tank farm", length=length, room=3.0)
    builder.reserve(yard)


def add_pond(builder: SceneBuilder, at: Point, radius: float) -> None:
    """A round piece of water with an uneven shore."""
    phase = builder.rng.between(0, 6)
    wobble = [
        1 + 0.16 * math.sin(3 * k * math.pi / 24 + phase) + 0.1 * math.sin(5 * k * math.pi / 24) for k in range(48)
    ]
    ring = circle((0, 0), radius, 48)
    shore = [(at[0] + x * size, at[1] + y * size * 0.8) for (x, y), size in zip(ring, wobble, strict=True)]
    bank = [(at[0] + (x - at[0]) * 1.07, at[1] + (y - at[1]) * 1.07) for x, y in shore]
    builder.add_ground("gravel", bank)
    builder.add_ground("water", shore)
    builder.reserve(bank)


def wavy_line(builder: SceneBuilder, height: float, swing: float, step: float = 10.0) -> list[Point]:
    """An uneven line across the plan, from left to right."""
    rng = builder.rng
    parts = [(swing / (k + 1), rng.between(0.006, 0.012) * (k + 1), rng.between(0, 6.3)) for k in range(4)]
    xs = [-builder.margin + step * k for k in range(int((SIDE + 2 * builder.margin) / step) + 1)]
    return [(x, height + sum(size * math.sin(rate * x + phase) for size, rate, phase in parts)) for x in xs]


def band_between(upper: list[Point], lower: list[Point]) -> list[Point]:
    """The ground between two lines."""
    return [*upper, *reversed(lower)]


def shift_line(line: list[Point], by: float) -> list[Point]:
    """The same line, lower."""
    return [(x, y + by) for x, y in line]
