"""Half of a ring under pressure, within or without, all around or on the upper part alone; perhaps with a hot bore."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.generator.case import Hatch, Line
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.solids.computed.axis import heating_for_stress, plane_stress_material
from sightline.suites.simulation.generator.solids.computed.part import (
    Cut,
    Heat,
    Part,
    draw_heat,
    draw_part_material,
    wall_supports,
)
from sightline.suites.simulation.generator.solids.facts import Load
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC
from sightline.suites.simulation.solvers.solids.elasticity import pressure_load
from sightline.suites.simulation.solvers.solids.mesh import Mesh
from sightline.suites.simulation.solvers.solids.shapes import half_ring


class Ring(Struct, frozen=True, kw_only=True):
    """Pressures at bore and rim; where they act above alone they grow with the height over the axis."""

    inner: float
    outer: float
    thickness: float
    bore: float
    rim: float
    above_alone: bool

    def load(self, mesh: Mesh) -> Array:
        """Forces on the nodes of bore and rim."""
        forces = np.zeros(2 * len(mesh.points))
        for radius, pressure in ((self.inner, self.bore), (self.outer, self.rim)):
            if pressure:
                edge = mesh.edge(lambda x, y, at=radius: np.abs(np.hypot(x, y) - at) < 1e-3 * at)  # type: ignore[misc]
                forces += pressure_load(mesh, edge, self.thickness, lambda x, y, p=pressure: p * self.spread(x, y))  # type: ignore[misc]
        return forces

    def spread(self, x: Array, y: Array) -> Array:
        """The share of the pressure at a place."""
        return np.clip(y / np.hypot(x, y), 0.0, 1.0) if self.above_alone else np.ones_like(x)

    @property
    def arrows(self) -> tuple[Load, ...]:
        """On the loaded edges."""
        arrows = []
        angles = np.radians([20, 40, 60, 80] if self.above_alone else [-75, -50, -25, 0, 25, 50, 75])
        for radius, pressure, sense in ((self.inner, self.bore, 1), (self.outer, self.rim, -1)):
            if pressure:
                for c, s in zip(np.cos(angles).tolist(), np.sin(angles).tolist(), strict=True):
                    arrows.append(Load(x=radius * c, y=radius * s, fx=sense * c, fy=sense * s, pushes=True))
        return tuple(arrows)

    def heating(self, heat: Heat, kelvin: float, x: Array, y: Array) -> Array:
        """Even, or steady conduction from a hot bore: a logarithm."""
        if heat.is_uniform:
            return np.full_like(x, kelvin)
        return np.asarray(kelvin * np.log(self.outer / np.hypot(x, y)) / np.log(self.outer / self.inner))


def make(draw: ParameterRng) -> Part:
    """Parameters by chance; the nominal stress is that of a thin ring."""
    outer = draw.between(0.06, 0.4)
    inner = outer * draw.between(0.45, 0.78)
    nominal = (outer - inner) / outer
    sides = draw.pick(("bore", "bore", "bore", "rim", "rim", "rim", "both"))
    ring = Ring(
        inner=inner,
        outer=outer,
        thickness=outer * draw.between(0.1, 0.5),
        bore=nominal if sides != "rim" else 0.0,
        rim=nominal if sides == "rim" else 0.25 * nominal if sides == "both" else 0.0,
        above_alone=draw.chance(0.55),
    )
    heat = draw_heat(draw, 2.0)
    material = draw_part_material(draw, heat)
    kelvin = heating_for_stress(heat, material)
    tips = ((0.0, inner), (0.0, outer)), ((0.0, -outer), (0.0, -inner))
    return Part(
        kind="ring",
        title="Thick-walled ring, half x > 0",
        units=draw.pick((METRIC, IMPERIAL)),
        material=material,
        elastic=plane_stress_material(material, ring.thickness),
        mesh=lambda fine: half_ring(inner, outer, fine),
        coarse=3,
        fine=8,
        holds=lambda mesh: wall_supports(mesh, 0.0, "plane x = 0"),
        load=ring.load,
        heating=(lambda x, y: ring.heating(heat, kelvin, x, y)) if heat.size else None,
        heat=kelvin,
        heated=heat.where("at the bore, none at the rim"),
        loads=ring.arrows,
        load_rows=(
            ("Largest pressure at the bore", ring.bore, "stress"),
            ("Largest pressure at the rim", ring.rim, "stress"),
        ),
        geometry=(
            ("Inner radius", inner, "length"),
            ("Outer radius", outer, "length"),
            ("Thickness", ring.thickness, "length"),
        ),
        cuts=(Cut((inner, 0.0), (outer, 0.0)), *(Cut(*tip) for tip in tips)),
        section=Cut((inner, 0.0), (outer, 0.0)),
        window=Window(0, outer, -outer, outer).padded(*(m * outer for m in (0.2, 0.5, 0.25, 0.25))),
        hatches=tuple(Hatch(*tip) for tip in tips),
        length=2 * outer,
        marks=(Line(((-0.15 * outer, 0.0), (1.25 * outer, 0.0)), "#57606a", 1.0, dashed=True),),
        most_over=1.4,
    )
