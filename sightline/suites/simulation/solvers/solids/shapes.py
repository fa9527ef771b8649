"""Meshes of the parts that are simulated. `fine` is a number of elements that all counts go with."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.solvers.solids.blocks import (
    Array,
    arc,
    graded_nodes,
    join_curves,
    line,
    rectangle,
    ruled_block,
)
from sightline.suites.simulation.solvers.solids.mesh import Mesh, join_blocks

_GROWTH = 1.25
"""Elements grow by this from a round edge outwards, where the stress falls off."""


def bar(length: float, depth: float, fine: int) -> Mesh:
    """From x = 0 to the length, about the x axis; `fine` elements over the depth, of square shape as far as can be."""
    count = max(4, round(fine * length / depth / 1.5))
    return join_blocks([rectangle(0.0, length, -depth / 2, depth / 2, (count, fine))])


def plate_with_hole(half_length: float, half_width: float, radius: float, fine: int) -> Mesh:
    """About the origin, with `fine` elements on a quarter of the hole."""
    side, even = half_width, graded_nodes(fine)
    blocks = []
    for quarter in range(4):
        turn = np.pi / 2 * quarter
        c, s = np.cos(turn), np.sin(turn)
        first, last = (side * (c + s), side * (s - c)), (side * (c - s), side * (s + c))
        inner = arc((0.0, 0.0), radius, (turn - np.pi / 4, turn + np.pi / 4), even)
        blocks.append(ruled_block(inner, line(first, last, even), _outwards(radius, side, fine)))
    count = max(2, round(fine * (half_length - side) / (2 * side)))
    for x0, x1 in ((side, half_length), (-half_length, -side)):
        blocks.append(rectangle(x0, x1, -side, side, (count, fine)))
    return join_blocks(blocks)


def _outwards(radius: float, side: float, fine: int) -> Array:
    """Nodes between a round edge and a straight one: the first element is as thick as it is long on the round edge."""
    size, reach = np.pi / 2 * radius / fine, side - radius
    count = max(3, int(np.ceil(np.log1p(reach / size * (_GROWTH - 1)) / np.log(_GROWTH))))
    return graded_nodes(count, _GROWTH)


def notched_bar(length: float, depth: float, radius: float, fine: int, *, both_sides: bool) -> Mesh:
    """About the origin, with half-round notches of `fine` elements at x = 0: above, or above and below."""
    reach = depth / 2 if both_sides else depth
    sides = (1, -1) if both_sides else (1,)
    blocks = []
    quarter, half = graded_nodes(max(2, fine // 4)), graded_nodes(max(4, fine // 2))
    count = max(3, round(fine / 4 * (length / 2 - reach) / reach))
    for side in sides:
        centre, floor = (0.0, depth / 2 * side), depth / 2 * side - side * reach
        corners = [(-reach, centre[1]), (-reach, floor), (reach, floor), (reach, centre[1])]
        places = (quarter, half, quarter)
        outer = join_curves(*(line(a, b, p) for a, b, p in zip(corners, corners[1:], places, strict=False)))
        angles = side * np.array([-np.pi, -0.75 * np.pi, -0.25 * np.pi, 0.0])
        inner = join_curves(
            *(arc(centre, radius, (a, b), p) for a, b, p in zip(angles, angles[1:], places, strict=False))
        )
        blocks.append(ruled_block(inner, outer, _outwards(radius, reach, fine)))
        for x0, x1 in ((reach, length / 2), (-length / 2, -reach)):
            low, high = sorted((floor, centre[1]))
            blocks.append(rectangle(x0, x1, low, high, (count, (quarter.size - 1) // 2)))
    return join_blocks(blocks)


def bracket(reach: float, height: float, depth: float, fillet: float, fine: int) -> Mesh:
    """An angle: one leg along x about the x axis up to `reach`, one upwards at its left end up to `height`.

    Both legs are `depth` thick; the inner corner is rounded by a fillet of `fine` elements.
    """
    low, high, inner = -depth / 2, depth / 2, depth
    bend = inner + fillet
    corner, leg = graded_nodes(fine), graded_nodes(max(4, round(fine * (reach - bend) / (2 * depth))))
    post = graded_nodes(max(4, round(fine * (height - high - fillet) / (2 * depth))))
    left, top = line((0.0, height), (0.0, high + fillet), post), line((inner, height), (inner, high + fillet), post)
    half = graded_nodes(max(2, fine // 2))
    outer = join_curves(
        left,
        line((0.0, high + fillet), (0.0, low), half),
        line((0.0, low), (bend, low), half),
        line((bend, low), (reach, low), leg),
    )
    round_edge = arc((bend, high + fillet), fillet, (np.pi, 1.5 * np.pi), graded_nodes(2 * ((half.size - 1) // 2)))
    within = join_curves(top, round_edge, line((bend, high), (reach, high), leg))
    return join_blocks([ruled_block(within, outer, graded_nodes(max(4, corner.size // 4), 1.12))])


def half_ring(inner: float, outer: float, fine: int) -> Mesh:
    """The half x > 0 about the origin, with `fine` elements through the wall."""
    count = max(12, round(fine * np.pi / 2 * (outer + inner) / (outer - inner) / 1.5))
    around = graded_nodes(2 * ((count + 1) // 2))
    angles = (-np.pi / 2, np.pi / 2)
    return join_blocks(
        [
            ruled_block(
                arc((0.0, 0.0), inner, angles, around), arc((0.0, 0.0), outer, angles, around), graded_nodes(fine, 1.05)
            )
        ]
    )


def block(half_width: float, half_height: float, fine: int) -> Mesh:
    """A rectangle about the origin, with `fine` elements over its shorter side."""
    short = min(half_width, half_height)
    counts = round(fine * half_width / short), round(fine * half_height / short)
    return join_blocks([rectangle(-half_width, half_width, -half_height, half_height, counts)])


def disc(half_width: float, half_height: float, fine: int) -> Mesh:
    """An ellipse about the origin: a square core, and four blocks from it to the rim."""
    even, core = graded_nodes(fine), 0.5
    blocks = [rectangle(-core, core, -core, core, (fine, fine))]
    for quarter in range(4):
        turn = np.pi / 2 * quarter
        c, s = np.cos(turn), np.sin(turn)
        first, last = (core * (c + s), core * (s - c)), (core * (c - s), core * (s + c))
        rim = arc((0.0, 0.0), 1.0, (turn - np.pi / 4, turn + np.pi / 4), even)
        blocks.append(ruled_block(line(first, last, even), rim, graded_nodes(max(3, 2 * fine // 3), 0.9)))
    return join_blocks([block * np.array([half_width, half_height]) for block in blocks])
