"""A scene while it is being laid out. Places are planned upright; the builder turns all of it about the middle."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

from sightline.suites.remote_sensing.generator.catalog import KINDS
from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.scene import SIDE, Area, Road, Scene, Stripe, Thing, Tree, afloat
from sightline.suites.remote_sensing.generator.shapes import Outline, Point, bounds, rectangle, turned

REACH = 190.0
"""How far a plan goes beyond the picture, so that its corners are filled when it is turned."""
_MARGIN = 2.0
_ROAD, _CLOSED = 1, 2


class Builder:
    """Takes grounds and things in the plan's own coordinates; refuses what would overlap or leave the picture."""

    def __init__(self, dice: Dice, base: str, turn: float = 0.0) -> None:
        self.dice = dice
        self.base = base
        self.turn = turn
        side = (int(SIDE), int(SIDE))
        self._taken, self._kept = Image.new("L", side), Image.new("L", side)
        self._taking, self._keeping = ImageDraw.Draw(self._taken), ImageDraw.Draw(self._kept)
        self._areas: list[Area] = []
        self._roads: list[Road] = []
        self._stripes: list[Stripe] = []
        self._trees: list[Tree] = []
        self._things: list[Thing] = []

    def seen(self, points: Sequence[Point]) -> Outline:
        """Points of the plan as points of the picture."""
        middle = SIDE / 2
        return turned(((x - middle, y - middle) for x, y in points), (middle, middle), self.turn)

    def ground(self, material: str, points: Sequence[Point], pattern: str = "", angle: float = 0.0) -> None:
        """A piece of ground over what is there so far."""
        outline = self.seen(points)
        area = Area(material=material, outline=outline, pattern=pattern, angle=angle + self.turn)
        self._areas.append(area)

    def road(self, points: Sequence[Point], width: float, marking: str = "dashes", **form: str | bool) -> None:
        """A strip; nothing but vehicles may stand on it."""
        material, kerb = str(form.get("material", "asphalt")), bool(form.get("kerb", False))
        line = self.seen(points)
        self._roads.append(Road(points=line, width=width, material=material, marking=marking, kerb=kerb))
        self._keeping.line(line, fill=_ROAD, width=round(width + (8 if kerb else 3)), joint="curve")

    def stripe(self, points: Sequence[Point], width: float = 1.0, material: str = "marking") -> None:
        """A painted line."""
        self._stripes.append(Stripe(self.seen(points), width, material))

    def block(self, points: Sequence[Point]) -> None:
        """Nothing more may stand here."""
        self._keeping.polygon(self.seen(points), fill=_CLOSED)

    def thing(self, kind: str, at: Point, angle: float = 0.0, place: str = "", **form: float | str | bool) -> bool:
        """Put one up, if there is room.

        `length`, `ratio` and `paint` are drawn where they are not given; `room` is kept free about it; with `free` it
        may lie on anything.
        """
        about = KINDS[kind]
        length = float(form.get("length", 0.0)) or self.dice.between(*about.length)
        width = length * float(form.get("ratio", about.ratio))
        paint = str(form.get("paint", "")) or self.dice.pick(about.paints)
        (where,) = self.seen((at,))
        turn = angle + self.turn
        found = Thing(
            id=len(self._things), kind=kind, at=where, length=length, width=width, angle=turn, paint=paint, place=place
        )
        left, top, right, bottom = bounds(found.frame)
        if min(left, top) < _MARGIN or max(right, bottom) > SIDE - _MARGIN:
            return False
        room = float(form.get("room", 2.0))
        frame = rectangle(where, length + 2 * room, width + 2 * room, turn)
        if not form.get("free") and not self._is_free(frame):
            return False
        self._taking.polygon(frame, fill=1)
        self._things.append(found)
        return True

    def is_open(self, points: Sequence[Point]) -> bool:
        """Whether nothing stands or is planned there, as far as the picture goes."""
        outline = [(min(max(x, 0.0), SIDE), min(max(y, 0.0), SIDE)) for x, y in self.seen(points)]
        left, top, right, bottom = bounds(outline)
        return right - left > 1 and bottom - top > 1 and self._is_free(tuple(outline))

    def _is_free(self, frame: Outline, allowed: int = 0) -> bool:
        """No thing within the frame, and no ground kept free beyond what is allowed."""
        left, top, right, bottom = (round(side) for side in bounds(frame))
        left, top = max(left, 0), max(top, 0)
        stamp = Image.new("L", (max(right - left, 1), max(bottom - top, 1)))
        ImageDraw.Draw(stamp).polygon([(x - left, y - top) for x, y in frame], fill=1)
        window = (left, top, left + stamp.width, top + stamp.height)
        taken, kept = np.asarray(self._taken.crop(window)), np.asarray(self._kept.crop(window))
        return not bool((((taken > 0) | (kept > allowed)) & (np.asarray(stamp) > 0)).any())

    def vehicle(self, kind: str, at: Point, angle: float, place: str) -> bool:
        """One on a road or in a stall: roads are no obstacle, other things are."""
        about = KINDS[kind]
        (where,) = self.seen((at,))
        longest = about.length[1]
        frame = rectangle(where, longest + 5, longest * about.ratio + 3, angle + self.turn)
        return self._is_free(frame, allowed=_ROAD) and self.thing(kind, at, angle, place, free=True, room=1.0)

    def ship(self, kind: str, at: Point, angle: float, place: str, room: float = 9.0, **form: float | str) -> bool:
        """One that floats: its whole frame over water."""
        length = float(form.get("length", 0.0)) or self.dice.between(*KINDS[kind].length)
        (where,) = self.seen((at,))
        frame = rectangle(where, length + 2 * room, length * KINDS[kind].ratio + 2 * room, angle + self.turn)
        if not afloat(self.base, self._areas, frame):
            return False
        return self.thing(kind, at, angle, place, length=length, room=room)

    def tree(self, at: Point, radius: float) -> bool:
        """A crown that covers neither roads nor things."""
        (where,) = self.seen((at,))
        x, y = where
        if not (-radius < x < SIDE + radius and -radius < y < SIDE + radius):
            return False
        reach = radius + 2
        ring = [(x + reach * math.cos(k), y + reach * math.sin(k)) for k in np.linspace(0, 6.3, 13)]
        for px, py in ((x, y), *ring):
            inside = 0 <= px < SIDE and 0 <= py < SIDE
            spot = (int(px), int(py))
            if inside and (self._taken.getpixel(spot) or self._kept.getpixel(spot)):
                return False
        self._trees.append(Tree(where, radius, self.dice.between(0.8, 1.15)))
        return True

    def grove(self, corners: tuple[float, float, float, float], count: int, radius: tuple[float, float]) -> None:
        """Trees strewn over a rectangle: left, top, right, bottom."""
        left, top, right, bottom = corners
        for _ in range(count):
            at = (self.dice.between(left, right), self.dice.between(top, bottom))
            self.tree(at, self.dice.between(*radius))

    def finished(self, number: int, place: str) -> Scene:
        """The scene as laid out; trees from the top down, so that nearer crowns overlap farther ones evenly."""
        return Scene(
            number=number,
            place=place,
            base=self.base,
            areas=tuple(self._areas),
            roads=tuple(self._roads),
            stripes=tuple(self._stripes),
            trees=tuple(sorted(self._trees, key=lambda tree: tree.radius)),
            things=tuple(self._things),
        )


def span(low: float, high: float) -> tuple[Point, Point, Point, Point]:
    """A rectangle across the whole plan, between two heights."""
    return (-REACH, low), (SIDE + REACH, low), (SIDE + REACH, high), (-REACH, high)


def corners(left: float, top: float, right: float, bottom: float) -> tuple[Point, Point, Point, Point]:
    """An upright rectangle."""
    return (left, top), (right, top), (right, bottom), (left, bottom)
