"""Still image and animation of a case; the animation shows increasing load, or tracers moving with the flow."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from PIL import Image

from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.pictures.canvas import Canvas, Frame, View
from sightline.suites.simulation.generator.pictures.charts import draw_figures, draw_profile, draw_residuals
from sightline.suites.simulation.generator.pictures.field import Palette, draw_field, draw_legend, palette_for
from sightline.suites.simulation.generator.pictures.overlays import Tracers, draw_flow, draw_marks
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
    """Draw a random look; what stands upright by nature is not turned."""
    window = case.scene.window
    return Look(
        paper=draw.pick(("#f6f8fa", "#fbfaf5", "#f4f7fb", "#ffffff")),
        taste=draw.pick((0, 1)),
        bands=draw.pick((9, 12, 16, 128)),
        turned=draw.chance(0.35) and case.scene.may_turn and window.width < _SLENDER * window.height,
        mirrored=draw.chance(),
        swapped=draw.chance(),
    )


def draw_still(case: Case, look: Look, draw: ParameterRng) -> Image.Image:
    """The state that the report tells of."""
    canvas = Canvas(WIDTH, HEIGHT, look.paper)
    window = case.scene.window
    aspect = window.height / window.width if look.turned else window.width / window.height
    frame, legend, panels = _wide_layout(look) if aspect > _WIDE else _tall_layout(look)
    canvas.text((24, 14), case.title, 23)
    canvas.text((24, 44), case.subtitle, 14, "#57606a")
    view = View(window=window, frame=frame, turned=look.turned, mirrored=look.mirrored)
    palette = palette_for(case.scene, look.taste, look.bands)
    draw_field(canvas, case.scene, view, palette, 1.0)
    draw_flow(canvas, case.scene, view, draw, "#f0f3f6" if palette.name == "viridis" else "#0d1117")
    draw_marks(canvas, case.scene.marks(1.0), view)
    _axes(canvas, view, frame)
    draw_legend(canvas, case.scene, palette, legend)
    draw_profile(canvas, panels[0], case.scene.profile)
    draw_residuals(canvas, panels[1], case.residuals)
    draw_figures(canvas, panels[2], case.figures)
    return canvas.to_image()


def _wide_layout(look: Look) -> tuple[Frame, Frame, tuple[Frame, ...]]:
    """Frames of the field, of the legend, and of the three panels below them."""
    panels = (Frame(20, 414, 350, 622), Frame(364, 414, 680, 622), Frame(694, 414, 980, 622))
    if look.swapped:
        return Frame(130, 76, 984, 404), Frame(32, 118, 54, 388), panels[::-1]
    return Frame(18, 76, 880, 404), Frame(906, 118, 928, 388), panels


def _tall_layout(look: Look) -> tuple[Frame, Frame, tuple[Frame, ...]]:
    """Frames of the field, of the legend, and of the three panels beside them."""
    left, field = (20, 330) if look.swapped else (690, 18)
    spans = ((76, 254), (262, 432), (440, 622)) if look.swapped else ((20, 212), (222, 404), (414, 622))
    panels = tuple(Frame(left, top, left + 290, bottom) for top, bottom in spans)
    return Frame(field, 74, field + 655, 556), Frame(field + 90, 588, field + 565, 604), panels


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


_SAME_BYTES = {"crf": "18", "x264-params": "threads=1:lookahead-threads=1:sync-lookahead=0"}
"""With several threads, the bytes could depend on which was quicker."""


def can_write_mp4() -> bool:
    """Whether there is an encoder."""
    return find_spec("av") is not None


def write_mp4(path: Path, frames: Sequence[Image.Image], milliseconds: int) -> None:
    """H.264, as every browser and most models take it. The frames' sides are even numbers of pixels."""
    av: Any = import_module("av")  # typed in part only
    rate = Fraction(1000, milliseconds)
    with av.open(str(path), "w", format="mp4", options={"fflags": "+bitexact"}) as film:
        stream = film.add_stream("libx264", rate=rate, options=_SAME_BYTES)
        stream.width, stream.height = frames[0].size
        stream.pix_fmt = "yuv420p"
        for frame in frames:
            film.mux(stream.encode(av.VideoFrame.from_ndarray(_planes(frame), format="yuv420p")))
        film.mux(stream.encode())


def _planes(frame: Image.Image) -> NDArray[np.uint8]:
    """Light, and both colours at half the resolution, in the range of films (ITU-R BT.601).

    FFmpeg's own conversion of pictures gave other bytes from time to time, for it reads beyond the ends of rows.
    """
    full = np.asarray(frame.convert("RGB").convert("YCbCr"), np.float64)
    height, width = full.shape[:2]
    light = 16 + full[..., 0] * (219 / 255)
    colours = full[..., 1:].reshape(height // 2, 2, width // 2, 2, 2).mean(axis=(1, 3))
    colours = 128 + (colours - 128) * (224 / 255)
    parts = (light, colours[..., 0], colours[..., 1])
    whole: NDArray[np.uint8] = np.concatenate([np.rint(part).astype(np.uint8).ravel() for part in parts])
    return whole.reshape(-1, width)


_FRAME_WIDTH, _FRAME_HEIGHT, FRAMES = 480, 300, 12
MILLISECONDS = 100
_COLOURS = 96
_BANDS = 12


def frame_moments(*, is_flow: bool, decays: bool) -> list[float]:
    """Of each frame. A load rises after one frame at full load: the first frame is often the only one looked at."""
    if is_flow:
        return [k / (FRAMES - 1) if decays else 1.0 for k in range(FRAMES)]
    return [1.0, *(k / (FRAMES - 1) for k in range(1, FRAMES))]


def draw_film(case: Case, look: Look, draw: ParameterRng) -> list[Image.Image]:
    """Frames with one palette of few colours."""
    scene = case.scene
    palette = palette_for(scene, look.taste, _BANDS, 0.0 if scene.decays else 1.0)
    view = View(window=scene.window, frame=Frame(8, 40, 400, 292), turned=look.turned, mirrored=look.mirrored)
    tracers = Tracers(scene.flow, scene.domain, draw, 60) if scene.flow and scene.domain else None
    frames = []
    for moment in frame_moments(is_flow=tracers is not None, decays=scene.decays):
        frames.append(_frame(case, look, view, palette, moment, tracers))
        if tracers:
            tracers.move(moment)
    colours = _joined(frames).quantize(_COLOURS, method=Image.Quantize.MEDIANCUT)
    return [frame.quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames]


def _joined(frames: list[Image.Image]) -> Image.Image:
    """Two frames in one sheet, from which the common colours are chosen."""
    sheet = Image.new("RGB", (_FRAME_WIDTH, 2 * _FRAME_HEIGHT))
    sheet.paste(frames[0], (0, 0))
    sheet.paste(frames[FRAMES // 2], (0, _FRAME_HEIGHT))
    return sheet


def _frame(case: Case, look: Look, view: View, palette: Palette, moment: float, tracers: Tracers | None) -> Image.Image:
    canvas = Canvas(_FRAME_WIDTH, _FRAME_HEIGHT, look.paper)
    canvas.text((10, 8), case.title, 15)
    canvas.text((10, 28), case.scene.stage(moment), 12, "#57606a")
    draw_field(canvas, case.scene, view, palette, moment)
    draw_marks(canvas, case.scene.marks(moment), view, small=True)
    if tracers:
        tracers.draw(canvas, view, moment)
    draw_legend(canvas, case.scene, palette, Frame(418, 74, 432, 270), small=True)
    return canvas.to_image()
