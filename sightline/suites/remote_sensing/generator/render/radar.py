"""Synthetic-aperture radar: backscatter, layover and double bounce, speckle, the sidelobes of bright targets.

The complex image of a distributed target is circular Gaussian noise scaled by its amplitude; a strong scatterer is a
single value. Both pass the band-pass of the system, whose response is a sinc: speckle gets its grain and bright targets
their crosses. The mean power of a few looks is shown as amplitude.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from sightline.suites.remote_sensing.generator.catalog import KINDS
from sightline.suites.remote_sensing.generator.render.canvas import OVERSAMPLING, Canvas
from sightline.suites.remote_sensing.generator.render.walls import facing_edges
from sightline.suites.remote_sensing.generator.scene import Scene, SceneObject, Tree
from sightline.suites.remote_sensing.generator.seeded_random import Floats, SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Point, contains, rotate, sweep
from sightline.suites.remote_sensing.generator.visibility import lean_of, paint_order

LOOKS = 3
_BANDWIDTH = 0.82
"""Share of the spectrum that the system passes: a resolution cell is a little larger than a pixel."""
_TAPER = 0.72
"""Generalised Hamming window: 1 would be a plain sinc, whose sidelobes reach far."""
_WHITE = 190.0
"""Amplitude that is shown as white."""
_ROOF, _LAYOVER, _CORNER = 40.0, 84.0, 420.0
_SKIN = {"ship": 80.0, "airplane": 74.0, "vehicle": 90.0, "storage tank": 14.0, "bridge": 70.0, "building": _ROOF}
_ECHO = {"ship": 2400.0, "airplane": 1700.0, "vehicle": 1100.0, "storage tank": 0.0, "bridge": 420.0, "building": 900.0}
"""Amplitude of the strong scatterers on an object, before the picture is scaled down."""


def render_radar(canvas: Canvas, scene: Scene, date: int, key: tuple[int, int]) -> Floats:
    """The picture as amplitudes from 0 to 255; `canvas` holds ground, roads and shadows.

    The speckle of another date is another one; echoes stay, as the sensor looks from the same side.
    """
    rng, leaves = SeededRandom(*key, "radar"), SeededRandom(*key, "leaves")
    ground = canvas.image.convert("L").convert("F")
    pen = ImageDraw.Draw(ground)
    for tree in scene.trees:
        _paint_crown(canvas, pen, tree, leaves)
    echoes = np.zeros((canvas.side // OVERSAMPLING, canvas.side // OVERSAMPLING))
    for obj in paint_order(scene):
        _paint_object(canvas, pen, obj, scene, echoes, SeededRandom(*key, "echoes", obj.id))
    rough = np.asarray(canvas.rough.reduce(OVERSAMPLING), np.float64) / 255
    amplitude = np.asarray(ground.reduce(OVERSAMPLING), np.float64)
    amplitude = amplitude * (1 + 0.35 * rough * _broad(rng, len(amplitude)))
    return focus(np.maximum(amplitude, 0), echoes, SeededRandom(*key, "speckle", date))


def _paint_crown(canvas: Canvas, pen: ImageDraw.ImageDraw, tree: Tree, rng: SeededRandom) -> None:
    """Leaves scatter from everywhere: clumps of different strength."""
    for _ in range(7):
        off, way = tree.radius * rng.between(0.0, 0.6), rng.between(0, 2 * math.pi)
        ((x, y),) = canvas.scaled(((tree.at[0] + off * math.cos(way), tree.at[1] + off * math.sin(way)),))
        reach = tree.radius * rng.between(0.3, 0.55) * canvas.factor
        pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=86.0 * tree.shade * rng.between(0.7, 1.4))


def _broad(rng: SeededRandom, side: int) -> NDArray[np.float64]:
    coarse = Image.fromarray(rng.normal(13, 13))
    return np.asarray(coarse.resize((side, side), Image.Resampling.BICUBIC), np.float64)


def _paint_object(
    canvas: Canvas,
    pen: ImageDraw.ImageDraw,
    obj: SceneObject,
    scene: Scene,
    echoes: NDArray[np.float64],
    rng: SeededRandom,
) -> None:
    """Skin, layover towards the sensor, the bright corner at its foot, and single strong echoes."""
    lean = lean_of(obj, scene.acquisition)
    towards = scene.acquisition.lean
    skin = _SKIN[obj.group]
    pen.polygon(canvas.scaled(obj.outline), fill=skin)
    if lean != (0.0, 0.0) and obj.group in ("building", "storage tank"):
        for piece in sweep(obj.outline, lean):
            pen.polygon(canvas.scaled(piece), fill=_LAYOVER if obj.group == "building" else skin)
    width = max(round(canvas.factor * min(1.3, 0.12 * obj.width)), 1)
    if obj.group in ("building", "storage tank", "bridge"):
        for a, b in facing_edges(obj.outline, towards):
            glint = _facing(a, b, towards)
            pen.line(canvas.scaled((a, b)), fill=_LAYOVER + (_CORNER - _LAYOVER) * glint, width=width)
            if obj.group == "storage tank":
                top = [(x + lean[0], y + lean[1]) for x, y in (a, b)]
                pen.line(canvas.scaled(top), fill=_CORNER * 0.7 * glint, width=width)
    factor = canvas.factor / OVERSAMPLING
    for x, y in _scatterers(obj, rng):
        row, column = int(y * factor), int(x * factor)
        if 0 <= row < len(echoes) and 0 <= column < len(echoes):
            echoes[row, column] += _ECHO[obj.group] * rng.between(0.35, 1.0)


def _facing(a: Point, b: Point, towards: Point) -> float:
    """How squarely an edge faces the sensor: a wall that does not sends its echo elsewhere."""
    normal = (b[1] - a[1], -(b[0] - a[0]))
    size = math.hypot(*normal) * math.hypot(*towards)
    return max((normal[0] * towards[0] + normal[1] * towards[1]) / size, 0.0) ** 3 if size else 0.0


def _scatterers(obj: SceneObject, rng: SeededRandom) -> list[Point]:
    """Places of strong echoes within the outline: superstructures, engines, edges."""
    outline = KINDS[obj.kind].outline
    spacing = {"ship": 7.0, "airplane": 12.0, "vehicle": 8.0, "bridge": 16.0}.get(obj.group, obj.length)
    places: list[Point] = []
    for _ in range(max(round(obj.length / spacing), 1)):
        for _ in range(20):
            local = (rng.between(-0.48, 0.48), rng.between(-0.42, 0.42))
            if contains(outline, local):
                places.extend(rotate(((local[0] * obj.length, local[1] * obj.width),), obj.at, obj.angle))
                break
    return places


def focus(amplitude: NDArray[np.float64], echoes: NDArray[np.float64], rng: SeededRandom) -> Floats:
    """Speckle, band limit, mean over looks."""
    side = len(amplitude)
    frequency = np.abs(np.fft.fftfreq(side)) * 2
    window = np.where(frequency <= _BANDWIDTH, _TAPER + (1 - _TAPER) * np.cos(np.pi * frequency / _BANDWIDTH), 0.0)
    passed = window[:, None] * window[None, :]
    gain = math.sqrt(float((passed**2).mean()))
    power = np.zeros((side, side))
    for _ in range(LOOKS):
        noise = rng.normal(2, side, side).astype(np.float64)
        field = amplitude * (noise[0] + 1j * noise[1]) / (math.sqrt(2) * gain) + echoes
        power += np.abs(np.fft.ifft2(np.fft.fft2(field) * passed)) ** 2
    shown = np.sqrt(power / LOOKS) / _WHITE
    return np.asarray(255 * np.clip(shown, 0, 1) ** 0.75, np.float32)
