"""Polygon masks, rasterized by the rule of pycocotools and stored as run-length encoding (RLE), and their IoU.

The canvas begins at (0, 0); what lies outside is cut off, as in COCO. A pixel (x, y) of a canvas of height h has the
position x·h + y, so runs go down the columns, and memory is proportional to the outline. The corners of a ring are
rounded to fifths of a pixel, and the outline flips the mask where it crosses the middle of a column. A ring of one
point is its pixel, one of two the line between them. Coordinates beyond a million are taken as a million.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.geometry.arrays import Floats, Ints, Overlaps, image_of_rows, sums
from sightline.scoring.geometry.boxes import overlaps

SHIFT = 33
"""Bits of a position: canvases have up to 2³² pixels."""
SCALE = 5
FAR = 1e6
"""Coordinates beyond it are taken as this."""
CANVAS = (65536, 65536)
"""Width and height where none are told, and the most there can be: far beyond any picture that a model is shown."""
NEAR = 1 - 1e-9
"""Room for rounding where bounds and areas spare the counting of pixels."""


@compiled
def _row(fine: int, height: int) -> int:
    """The first pixel of a column at or below a place in fifths."""
    return math.ceil(min(max((fine + 0.5) / SCALE - 0.5, 0.0), float(height)))


@compiled
def _flat_step(start: int, slope: float, step: int) -> int:
    """Rounded as C does it, towards zero."""
    return int(start + slope * step + 0.5)


@compiled
def _steep_crossing(start: int, slope: float, column: int, last: int) -> int:
    """The step before which a steep edge passes from 5n + 2 to 5n + 3 or back; guessed, then corrected."""
    middle, up = SCALE * column + 2, slope > 0
    step = min(max(int((middle + 0.5 - start) / slope), 0), last)
    while step < last and (_flat_step(start, slope, step) > middle) != up:
        step += 1
    while step > 0 and (_flat_step(start, slope, step - 1) > middle) == up:
        step -= 1
    return step


@compiled
def _draw_edge(edge: tuple[int, int, int, int], head: int, canvas: tuple[int, int], codes: Ints, n: int) -> int:
    """Write where an edge in fifths of a pixel crosses columns; returns how many codes there are now."""
    x1, y1, x2, y2 = edge
    wide, high = abs(x2 - x1), abs(y2 - y1)
    if (wide >= high and x1 > x2) or (wide < high and y1 > y2):
        x1, y1, x2, y2 = x2, y2, x1, y1
    low, top = min(x1, x2), max(x1, x2)
    column = max(0, -((2 - low) // SCALE))
    while SCALE * column + 3 <= top and column < canvas[0]:
        if wide >= high:
            step, slope = SCALE * column + 2 - x1, (y2 - y1) / wide
            fine = min(_flat_step(y1, slope, step), _flat_step(y1, slope, step + 1))
        else:
            fine = y1 + _steep_crossing(x1, (x2 - x1) / high, column, high) - 1
        codes[n] = head + column * canvas[1] + _row(fine, canvas[1])
        n += 1
        column += 1
    return n


@compiled
def _draw_line(line: tuple[int, int, int, int], head: int, canvas: tuple[int, int], codes: Ints, n: int) -> int:
    """Write the pixels from one end to the other: each flips the mask on and off again."""
    x1, y1, x2, y2 = line if line[:2] <= line[2:] else (line[2], line[3], line[0], line[1])
    steps = max(abs(x2 - x1), abs(y2 - y1))
    for step in range(steps + 1):
        share = step / max(steps, 1)
        x, y = math.floor(x1 + share * (x2 - x1) + 0.5), math.floor(y1 + share * (y2 - y1) + 0.5)
        if 0 <= x < canvas[0] and 0 <= y < canvas[1]:
            codes[n] = head + x * canvas[1] + y
            codes[n + 1] = codes[n] + 1
            n += 2
    return n


@compiled
def crossings(points: Floats, rings: Ints, canvas: tuple[int, int], size: int) -> Ints:
    """Ring and position (ring · 2³³ + position) of every flip of every ring, unsorted; at most `size`."""
    codes, n = np.empty(size, dtype=np.int64), 0
    for ring in range(len(rings) - 1):
        low, high, head = rings[ring], rings[ring + 1], ring << SHIFT
        if high - low in (1, 2):
            x1, y1 = math.floor(points[low, 0]), math.floor(points[low, 1])
            x2, y2 = math.floor(points[high - 1, 0]), math.floor(points[high - 1, 1])
            n = _draw_line((x1, y1, x2, y2), head, canvas, codes, n)
            continue
        for k in range(low, high):
            after = k + 1 if k + 1 < high else low
            x1, y1 = int(SCALE * points[k, 0] + 0.5), int(SCALE * points[k, 1] + 0.5)
            x2, y2 = int(SCALE * points[after, 0] + 0.5), int(SCALE * points[after, 1] + 0.5)
            n = _draw_edge((x1, y1, x2, y2), head, canvas, codes, n)
    return codes[:n]


@compiled
def _within(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


@compiled
def costs_of(points: Floats, rings: Ints, width: float) -> Ints:
    """Upper bound on the columns that each ring crosses; for rings of one or two points, on pixels."""
    found = np.zeros(len(rings) - 1, dtype=np.int64)
    for ring in range(len(rings) - 1):
        low, high = rings[ring], rings[ring + 1]
        for k in range(low, high):
            after = k + 1 if k + 1 < high else low
            if high - low <= 2:
                wide = abs(_within(points[after, 0], -FAR, FAR) - _within(points[k, 0], -FAR, FAR))
                tall = abs(_within(points[after, 1], -FAR, FAR) - _within(points[k, 1], -FAR, FAR))
                found[ring] += int(max(wide, tall)) + 4
            else:
                found[ring] += int(abs(_within(points[after, 0], 0.0, width) - _within(points[k, 0], 0.0, width))) + 4
    return found


@compiled
def build_runs(codes: Ints, rings: int, pixels: int) -> tuple[Ints, Ints]:
    """Offsets and edges (start, stop, start, stop …) of each ring's runs, from sorted flips; equal ones cancel."""
    at, edges, n, k = np.zeros(rings + 1, dtype=np.int64), np.empty(len(codes) + rings, dtype=np.int64), 0, 0
    for ring in range(rings):
        while k < len(codes) and codes[k] >> SHIFT == ring:
            position = codes[k] - (ring << SHIFT)
            if n > at[ring] and edges[n - 1] == position:
                n -= 1
            else:
                edges[n] = position
                n += 1
            k += 1
        if (n - at[ring]) % 2:
            edges[n] = pixels
            n += 1
        at[ring + 1] = n
    return at, edges[:n]


