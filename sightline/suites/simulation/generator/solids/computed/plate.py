"""A plate with a round hole: pulled or pushed along x, perhaps along y as well, or bent in its plane."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.solids.computed.part import (
    Cut,
    Heat,
    Part,
    Strut,
    draw_heat,
    draw_part_material,
    edge_at,
    hatch_at,
    vertical_cuts,
    wall_supports,
)
from sightline.suites.simulation.generator.solids.facts import Load
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC
from sightline.suites.simulation.solvers.solids.elasticity import Elastic, traction_load
from sightline.suites.simulation.solvers.solids.mesh import Mesh
from sightline.suites.simulation.solvers.solids.shapes import plate_with_hole


class Shape(Struct, frozen=True, kw_only=True):
    """Sizes, and the tractions on the edges: even ones along x and y, and one that bends."""

    hole: float
    half_length: float
    half_width: float
    thickness: float
    along: float
    sideways: float
    bend: float

    def load(self, mesh: Mesh) -> Array:
        """Forces on the nodes of three edges."""
        size = self.half_width
        right = edge_at(mesh, self.half_length)
        forces = traction_load(mesh, right, self.thickness, lambda x, y: (self.along + self.bend * y / size, 0 * y))
        if self.sideways:
            sides = mesh.edge(lambda x, y: np.abs(np.abs(y) - size) < 1e-6 * size)
            forces += traction_load(mesh, sides, self.thickness, lambda x, y: (0 * x, self.sideways * np.sign(y)))
        return forces

    def heating(self, heat: Heat, kelvin: float, x: Array, y: Array) -> Array:
        """Even, or hottest at the hole and falling with the square of the distance."""
        return kelvin * np.ones_like(x) if heat.is_uniform else kelvin * self.hole**2 / (x**2 + y**2)


def make(draw: ParameterRng) -> Part:
    """Parameters by chance."""
    hole = draw.between(0.008, 0.05)
    sense, loading = draw.pick((1.0, -1.0, -1.0)), draw.pick(("pull", "both", "bend"))
    shape = Shape(
        hole=hole,
        half_length=hole * draw.between(5.0, 6.5),
        half_width=hole * draw.between(2.6, 4.2),
        thickness=hole * draw.spread(0.05, 0.5),
        along=0.0 if loading == "bend" else sense,
        sideways=draw.pick((0.9, -0.6)) * sense if loading == "both" else 0.0,
        bend=1.0 if loading == "bend" else 0.0,
    )
    heat = draw_heat(draw, 3.0)
    material = draw_part_material(draw, heat)
    kelvin = heat.size / (material.young * material.expansion)
    length, width = shape.half_length, shape.half_width
    above = 0.34 if shape.sideways else 0.12
    return Part(
        kind="plate",
        title="Plate with a round hole",
        units=draw.pick((METRIC, IMPERIAL)),
        material=material,
        elastic=Elastic(
            young=material.young, poisson=material.poisson, expansion=material.expansion, thickness=shape.thickness
        ),
        mesh=lambda fine: plate_with_hole(length, width, hole, fine),
        coarse=5,
        fine=12,
        holds=lambda mesh: wall_supports(mesh, -length, "grip at the left edge"),
        load=shape.load,
        heating=(lambda x, y: shape.heating(heat, kelvin, x, y)) if heat.size else None,
        heat=kelvin,
        heated=heat.where("at the hole, falling with 1/r2"),
        loads=_arrows(shape),
        load_rows=(
            ("Mean traction on the edge x = L/2", shape.along, "stress"),
            ("Traction on the edges y = +-W/2", shape.sideways, "stress"),
            ("Linear traction on x = L/2, at y = W/2", shape.bend, "stress"),
        ),
        geometry=(
            ("Length", 2 * length, "length"),
            ("Width", 2 * width, "length"),
            ("Hole diameter", 2 * hole, "length"),
            ("Thickness", shape.thickness, "length"),
        ),
        cuts=vertical_cuts((-0.7 * length, 0.0, 0.7 * length), width),
        section=Cut((0.0, hole), (0.0, width)),
        window=Window(-length, length, -width, width).padded(*(length * m for m in (0.1, 0.42, above, above))),
        hatches=(hatch_at(-length, 1.0 * width),),
        length=2 * length,
        signed=draw.chance(0.4),
        strut=Strut(left=-length, right=length, half_height=width),
    )


def _arrows(shape: Shape) -> tuple[Load, ...]:
    """Tractions as forces on a few points of the edges."""
    arrows = []
    for place in (-0.8, -0.4, 0.0, 0.4, 0.8):
        pull = shape.along + shape.bend * place
        if abs(pull) > 0.1:
            arrows.append(Load(x=shape.half_length, y=shape.half_width * place, fx=pull, pushes=pull < 0))
        if shape.sideways:
            arrows += [
                Load(
                    x=shape.half_length * place,
                    y=side * shape.half_width,
                    fy=side * shape.sideways,
                    pushes=shape.sideways < 0,
                )
                for side in (1, -1)
            ]
    return tuple(arrows)
