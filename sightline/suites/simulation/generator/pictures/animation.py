"""Animation of a case: increasing load, or tracers moving with the flow; as frames, and as MP4 with PyAV."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.pictures.canvas import Canvas, Frame, View
from sightline.suites.simulation.generator.pictures.field import Palette, draw_field, draw_legend, palette_for
from sightline.suites.simulation.generator.pictures.overlays import Tracers, draw_marks
from sightline.suites.simulation.generator.pictures.still import Look
from sightline.suites.simulation.generator.rng import ParameterRng

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


WIDTH, HEIGHT, FRAMES = 480, 300, 12
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
    sheet = Image.new("RGB", (WIDTH, 2 * HEIGHT))
    sheet.paste(frames[0], (0, 0))
    sheet.paste(frames[FRAMES // 2], (0, HEIGHT))
    return sheet


def _frame(case: Case, look: Look, view: View, palette: Palette, moment: float, tracers: Tracers | None) -> Image.Image:
    canvas = Canvas(WIDTH, HEIGHT, look.paper)
    canvas.text((10, 8), case.title, 15)
    canvas.text((10, 28), case.scene.stage(moment), 12, "#57606a")
    draw_field(canvas, case.scene, view, palette, moment)
    draw_marks(canvas, case.scene.marks(moment), view, small=True)
    if tracers:
        tracers.draw(canvas, view, moment)
    draw_legend(canvas, case.scene, palette, Frame(418, 74, 432, 270), small=True)
    return canvas.finished()