@compiled
def unite_runs(codes: Ints, groups: int) -> tuple[Ints, Ints]:
    """Offsets and edges of the union of each group's runs, from sorted codes: group · 2³⁴ + 2 · position + is stop."""
    at, edges, n, k = np.zeros(groups + 1, dtype=np.int64), np.empty(len(codes), dtype=np.int64), 0, 0
    for group in range(groups):
        depth = 0
        while k < len(codes) and codes[k] >> (SHIFT + 1) == group:
            stops = codes[k] & 1
            if depth == stops:  # a first start or a last stop
                edges[n] = (codes[k] - (group << (SHIFT + 1))) >> 1
                n += 1
            depth += 1 - 2 * stops
            k += 1
        at[group + 1] = n
    return at, edges[:n]


@compiled
def measure_masks(at: Ints, edges: Ints, height: int) -> Floats:
    """Bounds, pixels, a hash and the place of each mask; zeros but for the place where it is empty."""
    rows = np.zeros((len(at) - 1, 7))
    for mask in range(len(at) - 1):
        rows[mask, 6] = mask
        if at[mask] == at[mask + 1]:
            continue
        top, bottom, area, code = height, 0, 0, np.uint64(14695981039346656037)
        for k in range(at[mask], at[mask + 1], 2):
            start, stop = edges[k], edges[k + 1]
            area += stop - start
            whole = start // height != (stop - 1) // height
            top = min(top, 0 if whole else start % height)
            bottom = max(bottom, height if whole else (stop - 1) % height + 1)
            code = (code ^ np.uint64(start)) * np.uint64(1099511628211)
            code = (code ^ np.uint64(stop)) * np.uint64(1099511628211)
        rows[mask, 0], rows[mask, 2] = edges[at[mask]] // height, (edges[at[mask + 1] - 1] - 1) // height + 1
        rows[mask, 1], rows[mask, 3], rows[mask, 4] = top, bottom, area
        rows[mask, 5] = float(code >> np.uint64(12))
    return rows


