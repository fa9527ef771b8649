"""Imaging conditions: sensor, ground resolution, weather, view angle, objects at the border; what stays decidable.

Every question must be decidable from the picture. So an object is left out of a scene before it is rendered

- if less than `MIN_INSIDE` of it would lie within the picture;
- if less than `MIN_UNCOVERED` of it would be seen beside clouds and neighbours that lean over it;
- if a radar image does not show its group.

What is left is in the picture and in the ground truth.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from PIL import Image

from sightline.suites.remote_sensing.generator.seeded_random import Floats, SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Point

MIN_INSIDE = 0.6
MIN_UNCOVERED = 0.9
RESOLUTION = 0.3
"""Metres per unit of a scene at the standard scale: a car is 15 units long."""
RESOLUTIONS = (0.1, 0.75)
"""Finest and coarsest ground resolution."""
MIN_KIND_SCALE = 0.7
"""At smaller scales kinds of one group, such as car and van, and paints are not told apart."""
CROWDED_SCALE = 0.5
MAX_HAZE = 0.4
MAX_OFF_NADIR = 40.0
MAX_CLOUDS = 0.6
_RADAR_INCIDENCE = (30.0, 50.0)
"""Degrees from the vertical: the flatter the ray, the shorter the layover."""


class Conditions(Struct, frozen=True, kw_only=True):
    """Wishes for all pictures of a data set; the defaults are a clear view from directly above at one resolution."""

    sensors: tuple[str, ...] = ("optical",)
    resolutions: tuple[float, ...] = (RESOLUTION,)
    crowded: bool = False
    haze: float = 0.0
    clouds: float = 0.0
    off_nadir: float = 0.0
    cut: bool = False


STANDARD = Conditions()


class Acquisition(Struct, frozen=True, kw_only=True):
    """How one scene is seen."""

    is_radar: bool = False
    scale: float = 1.0
    """Size of things relative to the standard scale."""
    haze: float = 0.0
    clouds: float = 0.0
    """Share of the picture under cloud."""
    lean: Point = (0.0, 0.0)
    """Displacement of a point in the picture per unit of its height."""


def acquisition_of(seed: int, number: int, conditions: Conditions = STANDARD) -> Acquisition:
    """Draw the acquisition of a scene; nothing is drawn under standard conditions."""
    if conditions == STANDARD:
        return Acquisition()
    rng = SeededRandom(seed, number, "acquisition")
    is_radar = rng.pick(conditions.sensors) == "sar"
    scale = RESOLUTION / rng.pick(conditions.resolutions)
    haze, clouds, tilt, azimuth = (rng.between(0, 1) for _ in range(4))
    incidence = rng.between(*_RADAR_INCIDENCE)
    if is_radar:
        # echoes of high points arrive early: they lean towards the sensor, away from their shadow
        sun = SeededRandom(seed, number, "radar").between(0, 2 * math.pi)
        reach = -1 / math.tan(math.radians(incidence))
        return Acquisition(is_radar=True, scale=scale, lean=(reach * math.cos(sun), reach * math.sin(sun)))
    reach = math.tan(math.radians(conditions.off_nadir * (0.5 + 0.5 * tilt)))
    way = 2 * math.pi * azimuth
    return Acquisition(
        scale=scale,
        haze=MAX_HAZE * conditions.haze * (0.4 + 0.6 * haze),
        # a third of the pictures is clear
        clouds=conditions.clouds * (0.35 + 0.65 * clouds) if clouds > 1 / 3 else 0.0,
        lean=(reach * math.cos(way), reach * math.sin(way)),
    )


_OCTAVES = ((3, 1.0), (6, 0.55), (12, 0.34), (25, 0.2), (51, 0.12), (103, 0.07))
_EDGE = 0.55
"""Width of a cloud's edge, in standard deviations of its field."""
_TRUTH_SIDE = 512


def cloud_field(seed: int, number: int, side: int) -> Floats:
    """Fractal field of the clouds of a scene: the same for any side, but for its resolution."""
    rng = SeededRandom(seed, number, "clouds")
    total: Floats = np.zeros((side, side), np.float32)
    for cells, weight in _OCTAVES:
        coarse = Image.fromarray(rng.normal(cells, cells))
        total += np.asarray(coarse.resize((side, side), Image.Resampling.BICUBIC), np.float32) * np.float32(weight)
    return total


def cloud_opacity(seed: int, number: int, cover: float, side: int) -> Floats:
    """Opacity of the clouds at each pixel, 0 to 1; about `cover` of the picture is more than half covered."""
    if not cover:
        return np.zeros((side, side), np.float32)
    level = np.float32(np.quantile(cloud_field(seed, number, _TRUTH_SIDE), 1 - cover))
    share = np.clip((cloud_field(seed, number, side) - level) / _EDGE + 0.5, 0, 1)
    return np.asarray(share * share * (3 - 2 * share), np.float32)
