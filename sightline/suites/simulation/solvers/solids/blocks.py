"""Structured mesh blocks: ruled surfaces between two curves with equally many nodes.

A block is an array of shape (along, across, 2) with odd counts, since a nine-node element takes three nodes each way.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

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
    """An even block of so many elements along x and y."""
    across, up = graded_nodes(counts[0]), graded_nodes(counts[1])
    return ruled_block(line((left, bottom), (right, bottom), across), line((left, top), (right, top), across), up)
