"""What is drawn over the field: supports, walls, outlines, notes, velocity arrows, streamlines and tracers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sightline.suites.simulation.generator.case import (
    Annotation,
    Array,
    Arrow,
    Disc,
    Hatch,
    Line,
    Point,
    Scene,
    TextNote,
    VectorField,
    Window,
)
from sightline.suites.simulation.generator.pictures.canvas import Canvas, View
from sightline.suites.simulation.generator.rng import ParameterRng

_HATCH_STEP = 9.0
_DARK = "#30363d"


def draw_marks(canvas: Canvas, marks: Sequence[Annotation], view: View, *, small: bool = False) -> None:
    """All marks in their order."""
    thin = 0.7 if small else 1.0
    for mark in marks:
        match mark:
            case Line():
                draw = canvas.dashes if mark.dashed else canvas.line
                draw(view.path(mark.points), mark.colour, mark.width * thin)
            case Arrow():
                canvas.arrow(view.path(mark.points), mark.colour, mark.width * thin, 12 * thin)
            case Hatch():
                _hatch(canvas, view.path((mark.start, mark.end)), flipped=view.mirrored, thin=thin)
            case TextNote():
                canvas.text(view.path((mark.at,))[0], mark.text, 12 if small else 15, anchor="mm")
            case Disc():
                canvas.disc(view.path((mark.centre,))[0], mark.radius * view.scale, "#d0d7de", _DARK)


def _hatch(canvas: Canvas, ends: Sequence[Point], *, flipped: bool, thin: float) -> None:
    (x0, y0), (x1, y1) = ends
    length = float(np.hypot(x1 - x0, y1 - y0))
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    # left of the way as the plane has it; in pixels y runs down, and a mirror swaps the sides
    side = -1.0 if flipped else 1.0
    nx, ny = side * dy, -side * dx
    tick = _HATCH_STEP * thin
    canvas.line(ends, _DARK, 2.2 * thin)
    for at in np.arange(tick / 2, length, tick):
        x, y = x0 + at * dx, y0 + at * dy
        canvas.line(((x, y), (x + tick * (nx - 0.6 * dx), y + tick * (ny - 0.6 * dy))), _DARK, thin)


_INK = "#0d1117"


def _velocity_or_zero(flow: VectorField, x: Array, y: Array, moment: float) -> tuple[Array, Array]:
    """The velocity, at rest within bodies."""
    u, v = flow(x, y, moment)
    return np.where(np.isnan(u), 0.0, u), np.where(np.isnan(v), 0.0, v)


def _direction(flow: VectorField, x: Array, y: Array, moment: float) -> tuple[Array, Array]:
    u, v = _velocity_or_zero(flow, x, y, moment)
    speed = np.hypot(u, v)
    safe = np.where(speed > 0, speed, 1.0)
    return u / safe, v / safe


def draw_flow(canvas: Canvas, scene: Scene, view: View, draw: ParameterRng, ink: str) -> None:
    """Streamlines or arrows at the end."""
    if scene.flow is None or scene.domain is None:
        return
    if scene.follows_lines:
        for path in streamlines(scene.flow, scene.domain, draw.between(0, 1)):
            pixels = view.path([(float(x), float(y)) for x, y in path])
            canvas.line(pixels, ink, 0.9)
            canvas.arrow(pixels[len(pixels) // 2 - 2 : len(pixels) // 2 + 1], ink, 0.9, 6.0)
    else:
        _arrows(canvas, scene.flow, scene.domain, view, ink)


def _arrows(canvas: Canvas, flow: VectorField, domain: Window, view: View, ink: str) -> None:
    """On a coarse grid, as long as the velocity; dense across the flow and sparse along it."""
    goes_up = domain.height > domain.width
    inset = (-0.06, -0.1) if goes_up else (-0.1, -0.06)
    x, y = domain.expanded(inset[0] * domain.width, inset[1] * domain.height).grid(*((9, 6) if goes_up else (6, 9)))
    u, v = flow(x, y, 1.0)
    longest = 0.11 * domain.size / float(np.nanmax(np.hypot(u, v)))
    for x0, y0, du, dv in zip(x.ravel(), y.ravel(), (longest * u).ravel(), (longest * v).ravel(), strict=True):
        length = float(np.hypot(du, dv)) * view.scale
        if length > 3:
            path = view.path(((x0 - du / 2, y0 - dv / 2), (x0 + du / 2, y0 + dv / 2)))
            canvas.arrow(path, ink, 1.3, min(7.0, 0.6 * length))


def scatter_points(domain: Window, count: int, shift: float) -> tuple[Array, Array]:
    """Points that cover the domain evenly without a grid's look (a low-discrepancy sequence)."""
    number = np.arange(1.0, count + 1)
    return (
        domain.left + domain.width * ((number * 0.7548776662 + shift) % 1),
        domain.bottom + domain.height * ((number * 0.5698402910 + shift) % 1),
    )


def streamlines(flow: VectorField, domain: Window, shift: float) -> list[Array]:
    """Paths along the velocity at the end, by the midpoint rule."""
    steps, step = 90, 0.006 * domain.size
    points = [scatter_points(domain, 46, shift)]
    for _ in range(steps):
        x0, y0 = points[-1]
        u, v = _direction(flow, x0, y0, 1.0)
        u, v = _direction(flow, x0 + step / 2 * u, y0 + step / 2 * v, 1.0)
        points.append((x0 + step * u, y0 + step * v))
    paths = (_within(domain, path) for path in np.array(points).transpose(2, 0, 1))
    return [path for path in paths if len(path) > 12]


def _within(domain: Window, path: Array) -> Array:
    """The path up to where it leaves the domain or runs into a body."""
    x, y = path.T
    outside = (x < domain.left) | (x > domain.right) | (y < domain.bottom) | (y > domain.top)
    # within a body there is no velocity, so a path that has run into one stays where it is
    outside[1:] |= (np.diff(x) == 0) & (np.diff(y) == 0)
    return path[: int(np.argmax(outside))] if outside.any() else path


class Tracers:
    """Particles that move with the flow; one that leaves comes in again on the other side."""

    def __init__(self, flow: VectorField, domain: Window, draw: ParameterRng, count: int) -> None:
        self._flow, self._domain = flow, domain
        self.x, self.y = scatter_points(domain, count, draw.between(0, 1))
        u, v = flow(*domain.grid(61, 61), 0.0)
        # slow motion: the fastest particle takes some thirty frames for the whole way
        self._step = 0.03 * domain.size / float(np.nanmax(np.hypot(u, v)))

    def move(self, moment: float) -> None:
        """One frame further."""
        u, v = _velocity_or_zero(self._flow, self.x, self.y, moment)
        u, v = _velocity_or_zero(self._flow, self.x + self._step / 2 * u, self.y + self._step / 2 * v, moment)
        domain = self._domain
        x, y = self.x + self._step * u, self.y + self._step * v
        self.x = domain.left + (x - domain.left) % domain.width
        self.y = domain.bottom + (y - domain.bottom) % domain.height

    def draw(self, canvas: Canvas, view: View, moment: float) -> None:
        """Each as a dot with a short tail."""
        u, v = self._flow(self.x, self.y, moment)
        for x, y, du, dv in zip(self.x, self.y, self._step * u, self._step * v, strict=True):
            if not np.isnan(du):
                tail, head = view.path(((x - 0.8 * du, y - 0.8 * dv), (x, y)))
                canvas.line((tail, head), "#ffffff", 1.2)
                canvas.disc(head, 2.0, "#ffffff", _INK)
