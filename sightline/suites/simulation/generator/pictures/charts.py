"""The small panels beside the field: a line chart, the residuals, and key figures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sightline.suites.simulation.generator.case import Array, Profile, Residuals
from sightline.suites.simulation.generator.pictures.canvas import Canvas, Frame, font, format_short

_INKS = ("#1f6feb", "#bf3989", "#1a7f37", "#bc4c00")
_RULE, _GREY = "#d0d7de", "#57606a"


def _panel(canvas: Canvas, frame: Frame, title: str) -> Frame:
    """A white card; what is left for the plot is returned."""
    canvas.box(frame.left, frame.top, frame.right, frame.bottom, "#ffffff", _RULE)
    canvas.text((frame.left + 10, frame.top + 7), title, 13)
    return Frame(frame.left + 56, frame.top + 38, frame.right - 14, frame.bottom - 34)


def draw_profile(canvas: Canvas, frame: Frame, profile: Profile) -> None:
    """A quantity along a line."""
    plot = _panel(canvas, frame, profile.title)
    low, high = _limits(profile.ys)
    first, last = float(profile.xs[0]), float(profile.xs[-1])
    _axes(canvas, plot, _labels(low, high), _labels(first, last))
    canvas.text(
        ((plot.left + plot.right) / 2, frame.bottom - 4), f"{profile.across}    (up: {profile.up})", 11, _GREY, "ms"
    )
    x = plot.left + plot.width * (profile.xs - first) / (last - first)
    y = plot.bottom - plot.height * (profile.ys - low) / (high - low)
    if low < 0 < high:
        zero = plot.bottom + plot.height * low / (high - low)
        canvas.line(((plot.left, zero), (plot.right, zero)), _GREY, 0.8)
    _curve(canvas, x, y, _INKS[0])


def _curve(canvas: Canvas, x: Array, y: Array, ink: str) -> None:
    """A line that breaks where there is no value."""
    piece: list[tuple[float, float]] = []
    for px, py in zip(x.tolist(), y.tolist(), strict=True):
        if np.isnan(py):
            canvas.line(piece, ink, 1.8)
            piece = []
        else:
            piece.append((px, py))
    canvas.line(piece, ink, 1.8)


def _labels(low: float, high: float) -> list[str]:
    """Of both ends and the middle; a middle that only rounding keeps from zero is zero."""
    return [format_short(value if abs(value) > 1e-9 * (high - low) else 0.0) for value in (low, (low + high) / 2, high)]


def _limits(values: Array) -> tuple[float, float]:
    low, high = min(0.0, float(np.nanmin(values))), max(0.0, float(np.nanmax(values)))
    room = 0.08 * (high - low) or 1.0
    return low - room * (low < 0), high + room * (high > 0 or low == 0)


def _axes(canvas: Canvas, plot: Frame, up: Sequence[str], across: Sequence[str]) -> None:
    for k, label in enumerate(up):
        y = plot.bottom - plot.height * k / (len(up) - 1)
        canvas.line(((plot.left, y), (plot.right, y)), _RULE, 0.8)
        canvas.text((plot.left - 6, y), label, 11, _GREY, "rm")
    for k, label in enumerate(across):
        x = plot.left + plot.width * k / (len(across) - 1)
        canvas.text((x, plot.bottom + 5), label, 11, _GREY, "ra" if k == len(across) - 1 else "ma" if k else "la")


def draw_residuals(canvas: Canvas, frame: Frame, residuals: Residuals) -> None:
    """All histories on a logarithmic scale, with the tolerance as a dashed line."""
    plot = _panel(canvas, frame, "Residuals")
    lowest = min(float(values.min()) for values in residuals.history)
    # an even number of decades puts the middle tick on a whole one
    low, high = 2 * float(np.floor(np.log10(min(lowest, residuals.tolerance)) / 2)), 0.0
    decades = np.linspace(low, high, 3)
    last = residuals.iterations[-1]
    _axes(canvas, plot, [f"1e{value:.0f}" for value in decades], ["1", f"{last:.0f}"])
    canvas.text(((plot.left + plot.right) / 2, frame.bottom - 4), "iteration", 11, _GREY, "ms")

    def height(value: Array) -> Array:
        return plot.bottom - plot.height * (np.log10(value) - low) / (high - low)

    x = plot.left + plot.width * (residuals.iterations - 1) / (last - 1)
    name_at = frame.left + 88.0
    for k, (name, values) in enumerate(zip(residuals.names, residuals.history, strict=True)):
        _curve(canvas, x, height(values), _INKS[k])
        canvas.text((name_at, frame.top + 9), name, 11, _INKS[k])
        name_at += font(11).getlength(name) + 12
    level = float(height(np.array([residuals.tolerance]))[0])
    canvas.dashes(((plot.left, level), (plot.right, level)), "#cf222e", 1.2, 5)
    canvas.text((plot.left + 3, level - 2), "tolerance", 11, "#cf222e", "ls", halo=True)


def draw_figures(canvas: Canvas, frame: Frame, figures: Sequence[tuple[str, str]]) -> None:
    """Labels to the left, values to the right."""
    _panel(canvas, frame, "Key figures")
    step = min(20.0, (frame.height - 36) / len(figures))
    for k, (label, value) in enumerate(figures):
        y = frame.top + 30 + step * (k + 0.5)
        canvas.text((frame.left + 10, y), label, 12, _GREY, "lm")
        canvas.text((frame.right - 10, y), value, 12, anchor="rm")
