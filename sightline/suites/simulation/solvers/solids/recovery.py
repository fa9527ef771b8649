"""Stress recovery: extrapolation from Gauss points to nodes."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.solvers.solids.blocks import Array
from sightline.suites.simulation.solvers.solids.space import ElementSpace

_REFERENCE = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0], [1, 0.5], [0.5, 1], [0, 0.5], [0.5, 0.5]])


def _bilinear(places: Array) -> Array:
    x, y = places.T
    return np.stack([np.ones_like(x), x, y, x * y], axis=1)


def recover_nodal_values(space: ElementSpace, values: Array, reach: float = 1.0) -> Array:
    """Shape (nodes, …): fitted in each element by a bilinear function, then averaged over the elements of a node.

    The fit is weighted by the Gauss weights, so it passes where the stress of a nine-node element is most accurate: its
    two by two Gauss points (Barlow). A `reach` below one takes the fit that much nearer to the centre of the element:
    where a material flows, a fit to the corners would overshoot the yield strength.
    """
    gauss = np.polynomial.legendre.leggauss(3)[1]
    root = np.sqrt(np.outer(gauss, gauss).ravel())
    fit = _bilinear(0.5 + reach * (_REFERENCE - 0.5)) @ np.linalg.pinv(root[:, None] * _bilinear(space.places)) * root
    in_elements = np.tensordot(values, fit, axes=(1, 1))
    in_elements = np.moveaxis(in_elements, -1, 1)
    nodes = space.mesh.elements
    count = np.bincount(nodes.ravel(), minlength=len(space.mesh.points))
    columns = in_elements.reshape(nodes.size, -1)
    sums = [np.bincount(nodes.ravel(), weights=columns[:, k], minlength=count.size) for k in range(columns.shape[1])]
    return (np.stack(sums, axis=1) / count[:, None]).reshape(count.size, *values.shape[2:])
