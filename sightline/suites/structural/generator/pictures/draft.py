"""Drawing in progress."""

from __future__ import annotations

from collections.abc import Iterable

from sightline.suites.structural.drawing.canvas import Canvas
from sightline.suites.structural.drawing.labels import OccupancyMask, place_label
from sightline.suites.structural.drawing.shapes import Text
from sightline.suites.structural.drawing.vectors import XY, Box
from sightline.suites.structural.generator.pictures.joints import find_joints
from sightline.suites.structural.generator.pictures.style import Style
from sightline.suites.structural.generator.pictures.view import View
from sightline.suites.structural.model import Link, Model

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
