"""Boxes, quads and polygons of a simulated model: jittered by a few pixels, or with a known error."""

from __future__ import annotations

import re

from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom

SHAPE = re.compile(r"<(box|quad|poly|dot)>((?:<\d+>)+)</\1>")
_NUMBER = re.compile(r"<(\d+)>")


def corrupt_shapes(error: str, gt: str, form: tuple[str, bool], size: int, rng: SeededRandom) -> str:
    """A corrupted reply with shapes, derived from the true answer; `form` is the tag and whether a count precedes."""
    tag, counted = form
    shapes = [[float(value) for value in _NUMBER.findall(body)] for _, body in SHAPE.findall(gt)]
    corrupted = [_jitter(tag, shape, size, rng) for shape in shapes]
    if error == "extra shape":
        corrupted += [_random_shape(tag, size, rng) for _ in range(rng.whole(1, 2))]
    elif error == "missing shape":
        corrupted = rng.some(corrupted, max(len(corrupted) - rng.whole(1, 2), 1))
    elif error == "lacks a coordinate":
        corrupted[0] = corrupted[0][:-1]
    if error == "mis-scaled 0-1":
        body = "".join(_text(tag, [f"{value / size:.3f}" for value in shape_values]) for shape_values in corrupted)
    else:
        factor = 1000 / size if error == "mis-scaled 0-1000" else 1.0
        body = "".join(_text(tag, [str(round(value * factor)) for value in shape_values]) for shape_values in corrupted)
    if not counted:
        return body or "0"
    number = len(corrupted) + (rng.pick((-1, 1, 2)) if error == "count disagrees" else 0)
    return f"{number} {body}".strip()


def _text(tag: str, values: list[str]) -> str:
    return f"<{tag}>{''.join(f'<{value}>' for value in values)}</{tag}>"


def _jitter(tag: str, values: list[float], size: int, rng: SeededRandom) -> list[float]:
    """The coordinates jittered by 8 % of the shape's size, at most 4 pixels, clipped to the picture."""
    xs, ys = values[::2], values[1::2]
    reach = min(max(min(max(xs) - min(xs), max(ys) - min(ys)) * 0.08, 0.4), 4.0)
    if tag == "box":
        moved = [value + rng.between(-reach, reach) for value in values]
    else:
        # all corners alike, so that a ring stays a ring
        right, down = rng.between(-reach, reach), rng.between(-reach, reach)
        moved = [value + (down if k % 2 else right) for k, value in enumerate(values)]
    return [float(round(min(max(value, 0), size))) for value in moved]


def _random_shape(tag: str, size: int, rng: SeededRandom) -> list[float]:
    """A shape at a random position."""
    side = size // 16
    left, top = rng.whole(1, size - side - 2), rng.whole(1, size - side - 2)
    right, bottom = left + side, top + side
    corners = (left, top, right, bottom) if tag == "box" else (left, top, right, top, right, bottom, left, bottom)
    return [float(value) for value in corners]
