"""Transformation from scene coordinates to pixels: uniform scale, optional quarter turn and mirroring."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Point, Window


class Frame(Struct, frozen=True):
    """A rectangle of pixels; y runs downwards."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """In pixels."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """In pixels."""
        return self.bottom - self.top


class View(Struct, frozen=True, kw_only=True):
    """A window of the plane, centred in a frame."""

    window: Window
    frame: Frame
    turned: bool = False
    mirrored: bool = False

    @property
    def scale(self) -> float:
        """Pixels per metre."""
        width, height = self.window.width, self.window.height
        if self.turned:
            width, height = height, width
        return min(self.frame.width / width, self.frame.height / height)

    @property
    def _middle(self) -> Point:
        return (self.window.left + self.window.right) / 2, (self.window.bottom + self.window.top) / 2

    def pixel(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Where points of the plane are in the picture."""
        across, up = x - self._middle[0], y - self._middle[1]
        if self.turned:
            across, up = -up, across
        if self.mirrored:
            across = -across
        frame = self.frame
        return (
            (frame.left + frame.right) / 2 + self.scale * across,
            (frame.top + frame.bottom) / 2 - self.scale * up,
        )

    def plane(self, px: Array, py: Array) -> tuple[Array, Array]:
        """The reverse of `pixel`."""
        across = (px - (self.frame.left + self.frame.right) / 2) / self.scale
        up = -(py - (self.frame.top + self.frame.bottom) / 2) / self.scale
        if self.mirrored:
            across = -across
        if self.turned:
            across, up = up, -across
        return across + self._middle[0], up + self._middle[1]

    def path(self, points: Sequence[Point]) -> list[Point]:
        """A polyline of the plane, in pixels."""
        x, y = np.array(points, dtype=float).T
        px, py = self.pixel(x, y)
        return list(zip(px.tolist(), py.tolist(), strict=True))

    @property
    def covered(self) -> Frame:
        """The pixels that the window takes up."""
        (x0, y0), (x1, y1) = self.path([(self.window.left, self.window.bottom), (self.window.right, self.window.top)])
        left, right = sorted((x0, x1))
        top, bottom = sorted((y0, y1))
        return Frame(round(left), round(top), round(right), round(bottom))
