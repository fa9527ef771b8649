"""Animation of a case: increasing load, or tracers moving with the flow."""

from __future__ import annotations

from PIL import Image

from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.pictures.canvas import Canvas
from sightline.suites.simulation.generator.pictures.field import Palette, draw_field, draw_legend, palette_for
from sightline.suites.simulation.generator.pictures.flowlines import Tracers
from sightline.suites.simulation.generator.pictures.marks import draw_marks
from sightline.suites.simulation.generator.pictures.still import Look
from sightline.suites.simulation.generator.pictures.view import Frame, View

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
