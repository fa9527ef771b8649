"""A mesh of nine-node quadrilaterals from blocks of nodes, and its edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy.spatial import cKDTree  # type: ignore[import-untyped, unused-ignore] # SciPy has no types

from sightline.suites.simulation.solvers.solids.blocks import Array

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
