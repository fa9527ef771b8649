"""Bandwidth reduction by reverse Cuthill–McKee ordering of the unknowns, where the given order is poor."""

from __future__ import annotations

import numpy as np

from sightline.suites.structural.fem.arrays import Indices

_NARROW = 36  # nothing is won below
_POOR = 3  # a band of more than a third of a matrix is worth a search, and so is any wide band


def reduce_bandwidth(numbers: Indices, count: int) -> tuple[Indices | None, int]:
    """The place of each unknown in an order of small band width, if another than the given, and that width.

    `numbers` are the unknowns that each element couples; those equal to `count` are none.
    """
    natural = _bandwidth(numbers, count)
    if natural <= _NARROW or (natural * _POOR <= count <= 2 * _POOR * natural):
        return None, natural
    permutation = np.empty(count, dtype=np.int64)
    permutation[_cuthill_mckee(numbers, count)] = np.arange(count)
    band = _bandwidth(np.append(permutation, count)[numbers], count)
    return (permutation, band) if band < natural else (None, natural)


def _bandwidth(numbers: Indices, count: int) -> int:
    none = numbers == count
    return max(1, int((np.where(none, -1, numbers).max(axis=1) - numbers.min(axis=1)).max()))


def _cuthill_mckee(numbers: Indices, count: int) -> list[int]:
    neighbours: list[set[int]] = [set() for _ in range(count)]
    for row in numbers.tolist():
        coupled = {number for number in row if number < count}
        for number in coupled:
            neighbours[number] |= coupled
    degree = [len(near) for near in neighbours]
    left = set(range(count))
    order: list[int] = []
    while left:
        start = min(left, key=degree.__getitem__)
        for _ in range(2):  # from the far end of a first walk the levels are thinnest
            walk = _breadth_first(start, neighbours, degree)
            start = walk[-1]
        order += walk
        left.difference_update(walk)
    return order[::-1]


def _breadth_first(start: int, neighbours: list[set[int]], degree: list[int]) -> list[int]:
    """Breadth first, least connected first."""
    order, seen = [start], {start}
    for here in order:
        fresh = sorted(neighbours[here] - seen, key=degree.__getitem__)
        seen.update(fresh)
        order += fresh
    return order
