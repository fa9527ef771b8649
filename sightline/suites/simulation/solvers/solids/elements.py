"""Finite element space: shape functions and Gauss quadrature (scikit-fem), assembly, and stress recovery at nodes."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from scipy import sparse  # type: ignore[import-untyped, unused-ignore] # SciPy has no types
from skfem import (  # type: ignore[import-untyped, unused-ignore] # scikit-fem has no types
    Basis,
    ElementQuad2,
    MeshQuad1,
    MeshQuad2,
)

from sightline.suites.simulation.solvers.solids.mesh import Array, Integers, Mesh

Matrix: TypeAlias = Any
"""A sparse matrix by columns."""


def zero_matrix(size: int) -> Matrix:
    """Return a sparse zero matrix."""
    return sparse.csc_matrix((size, size))


def assemble_matrix(matrices: Array, unknowns: Integers, size: int) -> Matrix:
    """Assemble element matrices of shape (elements, n, n) into a sparse matrix."""
    count = unknowns.shape[1]
    rows, columns = np.repeat(unknowns, count, axis=1).ravel(), np.tile(unknowns, (1, count)).ravel()
    return sparse.coo_matrix((matrices.ravel(), (rows, columns)), shape=(size, size)).tocsc()


def assemble_vector(vectors: Array, unknowns: Integers, size: int) -> Array:
    """Assemble element vectors into a global vector."""
    return np.bincount(unknowns.ravel(), weights=vectors.ravel(), minlength=size).astype(np.float64)


def outer_product(vector: Array) -> Matrix:
    """Return the outer product of a vector with itself."""
    column = sparse.csc_matrix(vector[:, None])
    return column @ column.T


def identity_with_rows(size: int, rows: dict[int, Array]) -> Matrix:
    """Return the identity matrix with some rows replaced."""
    matrix = sparse.identity(size, format="lil")
    for number, row in rows.items():
        matrix[number] = row
    return matrix.tocsc()


ORDER = 5
"""Exact to this degree: three by three Gauss points an element."""


class ElementSpace(Struct, frozen=True):
    """Shape functions at the Gauss points. The unknowns are x and y of node 0, x and y of node 1, and so on."""

    mesh: Mesh
    values: Array
    """Shape (9, points of an element)."""
    gradients: Array
    """Shape (elements, points, 2, 9): derivatives of the shape functions by x and y."""
    weights: Array
    """Shape (elements, points): area that each Gauss point stands for."""
    places: Array
    """Shape (points, 2): the Gauss points in the reference element, from 0 to 1 both ways."""

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return 2 * len(self.mesh.points)

    @property
    def unknowns(self) -> Integers:
        """Shape (elements, 18): those of each element, x and y by turns."""
        nodes = self.mesh.elements
        return np.asarray(np.stack([2 * nodes, 2 * nodes + 1], axis=2).reshape(len(nodes), 18), dtype=np.int64)

    @property
    def strains(self) -> Array:
        """Shape (elements, points, 3, 18): the matrix that turns displacements into strains xx, yy and 2 xy."""
        dx, dy = self.gradients[:, :, 0], self.gradients[:, :, 1]
        matrix = np.zeros((*dx.shape[:2], 3, 18))
        matrix[:, :, 0, 0::2] = matrix[:, :, 2, 1::2] = dx
        matrix[:, :, 1, 1::2] = matrix[:, :, 2, 0::2] = dy
        return matrix

    def at_points(self, nodal: Array) -> Array:
        """A value of the nodes at the Gauss points: shape (elements, points)."""
        return np.asarray(nodal[self.mesh.elements] @ self.values)


def make_space(mesh: Mesh) -> ElementSpace:
    """Isoparametric: the geometry follows curved edges by the same functions as the displacement."""
    corners, numbers = np.unique(mesh.elements[:, :4], return_inverse=True)
    straight = MeshQuad1(
        np.ascontiguousarray(mesh.points[corners].T), np.ascontiguousarray(numbers.reshape(-1, 4).T), validate=False
    )
    curved = MeshQuad2.from_mesh(straight)
    places = curved.doflocs.copy()
    places[:, curved.dofs.element_dofs] = mesh.points[mesh.elements].transpose(2, 1, 0)
    basis = Basis(MeshQuad2(places, curved.t, validate=False), ElementQuad2(), intorder=ORDER)
    gradients = np.stack([np.asarray(function[0].grad) for function in basis.basis])
    values = np.stack([np.broadcast_to(np.asarray(function[0]), basis.dx.shape)[0] for function in basis.basis])
    return ElementSpace(mesh, values, gradients.transpose(2, 3, 1, 0), basis.dx, basis.X.T)


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
