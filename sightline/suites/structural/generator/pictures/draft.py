"""Drawing in progress: transformation from metres to pixels, joints, occupied areas, deferred labels."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from sightline.suites.structural.drawing.canvas import Canvas, Text
from sightline.suites.structural.drawing.labels import OccupancyMask, place_label
from sightline.suites.structural.drawing.vectors import XY, Box, angle_gap, angle_of
from sightline.suites.structural.generator.pictures.style import Style
from sightline.suites.structural.model import Link, Model, Moment, PointSupport

WIDTH, HEIGHT = 900.0, 560.0
"""Maximum size of the structure in pixels, without supports, loads and dimensions."""


class View(Struct, frozen=True, kw_only=True):
    """Pixel of the model's origin, and pixels per metre."""

    scale: float
    x: float = 0.0
    y: float = 0.0

    def pixel(self, x: float, y: float) -> XY:
        """Pixel of a point in metres, y up."""
        return self.x + self.scale * x, self.y - self.scale * y

    def moved(self, shift: XY) -> View:
        """The view translated by a number of pixels."""
        return msgspec.structs.replace(self, x=self.x + shift[0], y=self.y + shift[1])


def fit(model: Model) -> View:
    """The largest view that fits the sheet."""
    xs, ys = [point.x for point in model.points], [point.y for point in model.points]
    width, height = max(xs) - min(xs), max(ys) - min(ys)
    room = [space / extent for space, extent in ((WIDTH, width), (HEIGHT, height)) if extent > 0]
    return View(scale=min(room, default=100.0))


def point_along_link(link: Link, ends: dict[str, XY], share: float) -> XY:
    """The pixel at a share of a member's length from its end a."""
    (ax, ay), (bx, by) = ends[link.a], ends[link.b]
    return ax + (bx - ax) * share, ay + (by - ay) * share


class Joint(Struct, frozen=True, kw_only=True):
    """A point with the directions of its members."""

    at: XY
    directions: tuple[float, ...] = ()
    """Directions of the members from the joint."""
    hinged: tuple[bool, ...] = ()
    """Which of them are hinged here."""
    support: PointSupport | None = None
    has_moment: bool = False
    """Whether a moment acts on the point itself."""

    @property
    def has_central_hinge(self) -> bool:
        """Whether no moment is transferred between any two members, so that a single circle represents the hinge."""
        held = self.support is not None and self.support.kind in ("fixed", "slider")
        free = any(self.hinged) and sum(self.hinged) >= len(self.directions) - 1
        return free and not held and not self.has_moment

    def is_open(self, angle: float, gap: float = 50.0) -> bool:
        """Whether no member is within an angle of a direction."""
        return all(angle_gap(direction, angle) > gap for direction in self.directions)

    def room(self, angle: float) -> float:
        """The angle to the nearest member."""
        return min((angle_gap(direction, angle) for direction in self.directions), default=180.0)


def find_joints(model: Model, pixels: dict[str, XY]) -> dict[str, Joint]:
    """All joints by the ids of their points."""
    directions: dict[str, list[tuple[float, bool]]] = {point.id: [] for point in model.points}
    for link in model.links:
        directions[link.a].append((angle_of(pixels[link.a], pixels[link.b]), link.hinge_a))
        directions[link.b].append((angle_of(pixels[link.b], pixels[link.a]), link.hinge_b))
    supports = {support.point: support for support in model.supports}
    has_moment = {load.point for load in model.loads if isinstance(load, Moment) and load.point}
    return {
        key: Joint(
            at=pixels[key],
            directions=tuple(direction for direction, _ in ends),
            hinged=tuple(hinge for _, hinge in ends),
            support=supports.get(key),
            has_moment=key in has_moment,
        )
        for key, ends in directions.items()
    }


_AROUND = 420.0
"""Margin around the structure in pixels for everything else."""


class Draft:
    """Shapes drawn so far, the areas that they occupy, deferred labels, and clashes."""

    def __init__(self, model: Model, style: Style, view: View) -> None:
        self.model = model
        self.style = style
        self.view = view
        self.canvas = Canvas()
        self.pixels: dict[str, XY] = {point.id: view.pixel(point.x, point.y) for point in model.points}
        self.joints = find_joints(model, self.pixels)
        self.links: dict[str, Link] = {link.id: link for link in model.links}
        area = Box.bounding(self.pixels.values(), _AROUND)
        self.occupied = OccupancyMask(area)
        """Area of everything drawn."""
        self.occupied_except_members = OccupancyMask(area)
        """Area of everything but members, since arrows may touch the member on which they act."""
        self.clashes: list[str] = []
        """What was drawn over something else because no space was free."""
        self.combs: list[Box] = []
        """Bounding boxes of distributed loads."""
        self._marked = 0
        self._deferred: list[Iterable[Text]] = []

    def mark_drawn(self, *, members: bool = False) -> None:
        """Mark the area of the shapes drawn since the last call as occupied."""
        fresh = self.canvas.shapes[self._marked :]
        self.occupied.mark(fresh)
        if not members:
            self.occupied_except_members.mark(fresh)
        self._marked = len(self.canvas.shapes)

    def reserve(self, outline: Iterable[XY]) -> None:
        """Mark the area of a polygon as occupied."""
        points = tuple(outline)
        self.occupied.mark_area(points)
        self.occupied_except_members.mark_area(points)

    def text(self, words: str, at: XY = (0.0, 0.0), colour: str = "") -> Text:
        """A text in the size of the style."""
        return Text(at, words, self.style.text, colour or self.style.ink)

    def label(self, candidates: Iterable[Text]) -> None:
        """Write a text at the first free candidate position."""
        options = tuple(candidates)
        text = place_label(self.occupied, options)
        if text is None:
            self.clashes.append(options[0].words)
            text = options[0]
        self.canvas.text(text)
        self.mark_drawn()

    def defer_label(self, candidates: Iterable[Text]) -> None:
        """Defer a text until everything else is drawn."""
        self._deferred.append(candidates)

    def place_deferred_labels(self) -> None:
        """Write the deferred texts in order."""
        for candidates in self._deferred:
            self.label(candidates)
        self._deferred.clear()

    @property
    def is_beam(self) -> bool:
        """Whether all points lie on one horizontal line."""
        return len({point.y for point in self.model.points}) == 1
