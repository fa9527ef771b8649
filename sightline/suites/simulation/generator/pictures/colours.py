"""Colour maps, each interpolated between a few control points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sightline.suites.simulation.generator.arrays import Array

_CONTROLS = {
    "viridis": ("#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725"),
    "rainbow": ("#1f3fd6", "#1c8ef0", "#13c8d8", "#22c55e", "#a3e635", "#facc15", "#f97316", "#dc2626"),
    "coolwarm": ("#2f4fc0", "#6f94ee", "#aac7fd", "#e6e3e0", "#f7b89c", "#e7745b", "#b00b2c"),
}
SEQUENTIAL = ("viridis", "rainbow")
DIVERGING = ("coolwarm",)


def _rgb(code: str) -> tuple[int, ...]:
    return tuple(int(code[k : k + 2], 16) for k in (1, 3, 5))


def colour_table(name: str, bands: int) -> NDArray[np.uint8]:
    """So many colours from the low to the high end."""
    controls = np.array([_rgb(code) for code in _CONTROLS[name]], dtype=float)
    places = np.linspace(0, len(controls) - 1, bands)
    channels = [np.interp(places, np.arange(len(controls)), controls[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=1).round().astype(np.uint8)


def band_of(values: Array, low: float, high: float, bands: int) -> NDArray[np.intp]:
    """The band that each value falls into; -1 where there is no value."""
    place = np.clip((np.nan_to_num(values) - low) / (high - low), 0, 1)
    return np.where(np.isnan(values), -1, np.minimum((place * bands).astype(np.intp), bands - 1))
