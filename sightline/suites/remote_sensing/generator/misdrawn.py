"""Boxes, quads and polygons as a model gives them: a few pixels off, or wrong in a known way."""

from __future__ import annotations

import re

from sightline.suites.remote_sensing.generator.dice import Dice

SHAPE = re.compile(r"<(box|quad|poly|dot)>((?:<\d+>)+)</\1>")
_NUMBER = re.compile(r"<(\d+)>")


def drawn(way: str, gt: str, form: tuple[str, bool], size: int, dice: Dice) -> str:
    """The reply to a question for shapes of a tag, with their number before them or not, by its true answer."""
    tag, counted = form
    shapes = [[float(value) for value in _NUMBER.findall(body)] for _, body in SHAPE.findall(gt)]
    given = [_jittered(tag, shape, size, dice) for shape in shapes]
    if way == "extra shape":
        given += [_stray(tag, size, dice) for _ in range(dice.whole(1, 2))]
    elif way == "missing shape":
        given = dice.some(given, max(len(given) - dice.whole(1, 2), 1))
    elif way == "lacks a coordinate":
        given[0] = given[0][:-1]
    if way == "mis-scaled 0-1":
        body = "".join(_text(tag, [f"{value / size:.3f}" for value in each]) for each in given)
    else:
        factor = 1000 / size if way == "mis-scaled 0-1000" else 1.0
        body = "".join(_text(tag, [str(round(value * factor)) for value in each]) for each in given)
    if not counted:
        return body or "0"
    number = len(given) + (dice.pick((-1, 1, 2)) if way == "count disagrees" else 0)
    return f"{number} {body}".strip()


def _text(tag: str, values: list[str]) -> str:
    return f"<{tag}>{''.join(f'<{value}>' for value in values)}</{tag}>"


def _jittered(tag: str, values: list[float], size: int, dice: Dice) -> list[float]:
    """Off by a small share of its own size, at most a few pixels, and still in the picture."""
    xs, ys = values[::2], values[1::2]
    reach = min(max(min(max(xs) - min(xs), max(ys) - min(ys)) * 0.08, 0.4), 4.0)
    if tag == "box":
        moved = [value + dice.between(-reach, reach) for value in values]
    else:
        # all corners alike, so that a ring stays a ring
        right, down = dice.between(-reach, reach), dice.between(-reach, reach)
        moved = [value + (down if k % 2 else right) for k, value in enumerate(values)]
    return [float(round(min(max(value, 0), size))) for value in moved]


def _stray(tag: str, size: int, dice: Dice) -> list[float]:
    """A shape somewhere."""
    side = size // 16
    left, top = dice.whole(1, size - side - 2), dice.whole(1, size - side - 2)
    right, bottom = left + side, top + side
    corners = (left, top, right, bottom) if tag == "box" else (left, top, right, top, right, bottom, left, bottom)
    return [float(value) for value in corners]
