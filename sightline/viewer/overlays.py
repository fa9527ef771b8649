"""Shapes to be drawn over a picture: truth and reply, read as their task reads them. Chosen by the task's parser."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from sightline.contracts import ColumnSuite, Suite, Task
from sightline.records import Parsed
from sightline.registry import find

SHAPED = ("boxes", "one_box", "quads", "polygons", "dots")
MOST_SHAPES = 2000


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
    from sightline.parsing.columns.spaces import factors

    read = find("parsers", task.parser)(text)
    if not isinstance(read, Parsed):
        return Layer((), 0, read.reason)
    scale = factors(space, "pixels", np.array([size], dtype=float))
    across, down = (1.0, 1.0) if scale is None else (float(scale[0, 0]), float(scale[0, 1]))
    shapes = read.value["shapes"]
    rings = [_ring(_corners(shape), across, down) for shape in shapes[:MOST_SHAPES]]
    return Layer(tuple(ring for ring in rings if ring), len(shapes))


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
