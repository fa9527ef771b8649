"""IoU of axis-aligned boxes (x1, y1, x2, y2) in COCO's convention: the width is x2 − x1, without a pixel added.

Also for all shapes: the canonical order of rows, and the candidate pairs whose bounding boxes overlap.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.geometry.arrays import LIMIT, Floats, Ints, Overlaps

# Numbers are fetched by row and column: a view of a row costs more than the arithmetic on it.


@compiled
def pack_boxes(raw: Floats) -> Floats:
    """Rows of corners and area, the lesser corner first; zeros for a box that has no area."""
    rows = np.zeros((len(raw), 5))
    for i in range(len(raw)):
        x1, x2 = min(raw[i, 0], raw[i, 2]), max(raw[i, 0], raw[i, 2])
        y1, y2 = min(raw[i, 1], raw[i, 3]), max(raw[i, 1], raw[i, 3])
        area = (x2 - x1) * (y2 - y1)
        if area > 0 and min(x1, y1) >= -LIMIT and max(x2, y2) <= LIMIT:
            rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], rows[i, 4] = x1, y1, x2, y2, area
    return rows


@compiled
def _comes_before(rows: Floats, a: int, b: int) -> bool:
    for column in range(rows.shape[1]):
        if rows[a, column] != rows[b, column]:
            return bool(rows[a, column] < rows[b, column])
    return False


@compiled
def _merge(rows: Floats, order: Ints, spare: Ints, start: int, middle: int, stop: int) -> None:
    i, j = start, middle
    for k in range(start, stop):
        if i < middle and (j >= stop or not _comes_before(rows, order[j], order[i])):
            spare[k] = order[i]
            i += 1
        else:
            spare[k] = order[j]
            j += 1


@compiled
def row_order(rows: Floats, offsets: Ints) -> Ints:
    """The rows of each image sorted by their numbers, first column first: a merge sort, as replies may be long."""
    order = np.arange(len(rows))
    spare = order.copy()
    for image in range(len(offsets) - 1):
        low, high = offsets[image], offsets[image + 1]
        width = 1
        while width < high - low:
            for start in range(low, high, 2 * width):
                _merge(rows, order, spare, start, min(start + width, high), min(start + 2 * width, high))
            for k in range(low, high):  # a slice would take Numba seconds to compile
                order[k] = spare[k]
            width *= 2
    return order


@compiled
def _most_iou(left: Floats, i: int, right: Floats, j: int) -> float:
    """The IoU that bounds (columns 0 to 3) and areas (column 4) allow: for boxes, the IoU."""
    if left[i, 3] <= right[j, 1] or right[j, 3] <= left[i, 1]:
        return 0.0
    if left[i, 2] <= right[j, 0] or right[j, 2] <= left[i, 0]:
        return 0.0
    high = min(left[i, 3], right[j, 3]) - max(left[i, 1], right[j, 1])
    wide = min(left[i, 2], right[j, 2]) - max(left[i, 0], right[j, 0])
    shared = min(wide * high, left[i, 4], right[j, 4])
    return float(shared / (left[i, 4] + right[j, 4] - shared)) if shared > 0 else 0.0


@compiled
def _widest(rows: Floats, low: int, high: int) -> float:
    found = 0.0
    for j in range(low, high):
        found = max(found, rows[j, 2] - rows[j, 0])
    return found


@compiled
def overlaps(
    left: Floats, left_at: Ints, right: Floats, right_at: Ints, least: float, most: int
) -> tuple[Ints, Ints, Ints, Floats, Ints]:
    """Pairs within each image whose IoU may be above 0 and at least `least`; rows must be sorted by `row_order`.

    Once an image has `most` pairs, or 64 times as many were looked at, its other left rows, which are its last ones,
    are skipped and counted: memory and time stay bounded.
    """
    images, size, n = len(left_at) - 1, max(16, 2 * len(left)), 0
    first, skipped = np.zeros(images + 1, dtype=np.int64), np.zeros(images, dtype=np.int64)
    pairs, iou = np.empty((2, size), dtype=np.int64), np.empty(size)
    for image in range(images):
        start, stop = right_at[image], right_at[image + 1]
        widest, looks = _widest(right, start, stop), 64 * most
        for i in range(left_at[image], left_at[image + 1]):
            if n - first[image] >= most or looks <= 0:
                skipped[image] = left_at[image + 1] - i
                break
            while start < stop and right[start, 0] + widest < left[i, 0]:
                start += 1
            for j in range(start, stop):
                looks -= 1
                if right[j, 0] >= left[i, 2]:
                    break
                value = _most_iou(left, i, right, j)
                if value <= 0 or value < least:
                    continue
                if n == size:
                    pairs, iou = np.concatenate((pairs, pairs), axis=1), np.concatenate((iou, iou))
                    size = len(iou)
                pairs[0, n], pairs[1, n], iou[n] = i, j, value
                n += 1
        first[image + 1] = n
    return first, pairs[0, :n].copy(), pairs[1, :n].copy(), iou[:n].copy(), skipped


def box_rows(boxes: ArrayLike) -> Floats:
    """Rows of corners and area, the lesser corner first; zeros for a box that has no area."""
    return pack_boxes(np.ascontiguousarray(boxes, dtype=np.float64).reshape(-1, 4))


def box_overlaps(left: Floats, left_at: Ints, right: Floats, right_at: Ints, least: float, most: int) -> Overlaps:
    """Pairs of sorted rows within each image whose IoU is above 0 and at least `least`."""
    return Overlaps(*overlaps(left, left_at, right, right_at, least, most))


def corners_of(boxes: Floats) -> Floats:
    """Boxes as quads: four corners each."""
    return boxes[:, [0, 1, 2, 1, 2, 3, 0, 3]]
