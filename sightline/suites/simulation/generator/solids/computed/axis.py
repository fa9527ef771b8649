"""What parts along the x axis have in common: forces at an end, and temperatures across the depth."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.solids.computed.part import Heat, edge_at
from sightline.suites.simulation.generator.solids.facts import Load
from sightline.suites.simulation.generator.solids.materials import Material
from sightline.suites.simulation.solvers.solids.elasticity import Elastic, traction_load
from sightline.suites.simulation.solvers.solids.mesh import Mesh


class End(Struct, frozen=True, kw_only=True):
    """Tractions on the end of a bar of this depth: even along x, linear along x, and a parabola along y.

    All are stresses; that of the parabola is the mean.
    """

    x: float
    depth: float
    thickness: float
    along: float = 0.0
    bend: float = 0.0
    shear: float = 0.0

    @property
    def area(self) -> float:
        """Of the end."""
        return self.depth * self.thickness

    @property
    def moment(self) -> float:
        """Of the linear traction, about z; it turns the end against the clock where the upper side is pushed."""
        return -self.bend * self.area * self.depth / 6

    @property
    def offset(self) -> float:
        """How far beside the axis one force along x would have to act for the same force and moment."""
        return self.bend / self.along * self.depth / 6

    def load(self, mesh: Mesh) -> Array:
        """Forces on the nodes."""
        half = self.depth / 2
        return traction_load(
            mesh,
            edge_at(mesh, self.x),
            self.thickness,
            lambda x, y: (self.along + self.bend * y / half, 1.5 * self.shear * (1 - (y / half) ** 2)),
        )

    @property
    def arrows(self) -> tuple[Load, ...]:
        """As they are drawn: one along each axis, and a couple for a moment."""
        arrows = []
        if self.bend:
            pulls = [(0.45, self.along + 0.9 * self.bend), (-0.45, self.along - 0.9 * self.bend)]
            arrows = [Load(x=self.x, y=place * self.depth, fx=pull, pushes=pull < 0) for place, pull in pulls]
        elif self.along:
            arrows.append(Load(x=self.x, y=0.0, fx=self.along, pushes=self.along < 0))
        if self.shear:
            arrows.append(Load(x=self.x, y=0.0, fy=self.shear))
        return tuple(arrows)


def plane_stress_material(material: Material, thickness: float) -> Elastic:
    """Plane stress."""
    return Elastic(young=material.young, poisson=material.poisson, expansion=material.expansion, thickness=thickness)


def heating_for_stress(heat: Heat, material: Material) -> float:
    """The change of temperature whose hindered growth gives the drawn stress."""
    return heat.size / (material.young * material.expansion)


def temperature_over_depth(heat: Heat, kelvin: float, depth: float, y: Array) -> Array:
    """Even, or falling from both sides to none in the middle, which presses the sides and pulls the middle."""
    return kelvin * np.ones_like(y) if heat.is_uniform else kelvin * (2 * y / depth) ** 2
