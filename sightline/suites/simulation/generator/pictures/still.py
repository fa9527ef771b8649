"""The picture of a case: the field in its geometry, a legend, and three panels of numbers."""

from __future__ import annotations

from msgspec import Struct
from PIL import Image

from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.pictures.canvas import Canvas, Frame, View
from sightline.suites.simulation.generator.pictures.charts import draw_figures, draw_profile, draw_residuals
from sightline.suites.simulation.generator.pictures.field import draw_field, draw_legend, palette_for
from sightline.suites.simulation.generator.pictures.overlays import draw_flow, draw_marks
from sightline.suites.simulation.generator.rng import ParameterRng

WIDTH, HEIGHT = 1000, 640
_WIDE = 1.75
_SLENDER = 3.4
"""What is longer than this would be a thin stripe if it stood upright."""


class Look(Struct, frozen=True, kw_only=True):
    """What differs between two pictures of the same case. Still and film share it."""

    paper: str
    taste: int
    """Which of the colour maps that fit."""
    bands: int
    turned: bool
    mirrored: bool
    swapped: bool
    """Whether legend and panels change sides."""


def draw_look(draw: ParameterRng, case: Case) -> Look:
    """By chance; what stands upright by nature is not turned."""
    window = case.scene.window
    return Look(
        paper=draw.pick(("#f6f8fa", "#fbfaf5", "#f4f7fb", "#ffffff")),
        taste=draw.pick((0, 1)),
        bands=draw.pick((9, 12, 16, 128)),
        turned=draw.chance(0.35) and case.scene.may_turn and window.width < _SLENDER * window.height,
        mirrored=draw.chance(),
        swapped=draw.chance(),
    )


class _Layout(Struct, frozen=True, kw_only=True):
    view: Frame
    legend: Frame
    panels: tuple[Frame, Frame, Frame]


def draw_still(case: Case, look: Look, draw: ParameterRng) -> Image.Image:
    """The state that the report tells of."""
    canvas = Canvas(WIDTH, HEIGHT, look.paper)
    window = case.scene.window
    aspect = window.height / window.width if look.turned else window.width / window.height
    layout = _wide(look) if aspect > _WIDE else _tall(look)
    canvas.text((24, 14), case.title, 23)
    canvas.text((24, 44), case.subtitle, 14, "#57606a")
    view = View(window=window, frame=layout.view, turned=look.turned, mirrored=look.mirrored)
    palette = palette_for(case.scene, look.taste, look.bands)
    draw_field(canvas, case.scene, view, palette, 1.0)
    draw_flow(canvas, case.scene, view, draw, "#f0f3f6" if palette.name == "viridis" else "#0d1117")
    draw_marks(canvas, case.scene.marks(1.0), view)
    _axes(canvas, view, layout.view)
    draw_legend(canvas, case.scene, palette, layout.legend)
    draw_profile(canvas, layout.panels[0], case.scene.profile)
    draw_residuals(canvas, layout.panels[1], case.residuals)
    draw_figures(canvas, layout.panels[2], case.figures)
    return canvas.finished()


def _wide(look: Look) -> _Layout:
    """The field above, three panels below."""
    first, second, third = Frame(20, 414, 350, 622), Frame(364, 414, 680, 622), Frame(694, 414, 980, 622)
    panels = (third, second, first) if look.swapped else (first, second, third)
    legend = Frame(32, 118, 54, 388) if look.swapped else Frame(906, 118, 928, 388)
    return _Layout(
        view=Frame(130, 76, 984, 404) if look.swapped else Frame(18, 76, 880, 404), legend=legend, panels=panels
    )


def _tall(look: Look) -> _Layout:
    """The field on one side, three panels on the other."""
    left, field = (20, 330) if look.swapped else (690, 18)
    tops = (20, 222, 414)
    panels = tuple(Frame(left, top, left + 290, bottom) for top, bottom in zip(tops, (212, 404, 622), strict=True))
    if look.swapped:
        tops = (76, 262, 440)
        panels = tuple(Frame(left, top, left + 290, bottom) for top, bottom in zip(tops, (254, 432, 622), strict=True))
    return _Layout(
        view=Frame(field, 74, field + 655, 556),
        legend=Frame(field + 90, 588, field + 565, 604),
        panels=(panels[0], panels[1], panels[2]),
    )


def _axes(canvas: Canvas, view: View, frame: Frame) -> None:
    """A small pair of axes in the corner, turned and mirrored with the view."""
    size = 30 / view.scale
    inner = view.window
    corner = (inner.left, inner.bottom)
    for end, name in (((size, 0.0), "x"), ((0.0, size), "y")):
        path = view.path((corner, (corner[0] + end[0], corner[1] + end[1])))
        shift = _into(path[0], frame)
        moved = [(x + shift[0], y + shift[1]) for x, y in path]
        canvas.arrow(moved, "#57606a", 1.2, 6)
        (x0, y0), (x1, y1) = moved
        canvas.text((x1 + (x1 - x0) * 0.3, y1 + (y1 - y0) * 0.3), name, 12, "#57606a", "mm")


def _into(at: tuple[float, float], frame: Frame) -> tuple[float, float]:
    """How far the axes must move to lie in the free corner of the frame nearest to them."""
    x = frame.left + 12 if at[0] < (frame.left + frame.right) / 2 else frame.right - 12
    y = frame.top + 8 if at[1] < (frame.top + frame.bottom) / 2 else frame.bottom - 8
    return x - at[0], y - at[1]
