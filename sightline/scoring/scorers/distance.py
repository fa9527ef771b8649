"""How many letters must change to make one text of another."""

from __future__ import annotations

from collections.abc import Callable

LONGEST = 20_000
"""Longer texts are compared up to here, and what follows counts as changed: never less than the true distance."""


def edit_distance(one: str, other: str) -> int:
    """Levenshtein's distance: exact where, beside a common beginning and end, neither text is longer than `LONGEST`.

    Of longer texts, the first `LONGEST` letters after the common beginning are compared and all the rest counts as
    changed, so that the time is bounded and the distance is never too small.
    """
    one, other = _apart(one, other)
    if len(one) > len(other):
        one, other = other, one
    rest = max(len(one) - LONGEST, len(other) - LONGEST, 0)
    return _distance(one[:LONGEST], other[:LONGEST]) + rest


def _apart(one: str, other: str) -> tuple[str, str]:
    """The texts without the beginning and the end that they share."""
    start = _shared(lambda size: one[:size] == other[:size], min(len(one), len(other)))
    one, other = one[start:], other[start:]
    end = _shared(lambda size: not size or one[-size:] == other[-size:], min(len(one), len(other)))
    return one[: len(one) - end], other[: len(other) - end]


def _shared(holds: Callable[[int], bool], most: int) -> int:
    """The largest size for which it holds; it holds for all smaller ones."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _distance(pattern: str, text: str) -> int:
    """Bit-parallel after Myers and Hyyrö: a column of the table is two whole numbers, its rises and its falls."""
    if not pattern:
        return len(text)
    places: dict[str, int] = {}
    for place, letter in enumerate(pattern):
        places[letter] = places.get(letter, 0) | 1 << place
    mask, last = (1 << len(pattern)) - 1, 1 << (len(pattern) - 1)
    rises, falls, distance = mask, 0, len(pattern)
    for letter in text:
        equal = places.get(letter, 0)
        level = (((equal & rises) + rises) ^ rises) | equal | falls
        more = falls | (mask & ~(level | rises))
        less = rises & level
        if more & last:
            distance += 1
        elif less & last:
            distance -= 1
        more = (more << 1 | 1) & mask
        less = less << 1 & mask
        rises = less | (mask & ~(level | more))
        falls = more & level
    return distance
