"""Shapes over a picture: truth and reply, read as their task reads them. Chosen by the task's parser."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from msgspec import Struct

from sightline.core.interfaces import ColumnSuite, Suite, Task
from sightline.core.records import Parsed
from sightline.core.registry import find
from sightline.i18n import tr

SHAPED = ("boxes", "one_box", "quads", "polygons", "dots")
MOST_SHAPES = 2000
_LOOKS = {
    "truth": 'fill="#12a150" fill-opacity=".1" stroke="#12a150"',
    "reply": 'fill="none" stroke="#e5281f" stroke-dasharray="6 4"',
}


class Layer(Struct, frozen=True):
    """Rings as SVG writes them, `x,y x,y …`, in pixels; how many shapes there are; why there are none."""

    rings: tuple[str, ...]
    count: int
    fault: str = ""


def has_overlay(task: Task | None) -> bool:
    """Whether replies to the task are shapes."""
    return task is not None and task.parser in SHAPED


def layer(task: Task, text: str, space: str, size: tuple[int, int]) -> Layer:
    """The shapes of a text, whose coordinates are in the given space, over a picture of the given size."""
    from sightline.scoring.parsers.columns.coordinates import scale_factors

    read = find("parsers", task.parser)(text)
    if not isinstance(read, Parsed):
        return Layer((), 0, read.reason)
    scale = scale_factors(space, "pixels", np.array([size], dtype=float))
    across, down = (1.0, 1.0) if scale is None else (float(scale[0, 0]), float(scale[0, 1]))
    shapes = read.value["shapes"]
    rings = [_ring(_corners(shape), across, down) for shape in shapes[:MOST_SHAPES]]
    return Layer(tuple(ring for ring in rings if ring), len(shapes))


def overlay_svg(size: tuple[int, int], truth: Layer, reply: Layer | None) -> str:
    """Both layers, or that of the truth alone, as one SVG over a picture of the given size, however large it is shown.

    Truth and reply are groups of the classes `truth` and `reply`; colours are attributes, so that no style is needed.
    """
    width, height = size
    layers = {"truth": truth} if reply is None else {"truth": truth, "reply": reply}
    label = "; ".join(f"{tr(name.title())}: {one.count} {tr('shapes')}" for name, one in layers.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="overlay" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">'
        f"{''.join(_group(name, one) for name, one in layers.items())}</svg>"
    )


def _group(name: str, layer: Layer) -> str:
    rings = "".join(f'<polygon points="{escape(ring)}" vector-effect="non-scaling-stroke"/>' for ring in layer.rings)
    return f'<g class="{name}" stroke-width="2" {_LOOKS[name]}>{rings}</g>'


def spaces(suite: Suite) -> tuple[str, str]:
    """The coordinate spaces of truth and replies."""
    if not isinstance(suite, ColumnSuite):
        return "pixels", "pixels"
    reading = suite.reading
    return reading.truth_coords, reading.coords or reading.truth_coords


def _corners(shape: Sequence[Any]) -> list[tuple[float, float]]:
    """The corners of a box (four numbers), a quad (eight), or a ring (points)."""
    if shape and isinstance(shape[0], list | tuple):
        return [(float(point[0]), float(point[1])) for point in shape]
    if len(shape) == 4:
        left, top, right, bottom = map(float, shape)
        return [(left, top), (right, top), (right, bottom), (left, bottom)]
    return [(float(x), float(y)) for x, y in zip(shape[::2], shape[1::2], strict=True)]


def _ring(corners: list[tuple[float, float]], across: float, down: float) -> str:
    if not all(math.isfinite(x) and math.isfinite(y) for x, y in corners):
        return ""
    return " ".join(f"{x * across:.2f},{y * down:.2f}" for x, y in corners)
