"""Levenshtein edit distance, bit-parallel and bounded in time."""

from __future__ import annotations

from collections.abc import Callable

MAX_COMPARED_LENGTH = 20_000
"""Longer texts are compared up to here, and what follows counts as changed: never less than the true distance."""


def edit_distance(first: str, second: str) -> int:
    """Levenshtein distance: exact up to `MAX_COMPARED_LENGTH` characters beside a common prefix and suffix.

    Of longer texts, the first `MAX_COMPARED_LENGTH` characters after the common prefix are compared and all the rest
    counts as changed, so that the time is bounded and the distance is never too small.
    """
    first, second = _strip_common_ends(first, second)
    if len(first) > len(second):
        first, second = second, first
    rest = max(len(first) - MAX_COMPARED_LENGTH, len(second) - MAX_COMPARED_LENGTH, 0)
    return _bit_parallel_distance(first[:MAX_COMPARED_LENGTH], second[:MAX_COMPARED_LENGTH]) + rest


def _strip_common_ends(first: str, second: str) -> tuple[str, str]:
    """Remove the common prefix and suffix of two texts."""
    start = _bisect_largest(lambda size: first[:size] == second[:size], min(len(first), len(second)))
    first, second = first[start:], second[start:]
    end = _bisect_largest(lambda size: not size or first[-size:] == second[-size:], min(len(first), len(second)))
    return first[: len(first) - end], second[: len(second) - end]


def _bisect_largest(predicate: Callable[[int], bool], most: int) -> int:
    """Binary search for the largest size that satisfies a monotone predicate."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if predicate(middle) else (low, middle - 1)
    return low


def _bit_parallel_distance(pattern: str, text: str) -> int:
    """Bit-parallel algorithm of Myers and Hyyrö: two integers hold a column's increases and decreases."""
    if not pattern:
        return len(text)
    positions: dict[str, int] = {}
    for index, letter in enumerate(pattern):
        positions[letter] = positions.get(letter, 0) | 1 << index
    mask, last = (1 << len(pattern)) - 1, 1 << (len(pattern) - 1)
    increases, decreases, distance = mask, 0, len(pattern)
    for letter in text:
        equal = positions.get(letter, 0)
        level = (((equal & increases) + increases) ^ increases) | equal | decreases
        up = decreases | (mask & ~(level | increases))
        down = increases & level
        if up & last:
            distance += 1
        elif down & last:
            distance -= 1
        up = (up << 1 | 1) & mask
        down = down << 1 & mask
        increases = down | (mask & ~(level | up))
        decreases = up & level
    return distance
