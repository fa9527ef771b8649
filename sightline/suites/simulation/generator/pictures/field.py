"""Colour maps, and the coloured field of a scene with contour lines and legend."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.suites.simulation.generator.case import Array, Scene
from sightline.suites.simulation.generator.pictures.canvas import Canvas, Frame, View, format_short, round_ticks

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
    """A number of colours from the low to the high end."""
    controls = np.array([_rgb(code) for code in _CONTROLS[name]], dtype=float)
    places = np.linspace(0, len(controls) - 1, bands)
    channels = [np.interp(places, np.arange(len(controls)), controls[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=1).round().astype(np.uint8)


def band_of(values: Array, low: float, high: float, bands: int) -> NDArray[np.intp]:
    """The band that each value falls into; -1 where there is no value."""
    place = np.clip((np.nan_to_num(values) - low) / (high - low), 0, 1)
    return np.where(np.isnan(values), -1, np.minimum((place * bands).astype(np.intp), bands - 1))


_LINE_SHADE = 0.82
_GREY = "#57606a"


class Palette(Struct, frozen=True, kw_only=True):
    """A colour map with its range and number of bands."""

    name: str
    bands: int
    low: float
    high: float


def palette_for(scene: Scene, taste: int, bands: int, moment: float = 1.0) -> Palette:
    """Diverging about zero where values have both signs; round numbers at both ends."""
    shown = scene.values(*scene.window.grid(241, 181), moment) * scene.factor
    low, high = float(np.nanmin(shown)), float(np.nanmax(shown))
    size = max(abs(low), abs(high))
    if low < -0.02 * size and high > 0.02 * size:
        limit = _ceiling(size)
        return Palette(name=DIVERGING[taste % len(DIVERGING)], bands=bands | 1, low=-limit, high=limit)
    name = SEQUENTIAL[taste % len(SEQUENTIAL)]
    if high <= 0.02 * size:
        return Palette(name=name, bands=bands, low=-_ceiling(size), high=0.0)
    return Palette(name=name, bands=bands, low=0.0, high=_ceiling(high))


def _ceiling(size: float) -> float:
    """The next value of two digits upwards, a little above so that the peak does not touch the end."""
    if size == 0:
        return 1.0
    unit = 10.0 ** (np.floor(np.log10(size)) - 1)
    return float(np.ceil(1.0001 * size / unit) * unit)


def draw_field(canvas: Canvas, scene: Scene, view: View, palette: Palette, moment: float) -> None:
    """The values as bands of colour, each band with a thin darker rim."""
    area = view.covered
    px, py = np.meshgrid(np.arange(area.left, area.right) + 0.5, np.arange(area.top, area.bottom) + 0.5)
    values: Array = scene.values(*view.plane(px, py), moment) * scene.factor
    band = band_of(values, palette.low, palette.high, palette.bands)
    colours = colour_table(palette.name, palette.bands)[band]
    rim = np.zeros(band.shape, dtype=bool)
    rim[:, 1:] |= band[:, 1:] != band[:, :-1]
    rim[1:] |= band[1:] != band[:-1]
    if palette.bands <= 24:
        colours[rim] = (colours[rim] * _LINE_SHADE).astype(np.uint8)
    canvas.pixels((area.left, area.top), colours, band >= 0)


def draw_legend(canvas: Canvas, scene: Scene, palette: Palette, frame: Frame, *, small: bool = False) -> None:
    """A bar of the colours with numbers: upright where the frame is higher than wide."""
    upright, size = frame.height > frame.width, 11 if small else 13

    def place(share: float) -> float:
        return frame.bottom - share * frame.height if upright else frame.left + share * frame.width

    for k, colour in enumerate(colour_table(palette.name, palette.bands)):
        code = "#{:02x}{:02x}{:02x}".format(*colour.tolist())
        first, last = place(k / palette.bands), place((k + 1) / palette.bands)
        if upright:
            canvas.box(frame.left, last, frame.right, first, code)
        else:
            canvas.box(first, frame.top, last, frame.bottom, code)
    corners = (
        (frame.left, frame.top),
        (frame.right, frame.top),
        (frame.right, frame.bottom),
        (frame.left, frame.bottom),
    )
    canvas.line((*corners, corners[0]), _GREY, 0.8)
    for value in round_ticks(palette.low, palette.high, 6 if small else 8):
        at = place((value - palette.low) / (palette.high - palette.low))
        if upright:
            canvas.line(((frame.right, at), (frame.right + 4, at)), _GREY, 0.8)
            canvas.text((frame.right + 7, at), format_short(value), size, anchor="lm")
        else:
            canvas.line(((at, frame.bottom), (at, frame.bottom + 4)), _GREY, 0.8)
            canvas.text((at, frame.bottom + 6), format_short(value), size, anchor="ma")
    # an upright bar at the right rim has no room beside it, so its title ends where its numbers do
    by_rim = upright and frame.left > canvas.width / 2
    title_at = (canvas.width - 10 if by_rim else frame.left, frame.top - 10)
    canvas.text(title_at, scene.quantity, size, anchor="rs" if by_rim else "ls")
