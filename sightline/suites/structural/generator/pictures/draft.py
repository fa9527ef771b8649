"""The sheet while it is being drawn."""

from __future__ import annotations

from collections.abc import Iterable

from sightline.suites.structural.drawing.canvas import Canvas
from sightline.suites.structural.drawing.labels import Sheet, place
from sightline.suites.structural.drawing.shapes import Text
from sightline.suites.structural.drawing.vectors import XY, Box
from sightline.suites.structural.generator.pictures.joints import find_joints
from sightline.suites.structural.generator.pictures.style import Style
from sightline.suites.structural.generator.pictures.view import View
from sightline.suites.structural.model import Link, Model

_AROUND = 420.0
"""How far from the structure anything may lie."""


class Draft:
    """What is drawn so far, which places it takes, and what found none."""

    def __init__(self, model: Model, style: Style, view: View) -> None:
        self.model = model
        self.style = style
        self.view = view
        self.canvas = Canvas()
        self.pixels: dict[str, XY] = {point.id: view.pixel(point.x, point.y) for point in model.points}
        self.joints = find_joints(model, self.pixels)
        self.links: dict[str, Link] = {link.id: link for link in model.links}
        area = Box.around(self.pixels.values(), _AROUND)
        self.ink = Sheet(area)
        """Everything drawn."""
        self.busy = Sheet(area)
        """Everything but members: arrows may touch the member on which they act, but nothing else."""
        self.clashes: list[str] = []
        """What was drawn over something else, for want of a free place."""
        self.combs: list[Box] = []
        """Where distributed loads stand."""
        self._settled = 0
        self._waiting: list[Iterable[Text]] = []

    def settle(self, *, members: bool = False) -> None:
        """Take the places of what was drawn since the last call."""
        fresh = self.canvas.shapes[self._settled :]
        self.ink.mark(fresh)
        if not members:
            self.busy.mark(fresh)
        self._settled = len(self.canvas.shapes)

    def take(self, outline: Iterable[XY]) -> None:
        """Keep a whole polygon free of others."""
        points = tuple(outline)
        self.ink.mark_area(points)
        self.busy.mark_area(points)

    def text(self, words: str, at: XY = (0.0, 0.0), colour: str = "") -> Text:
        """Words in the drawing's size."""
        return Text(at, words, self.style.text, colour or self.style.ink)

    def label(self, candidates: Iterable[Text]) -> None:
        """Write a text at the first free place."""
        options = tuple(candidates)
        found = place(self.ink, options)
        if found is None:
            self.clashes.append(options[0].words)
            found = options[0]
        self.canvas.text(found)
        self.settle()

    def later(self, candidates: Iterable[Text]) -> None:
        """Write a text once everything else is drawn."""
        self._waiting.append(candidates)

    def write(self) -> None:
        """Write the texts that wait, in the order in which they came."""
        for candidates in self._waiting:
            self.label(candidates)
        self._waiting.clear()

    @property
    def is_beam(self) -> bool:
        """Whether all points lie on one horizontal line."""
        return len({point.y for point in self.model.points}) == 1
