"""Finite element space on a mesh: shape functions, strain matrices and Gauss quadrature from scikit-fem."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from skfem import (  # type: ignore[import-untyped, unused-ignore] # scikit-fem has no types
    Basis,
    ElementQuad2,
    MeshQuad1,
    MeshQuad2,
)

from sightline.suites.simulation.solvers.solids.blocks import Array
from sightline.suites.simulation.solvers.solids.mesh import Integers, Mesh

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
