"""Part before it is computed, with loads of size one; what parts along the x axis have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.case import Annotation, Array, Hatch, Point, Window
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.generator.solids.body import draw_material
from sightline.suites.simulation.generator.solids.facts import Load, Material
from sightline.suites.simulation.generator.units import Units
from sightline.suites.simulation.solvers.solids.elasticity import Elastic, SupportCondition, traction_load
from sightline.suites.simulation.solvers.solids.mesh import Integers, Mesh

Temperature: TypeAlias = Callable[[Array, Array], Array]
_BEARABLE_HEAT = 400.0


class Cut(Struct, frozen=True):
    """A straight line through the part on which forces are added up; its ends are on the rim."""

    start: Point
    end: Point


class Strut(Struct, frozen=True, kw_only=True):
    """How a part that is pushed along x may give way out of its plane."""

    left: float
    right: float
    half_height: float
    both_clamped: bool = False


class Part(Struct, frozen=True, kw_only=True):
    """Loads are those of a nominal stress of one pascal; all of them grow together."""

    kind: str
    title: str
    units: Units
    material: Material
    elastic: Elastic
    mesh: Callable[[int], Mesh]
    """The finer the greater the number."""
    coarse: int
    fine: int
    supports: Callable[[Mesh], tuple[SupportCondition, ...]]
    load: Callable[[Mesh], Array]
    """Forces on the nodes."""
    heating: Temperature | None = None
    """Kelvin by place."""
    heat: float = 0.0
    """The largest change of temperature, with its sign."""
    heated: str = "throughout"
    """Where it is."""
    loads: tuple[Load, ...]
    load_rows: tuple[tuple[str, float, str], ...]
    geometry: dict[str, float]
    cuts: tuple[Cut, ...]
    section: Cut
    window: Window
    hatches: tuple[Hatch, ...]
    length: float
    signed: bool = False
    strut: Strut | None = None
    buckles_in_plane: bool = False
    marks: tuple[Annotation, ...] = ()
    max_overload: float = 1.45
    """How far a ductile part may be loaded beyond first yield."""


class Heat(Struct, frozen=True, kw_only=True):
    """A temperature that is drawn: its size by nominal stress, and how it is spread."""

    size: float = 0.0
    is_uniform: bool = True


def draw_heat(draw: ParameterRng, share: float = 1.5) -> Heat:
    """Half of the time one that stresses the part; else none, or an even one that only lets it grow."""
    if draw.chance(0.55):
        return Heat(size=draw.pick((1.0, -1.0)) * draw.between(0.5 * share, share), is_uniform=False)
    return Heat(size=draw.pick((0.0, 0.0, 0.0, 0.0, 0.3)))


def draw_material_fields(
    draw: ParameterRng,
    heat: Heat,
    thickness: float,
    place: str = "",
    temperature: Callable[[float, Array, Array], Array] | None = None,
) -> dict[str, Any]:
    """Draw a material that some hundred kelvin bring near its strength, where heat is to do that.

    Returns what a part has of material and heat. `temperature` spreads a number of kelvin, which is reached at the
    place, unless the heat is uniform.
    """

    def suits(material: Material) -> bool:
        strength = material.yield_strength or material.tensile_strength
        return not heat.size or abs(heat.size) * strength < _BEARABLE_HEAT * material.young * material.expansion

    def heating(x: Array, y: Array) -> Array:
        if heat.is_uniform or temperature is None:
            return np.full_like(x, kelvin)
        return np.asarray(temperature(kelvin, x, y))

    material = draw_material(draw, suits)
    # the change of temperature whose hindered growth gives the drawn stress
    kelvin = heat.size / (material.young * material.expansion)
    return {
        "material": material,
        "elastic": plane_stress_material(material, thickness),
        "heating": heating if heat.size else None,
        "heat": kelvin,
        "heated": "throughout" if heat.is_uniform else place,
    }


def edge_at(mesh: Mesh, x: float) -> Integers:
    """The edge of a part at the end of its axis."""
    size = 1e-6 * float(np.ptp(mesh.points[:, 0]))
    return mesh.edge(lambda along, _: np.abs(along - x) < size)


def wall_supports(mesh: Mesh, x: float, name: str) -> tuple[SupportCondition, SupportCondition]:
    """Holds an end plane, and its mean height."""
    edges = edge_at(mesh, x)
    return SupportCondition(name=f"{name}, ux", edges=edges, axis=0), SupportCondition(
        name=f"{name}, uy", edges=edges, axis=1, on_average=True
    )


def hatch_at(x: float, half: float, *, faces_left: bool = False) -> Hatch:
    """The wall as it is drawn."""
    ends = (x, -half), (x, half)
    return Hatch(*(ends[::-1] if faces_left else ends))


def vertical_cuts(xs: tuple[float, ...], half: float) -> tuple[Cut, ...]:
    """Upright cuts."""
    return tuple(Cut((x, -half), (x, half)) for x in xs)


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


def hot_sides(depth: float) -> Callable[[float, Array, Array], Array]:
    """Temperature that falls from both sides of a bar to none on its axis: presses the sides, pulls the middle."""
    return lambda kelvin, x, y: kelvin * (2 * y / depth) ** 2
