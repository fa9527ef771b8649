"""Sensor model: illumination, season and mode of a picture; downsampling, texture, blur, haze and noise."""

from __future__ import annotations

import math
from io import BytesIO

import numpy as np
from msgspec import Struct
from PIL import Image, ImageFilter

from sightline.suites.remote_sensing.generator.catalog import Mode, Palette
from sightline.suites.remote_sensing.generator.render.canvas import OVERSAMPLING, Canvas
from sightline.suites.remote_sensing.generator.seeded_random import Floats, SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Point


class Light(Struct, frozen=True, kw_only=True):
    """Illumination, season, haze and sensor mode."""

    mode: Mode
    autumn: float
    sun: float
    """The direction in which shadows fall."""
    slope: float
    """Length of a shadow over the height of what casts it."""
    haze: float
    blur: float
    grain: float
    gains: tuple[float, float, float]

    @property
    def palette(self) -> Palette:
        """The colours of this date."""
        return Palette(mode=self.mode, autumn=self.autumn)

    def shadow(self, height: float) -> Point:
        """How far a shadow falls."""
        reach = height * self.slope
        return reach * math.cos(self.sun), reach * math.sin(self.sun)

    def shade(self, facing: float) -> float:
        """Brightness of a slope that faces this way."""
        return 1.0 - 0.24 * math.cos(facing - self.sun)


def light_of(seed: int, number: int, date: int = 0) -> Light:
    """The light of a scene; the second date differs in season, sun and haze, not in the sensor's kind."""
    kind = SeededRandom(seed, number, "sensor")
    mode: Mode = kind.pick(("colour",) * 11 + ("false colour",) * 2 + ("thermal",) * 2)
    rng = SeededRandom(seed, number, "light", date)
    autumn = kind.between(0.0, 0.35) + date * kind.between(0.08, 0.25)
    exposure = rng.between(0.93, 1.1)
    red, green, blue = (exposure * rng.between(0.95, 1.05) for _ in range(3))
    return Light(
        mode=mode,
        autumn=autumn,
        sun=rng.between(0, 2 * math.pi),
        slope=rng.between(0.6, 1.25),
        haze=rng.between(0.0, 0.12),
        blur=rng.between(0.35, 0.75),
        grain=rng.between(2.0, 4.5) * (1.6 if mode == "thermal" else 1.0),
        gains=(exposure, exposure, exposure) if mode == "thermal" else (red, green, blue),
    )


QUALITY = 85
_HAZE = np.array((196, 204, 214), np.float32)
_TINT = np.array((13, 3, -7), np.float32)


def roughness(canvas: Canvas, rng: SeededRandom) -> tuple[Floats, Floats]:
    """Coarse and fine ground texture, scaled by the roughness layer."""
    rough: Floats = np.asarray(canvas.rough.reduce(OVERSAMPLING), np.float32) / np.float32(255)
    side = len(rough)
    broad = _noise(rng, side, 7) * 0.5 + _noise(rng, side, 21) * 0.4
    fine = _noise(rng, side, side // 9) * 0.5 + _noise(rng, side, side // 4) * 0.4 + rng.normal(side, side) * 0.45
    return rough * broad, rough * fine


def _noise(rng: SeededRandom, side: int, cells: int) -> Floats:
    coarse = Image.fromarray(rng.normal(cells, cells))
    return np.asarray(coarse.resize((side, side), Image.Resampling.BICUBIC), np.float32)


def expose(canvas: Canvas, light: Light, texture: tuple[Floats, Floats], rng: SeededRandom) -> Image.Image:
    """The finished picture."""
    broad, fine = texture
    pixels = np.asarray(canvas.image.reduce(OVERSAMPLING), np.float32)
    pixels = pixels * (1 + 0.24 * broad + 0.26 * fine)[..., None]
    if light.mode == "colour":
        pixels += broad[..., None] * _TINT
    if light.mode == "thermal":
        # sensors of heat spread what little contrast there is
        pixels = (pixels - 105) * 1.25 + 105
    small = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    small = small.filter(ImageFilter.GaussianBlur(light.blur * canvas.side / 1024))
    haze = _HAZE if light.mode == "colour" else np.full(3, 128, np.float32)
    gains = np.array(light.gains, np.float32) * (1 - light.haze)
    pixels = np.asarray(small, np.float32) * gains + (haze * light.haze + 0.5)
    pixels += rng.normal(small.height, small.width, 1) * light.grain
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def to_jpeg(picture: Image.Image) -> bytes:
    """The file's bytes."""
    into = BytesIO()
    picture.save(into, "JPEG", quality=QUALITY)
    return into.getvalue()
