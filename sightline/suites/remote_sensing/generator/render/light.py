"""Illumination, season and sensor mode of a picture."""

from __future__ import annotations

import math

from msgspec import Struct

from sightline.suites.remote_sensing.generator.materials import Mode, Palette
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
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
