"""From metres to pixels."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from sightline.suites.structural.drawing.vectors import XY
from sightline.suites.structural.model import Link, Model

WIDTH, HEIGHT = 900.0, 560.0
"""What the structure alone may take up; supports, loads and dimensions come around it."""


class View(Struct, frozen=True, kw_only=True):
    """Where the model's origin lies in the picture, and how many pixels a metre has."""

    scale: float
    x: float = 0.0
    y: float = 0.0

    def pixel(self, x: float, y: float) -> XY:
        """The place of a point given in metres, y up."""
        return self.x + self.scale * x, self.y - self.scale * y

    def metres(self, x: float, y: float) -> XY:
        """The point in metres that a pixel shows."""
        return (x - self.x) / self.scale, (self.y - y) / self.scale

    def moved(self, shift: XY) -> View:
        """After everything has been moved by so many pixels."""
        return msgspec.structs.replace(self, x=self.x + shift[0], y=self.y + shift[1])


def fit(model: Model) -> View:
    """As large as the sheet allows."""
    xs, ys = [point.x for point in model.points], [point.y for point in model.points]
    width, height = max(xs) - min(xs), max(ys) - min(ys)
    room = [space / extent for space, extent in ((WIDTH, width), (HEIGHT, height)) if extent > 0]
    return View(scale=min(room, default=100.0))


def on_link(link: Link, ends: dict[str, XY], share: float) -> XY:
    """The pixel at a share of a member's length from its end a."""
    (ax, ay), (bx, by) = ends[link.a], ends[link.b]
    return ax + (bx - ax) * share, ay + (by - ay) * share
