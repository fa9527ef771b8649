"""Transformation from metres to pixels."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from sightline.suites.structural.drawing.vectors import XY
from sightline.suites.structural.model import Link, Model

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

    def metres(self, x: float, y: float) -> XY:
        """Point in metres of a pixel."""
        return (x - self.x) / self.scale, (self.y - y) / self.scale

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
