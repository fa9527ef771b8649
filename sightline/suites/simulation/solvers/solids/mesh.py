"""Meshes of nine-node quadrilaterals: structured blocks between curves, and the meshes of all parts.

A block is an array of shape (along, across, 2) with odd counts, since a nine-node element takes three nodes each way.
Of a part's mesh `fine` is a number of elements that all counts go with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy.spatial import cKDTree  # type: ignore[import-untyped, unused-ignore] # SciPy has no types

Array: TypeAlias = NDArray[np.float64]


def graded_nodes(count: int, growth: float = 1.0) -> Array:
    """Return graded nodes from 0 to 1; each element is `growth` times as long as the one before."""
    sizes = growth ** np.arange(count)
    corners = np.concatenate([[0.0], np.cumsum(sizes)]) / sizes.sum()
    places = np.empty(2 * count + 1)
    places[::2] = corners
    places[1::2] = (corners[1:] + corners[:-1]) / 2
    return places


def line(start: tuple[float, float], end: tuple[float, float], places: Array) -> Array:
    """Return nodes on a straight edge."""
    first, last = np.array(start, dtype=float), np.array(end, dtype=float)
    return np.asarray(first + places[:, None] * (last - first))


def arc(centre: tuple[float, float], radius: float, angles: tuple[float, float], places: Array) -> Array:
    """Return nodes on a circular arc from the first angle to the second."""
    angle = angles[0] + places * (angles[1] - angles[0])
    return np.array(centre, dtype=float) + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def ruled_block(first: Array, last: Array, places: Array) -> Array:
    """Return a ruled block: straight lines between the nodes of two curves."""
    return first[:, None] + places[None, :, None] * (last - first)[:, None]


def join_curves(*pieces: Array) -> Array:
    """Join curves, each starting where the previous one ends."""
    return np.concatenate([pieces[0], *(piece[1:] for piece in pieces[1:])])


def rectangle(left: float, right: float, bottom: float, top: float, counts: tuple[int, int]) -> Array:
    """A uniform block with a number of elements along x and y."""
    across, up = graded_nodes(counts[0]), graded_nodes(counts[1])
    return ruled_block(line((left, bottom), (right, bottom), across), line((left, top), (right, top), across), up)


Integers: TypeAlias = NDArray[np.int64]
_MERGE_TOLERANCE = 1e-7
"""Nodes nearer than this share of the size of the body are one."""
_ORDER = ((0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1), (1, 1))
"""Places within the three by three nodes of an element: corners, mid-nodes, centre."""


class Mesh(Struct, frozen=True):
    """Mesh of nine-node quadrilaterals: node coordinates, element connectivity and boundary edges."""

    points: Array
    """Shape (nodes, 2)."""
    elements: Integers
    """Shape (elements, 9): corners anticlockwise, then mid-nodes in the same order, then the centre."""
    rim: Integers
    """Shape (edges, 3): first corner, middle, second corner; the body is on the left of the way."""

    def edge(self, is_on: Callable[[Array, Array], NDArray[np.bool_]]) -> Integers:
        """Return the boundary edges whose three nodes all satisfy a condition."""
        x, y = self.points[self.rim].transpose(2, 0, 1)
        return self.rim[is_on(x, y).all(axis=1)]

    @property
    def triangles(self) -> Integers:
        """Return eight linear triangles per element, for interpolation between all nodes."""
        around = (0, 4, 1, 5, 2, 6, 3, 7, 0)
        return np.concatenate([self.elements[:, [a, b, 8]] for a, b in pairwise(around)])


def join_blocks(blocks: Sequence[Array]) -> Mesh:
    """Join blocks into one mesh; coincident nodes are merged."""
    points, parts, first = [], [], 0
    for block in blocks:
        along, across = block.shape[:2]
        numbers = first + np.arange(along * across).reshape(along, across)
        nodes = [numbers[i : along - 2 + i : 2, j : across - 2 + j : 2].ravel() for i, j in _ORDER]
        parts.append(np.stack(nodes, axis=1))
        points.append(block.reshape(-1, 2))
        first += along * across
    return _merge_nodes(np.concatenate(points), np.concatenate(parts))


def _merge_nodes(points: Array, elements: Integers) -> Mesh:
    size = float(np.ptp(points, axis=0).max())
    pairs = cKDTree(points).query_pairs(_MERGE_TOLERANCE * size, output_type="ndarray")
    first = np.arange(len(points))
    np.minimum.at(first, pairs[:, 1], pairs[:, 0])
    kept, numbers = np.unique(first, return_inverse=True)
    points, elements = points[kept], _orient_elements(points[kept], numbers.reshape(-1)[elements])
    return Mesh(points, elements, _boundary_edges(elements))


def _orient_elements(points: Array, elements: Integers) -> Integers:
    x, y = points[elements[:, :4]].transpose(2, 0, 1)
    area = (x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1)
    turned = elements[:, [0, 3, 2, 1, 7, 6, 5, 4, 8]]
    return np.asarray(np.where(area[:, None] > 0, elements, turned))


def _boundary_edges(elements: Integers) -> Integers:
    sides = np.concatenate([elements[:, [k, 4 + k, (k + 1) % 4]] for k in range(4)])
    _, first, counts = np.unique(sides[:, 1], return_index=True, return_counts=True)
    return np.asarray(sides[np.sort(first[counts == 1])])


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
