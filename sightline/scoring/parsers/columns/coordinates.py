"""Coordinate spaces: declared, never guessed. Replies that seem to be in another one are counted, never changed."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.core.errors import MediaError
from sightline.core.reply_formats import PIXEL_LIMITS
from sightline.data.columns import Floats, Polygons, Shapes

Mask = NDArray[np.bool_]

RANGES = {"0-1": 1.0, "0-100": 100.0, "0-999": 999.0, "0-1000": 1000.0, "0-1023": 1024.0}
"""What the whole width or height is; 0–1023 are cells of 1024, of which a coordinate names one."""
SLACK = 0.5
"""How far beyond its range, as a share of it, a coordinate still is an inexact answer and not another scale."""
UNIT = 1.5
"""Replies in pixels with no coordinate beyond this look like 0–1…"""
TINY = 20.0
"""…if the picture, or the truth's largest coordinate, is beyond this."""
FAR = 4.0
THOUSAND = 1000.0
"""Where the picture's size is unknown: beyond `FAR` times the truth's largest coordinate and beyond `THOUSAND`."""


def scale_factors(
    source: str,
    target: str,
    sizes: Floats | None,
    sent_scales: Floats | None = None,
    limits: tuple[int, int, int] = PIXEL_LIMITS,
) -> Floats | None:
    """Scale factors of x and y, one row per sample or one for all; None if sizes are needed but absent.

    `sizes` holds the width and height of each sample's picture. `sent_scales` are factors from pixels of the picture
    that was sent to pixels of the picture itself, and `limits` how the server resizes what it is sent (smallest and
    largest area, multiple of sides); both matter for the space `resized` alone.
    """
    if source == target:
        return np.ones((1, 2))
    whole, extent = _extent(target, sizes), _extent("pixels" if source == "resized" else source, sizes)
    if whole is None or extent is None:
        return None
    if source == "resized":
        extent = resized_sizes(extent if sent_scales is None else extent / sent_scales, limits)
    return whole / extent


def _extent(space: str, sizes: Floats | None) -> Floats | None:
    return sizes if space == "pixels" else np.full((1, 2), RANGES[space])


def resized_sizes(sizes: Floats, limits: tuple[int, int, int]) -> Floats:
    """Width and height of pictures as a server resizes them; NaN where unknown or too large."""
    from sightline.data.pictures import PictureSettings

    least, most, multiple = limits
    rule = PictureSettings(min_pixels=least, max_pixels=most, multiple=multiple)
    unique, places = np.unique(np.rint(sizes), axis=0, return_inverse=True)
    made = np.full((len(unique), 2), np.nan)
    for row, (width, height) in enumerate(unique.tolist()):
        if width >= 1 and height >= 1:  # NaN is not
            with suppress(MediaError):
                made[row] = rule.sent_size((int(width), int(height)))
    return made[places.reshape(-1)]


def find_mis_scaled(values: Shapes | Polygons, space: str, sizes: Floats | None, truth: Shapes | Polygons) -> Mask:
    """Mask of the samples whose coordinates are implausible in `space`.

    - In 0–1, 0–100 and 0–1000: a coordinate above 1.5 times the range, or below −0.5 times.
    - In pixels of known size: the same with width and height, or no coordinate beyond 1.5 though the picture is
      larger than 20 pixels.
    - In pixels of unknown size (none given, or NaN): no coordinate beyond 1.5 though the truth has one beyond 20; or
      one beyond four times the truth's largest and beyond 1000.

    A sample without shapes is never mis-scaled.
    """
    low, high = _extremes(values)
    has_shapes = ~np.isnan(high[:, 0])
    if space in RANGES:
        beyond: Mask = has_shapes & _beyond(low, high, np.full((1, 2), RANGES[space]))
        return beyond
    small = has_shapes & (np.maximum(high, -low).max(axis=1) <= UNIT)
    largest = np.nan_to_num(_extremes(truth)[1].max(axis=1))
    limit = np.maximum(FAR * largest, THOUSAND)
    unsized: Mask = (small & (largest > TINY)) | (has_shapes & (largest > 0) & (high.max(axis=1) > limit))
    if sizes is None:
        return unsized
    sized: Mask = np.asarray(~np.isnan(sizes).any(axis=1))
    extents = np.where(sized[:, None], sizes, 1.0)
    wrong = has_shapes & (_beyond(low, high, extents) | (small & (extents.max(axis=1) > TINY)))
    return np.where(sized, wrong, unsized)


def _beyond(low: Floats, high: Floats, extent: Floats) -> Mask:
    outside: Mask = (low < -SLACK * extent) | (high > (1 + SLACK) * extent)
    return np.asarray(outside.any(axis=1))


def largest_coordinates(values: Any) -> Floats:
    """Largest x and y of each sample; NaN where it has no shape."""
    return _extremes(values)[1]


def _extremes(values: Any) -> tuple[Floats, Floats]:
    """Smallest and largest x and y of each sample; NaN where it has no shape."""
    if isinstance(values, Shapes):
        points, first = values.coords.reshape(-1, 2), values.offsets * (values.coords.shape[1] // 2)
    else:
        points, first = values.points, values.rings[values.offsets]
    low, high = np.full((len(values), 2), np.nan), np.full((len(values), 2), np.nan)
    filled = np.flatnonzero(np.diff(first))
    if len(filled):
        low[filled] = np.minimum.reduceat(points, first[filled], axis=0)
        high[filled] = np.maximum.reduceat(points, first[filled], axis=0)
    return low, high
