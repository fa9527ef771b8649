"""Sensor model: illumination, season, mode and weather of a picture; downsampling, texture, blur, clouds, noise."""

from __future__ import annotations

import math
from io import BytesIO

import numpy as np
from msgspec import Struct
from PIL import Image, ImageFilter

from sightline.suites.remote_sensing.generator.catalog import Mode, Palette
from sightline.suites.remote_sensing.generator.conditions import (
    STANDARD,
    Acquisition,
    Conditions,
    acquisition_of,
    cloud_field,
    cloud_opacity,
)
from sightline.suites.remote_sensing.generator.render.canvas import OVERSAMPLING, Canvas
from sightline.suites.remote_sensing.generator.render.png16 import encode_png16
from sightline.suites.remote_sensing.generator.scene import SIDE, Scene
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
    date: int = 0
    """0, or 1 for the second picture of a pair."""

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


def light_of(seed: int, number: int, date: int = 0, conditions: Conditions = STANDARD) -> Light:
    """The light of a scene; the second date differs in season, sun and haze, not in the sensor's kind."""
    acquisition = acquisition_of(seed, number, conditions)
    if acquisition.is_radar:
        return _radar_light(acquisition, date)
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


def _radar_light(acquisition: Acquisition, date: int) -> Light:
    """The sensor's own rays: shadows fall away from it, at both dates alike."""
    x, y = acquisition.lean
    return Light(
        mode="sar",
        autumn=0.0,
        sun=math.atan2(-y, -x),
        slope=1 / math.hypot(x, y),
        haze=0.0,
        blur=0.0,
        grain=0.0,
        gains=(1.0, 1.0, 1.0),
        date=date,
    )


class Weather(Struct, frozen=True, eq=False):
    """Haze and clouds of a picture, pixel by pixel."""

    haze: Floats
    clouds: Floats
    """Opacity, 0 to 1."""
    brightness: Floats
    shadow: Floats
    """Share of the light that clouds take from the ground."""

    @classmethod
    def of(cls, seed: int, scene: Scene, light: Light, size: int) -> Weather:
        """The weather of a scene."""
        acquisition, number = scene.acquisition, scene.number
        field = cloud_field(seed, number, size)
        clouds = cloud_opacity(seed, number, acquisition.clouds, size)
        reach = _CLOUD_HEIGHT * size / SIDE
        shift = round(reach * math.sin(light.sun)), round(reach * math.cos(light.sun))
        broad = _noise(SeededRandom(seed, number, "haze"), size, 4)
        return cls(
            haze=np.asarray(acquisition.haze * np.clip(1 + 0.25 * broad, 0.4, 1.6), np.float32),
            clouds=clouds,
            brightness=_light_clouds(field, light),
            shadow=np.asarray(0.45 * _shifted(clouds, shift), np.float32),
        )


def _light_clouds(field: Floats, light: Light) -> Floats:
    """Tops of clouds, brighter where they are thick and on the side of the sun."""
    down, right = np.gradient(field * np.float32(len(field) / SIDE))
    slope = down * math.sin(light.sun) + right * math.cos(light.sun)
    return np.asarray(206 + 26 * np.tanh(field - field.mean()) - np.clip(190 * slope, -20, 34), np.float32)


_CLOUD_HEIGHT = 46.0
"""How far the shadow of a cloud falls, in units of a scene."""


def _shifted(values: Floats, by: tuple[int, int]) -> Floats:
    """Values moved by rows and columns; what comes in at the border repeats it."""
    rows, columns = (np.clip(np.arange(len(values)) - step, 0, len(values) - 1) for step in by)
    return values[rows[:, None], columns[None, :]]


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


def expose(
    canvas: Canvas,
    light: Light,
    texture: tuple[Floats, Floats],
    rng: SeededRandom,
    weather: Weather | None = None,
    deep: bool = False,
) -> Floats:
    """The finished picture as values from 0 to 255."""
    broad, fine = texture
    pixels = np.asarray(canvas.image.reduce(OVERSAMPLING), np.float32)
    pixels = pixels * (1 + 0.24 * broad + 0.26 * fine)[..., None]
    if light.mode == "colour":
        pixels += broad[..., None] * _TINT
    if light.mode == "thermal":
        # sensors of heat spread what little contrast there is
        pixels = (pixels - 105) * 1.25 + 105
    if weather is not None and light.mode != "thermal":
        pixels = pixels * (1 - weather.shadow[..., None])
    pixels = _blur(pixels, light.blur * canvas.side / 1024, deep)
    haze = _HAZE if light.mode == "colour" else np.full(3, 128, np.float32)
    gains = np.array(light.gains, np.float32) * (1 - light.haze)
    pixels = pixels * gains + (haze * light.haze + 0.5)
    if weather is not None:
        share = weather.haze[..., None]
        pixels = pixels * (1 - share) + haze * share
        cloud = weather.brightness * (0.2 if light.mode == "thermal" else 1.0)  # cold tops
        opacity = weather.clouds[..., None]
        pixels = pixels * (1 - opacity) + cloud[..., None] * opacity
    pixels += rng.normal(len(pixels), len(pixels), 1) * light.grain
    return np.asarray(pixels, np.float32)


def _blur(pixels: Floats, radius: float, deep: bool) -> Floats:
    if not deep:
        small = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
        return np.asarray(small.filter(ImageFilter.GaussianBlur(radius)), np.float32)
    reach = max(math.ceil(3 * radius), 1)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(radius, 1e-3)) ** 2).astype(np.float32)
    weights /= weights.sum()
    for axis in (0, 1):
        edges = [(reach, reach) if k == axis else (0, 0) for k in range(3)]
        padded = np.pad(np.clip(pixels, 0, 255), edges, "edge")
        pieces = [weight * np.take(padded, range(k, k + pixels.shape[axis]), axis) for k, weight in enumerate(weights)]
        pixels = np.asarray(sum(pieces), np.float32)
    return pixels


def to_bytes(pixels: Floats) -> Image.Image:
    """The picture with 8 bits per channel."""
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def to_png16(pixels: Floats) -> bytes:
    """The file's bytes, with 16 bits per channel: 255 becomes 65535."""
    return encode_png16(np.round(np.clip(pixels, 0, 255) * 257).astype(np.uint16))


def to_jpeg(picture: Image.Image) -> bytes:
    """The file's bytes."""
    into = BytesIO()
    picture.save(into, "JPEG", quality=QUALITY)
    return into.getvalue()