@compiled
def count_common_pixels(left_at: Ints, left: Ints, right_at: Ints, right: Ints, i_of: Ints, j_of: Ints) -> Ints:
    """Pixels that the left masks `i_of` share with the right masks `j_of`."""
    found = np.zeros(len(i_of), dtype=np.int64)
    for pair in range(len(i_of)):
        a, b = left_at[i_of[pair]], right_at[j_of[pair]]
        a_end, b_end = left_at[i_of[pair] + 1], right_at[j_of[pair] + 1]
        while a < a_end and b < b_end:
            found[pair] += max(0, min(left[a + 1], right[b + 1]) - max(left[a], right[b]))
            if left[a + 1] < right[b + 1]:
                a += 2
            else:
                b += 2
    return found


class Masks(NamedTuple):
    """The runs of mask i are `edges[at[i]:at[i + 1]]`: start, stop, start, stop …, apart and rising."""

    at: Ints
    edges: Ints

    def areas(self) -> Ints:
        """Pixels of each mask."""
        return sums(self.edges[1::2] - self.edges[::2], self.at // 2)


def ring_masks(points: Floats, rings: Ints, canvas: tuple[int, int] = CANVAS) -> Masks:
    """The mask of each ring."""
    near = np.clip(points, -FAR, FAR)
    size = 2 * int(ring_costs(points, rings, canvas).sum())
    codes = crossings(near, rings, canvas, size)
    codes.sort()
    return Masks(*build_runs(codes, len(rings) - 1, canvas[0] * canvas[1]))


def union_masks(masks: Masks, at: Ints) -> Masks:
    """The union of the masks `at[i]:at[i + 1]` for each i."""
    group = np.repeat(image_of_rows(at), np.diff(masks.at))
    codes = (group << (SHIFT + 1)) + (masks.edges << 1)
    codes[1::2] += 1
    codes.sort()
    return Masks(*unite_runs(codes, len(at) - 1))


def shared_pixels(left: Masks, right: Masks) -> Ints:
    """Pixels that mask i on the left and mask i on the right have in common."""
    indices = np.arange(len(left.at) - 1)
    return count_common_pixels(left.at, left.edges, right.at, right.edges, indices, indices)


def mask_rows(masks: Masks, canvas: tuple[int, int] = CANVAS) -> Floats:
    """Rows for matching: bounds, pixels, what tells masks apart, and the place of the mask."""
    return measure_masks(masks.at, masks.edges, canvas[1])


def mask_overlaps(
    left_masks: Masks, right_masks: Masks
) -> Callable[[Floats, Ints, Floats, Ints, float, int], Overlaps]:
    """What finds the pairs of sorted rows of these masks, as `box_overlaps` does for boxes."""

    def find_pairs(left: Floats, left_at: Ints, right: Floats, right_at: Ints, least: float, most: int) -> Overlaps:
        near = Overlaps(*overlaps(left, left_at, right, right_at, least * NEAR, most))
        i_of, j_of = left[near.left, 6].astype(np.int64), right[near.right, 6].astype(np.int64)
        shared = count_common_pixels(left_masks.at, left_masks.edges, right_masks.at, right_masks.edges, i_of, j_of)
        iou = shared / (left[near.left, 4] + right[near.right, 4] - shared)
        return near._replace(iou=iou).keep((iou > 0) & (iou >= least))

    return find_pairs


def ring_costs(points: Floats, rings: Ints, canvas: tuple[int, int] = CANVAS) -> Ints:
    """How many columns the outline of each ring crosses at most: what drawing it costs in time and memory."""
    return costs_of(points, rings, float(canvas[0]))


def select_affordable(costs: Ints, at: Ints, budget: int) -> NDArray[np.bool_]:
    """Which rings of each image can be drawn within the budget: the shortest outlines first, all equal ones or none."""
    kept = np.ones(len(costs), bool)
    for image in np.flatnonzero(sums(costs, at) > budget):
        part = slice(at[image], at[image + 1])
        lengths, counts = np.unique(costs[part], return_counts=True)
        kept[part] = costs[part] <= lengths[np.cumsum(lengths * counts) <= budget].max(initial=0)
    return kept
