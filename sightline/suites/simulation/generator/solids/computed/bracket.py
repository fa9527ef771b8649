"""An angle bracket with a fillet in its inner corner, hung at the top of one leg and loaded at the end of the other."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.generator.case import Hatch
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.solids.computed.axis import End, heating_for_stress, plane_stress_material
from sightline.suites.simulation.generator.solids.computed.part import Cut, Heat, Part, draw_heat, draw_part_material
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC
from sightline.suites.simulation.solvers.solids.mesh import Mesh
from sightline.suites.simulation.solvers.solids.shapes import bracket
from sightline.suites.simulation.solvers.solids.supports import SupportCondition


def make(draw: ParameterRng) -> Part:
    """Parameters by chance."""
    reach = draw.between(0.1, 0.5)
    height = reach * draw.between(0.6, 0.95)
    depth = reach * draw.between(0.16, 0.24)
    fillet = depth * draw.between(0.25, 0.7)
    loading = draw.pick(("across", "along"))
    slender = depth / (6 * reach)
    end = End(
        x=reach,
        depth=depth,
        thickness=depth * draw.between(0.2, 1.0),
        along=draw.pick((1.0, -1.0)) * slender if loading == "along" else 0.0,
        shear=draw.pick((1.0, -1.0)) * slender if loading == "across" else 0.0,
    )
    heat = draw_heat(draw, 1.2)
    material = draw_part_material(draw, heat)
    kelvin = heating_for_stress(heat, material)
    corner, half = (depth, depth / 2), depth / 2

    knee = depth + fillet
    leg, post = Cut((1.05 * knee, -half), (1.05 * knee, half)), Cut((0.0, 1.05 * knee), (depth, 1.05 * knee))
    return Part(
        kind="bracket",
        title="Angle bracket with a fillet",
        units=draw.pick((METRIC, IMPERIAL)),
        material=material,
        elastic=plane_stress_material(material, end.thickness),
        mesh=lambda fine: bracket(reach, height, depth, fillet, fine),
        coarse=8,
        fine=18,
        holds=lambda mesh: _holds(mesh, height),
        load=end.load,
        heating=(lambda x, y: _heating(heat, kelvin, corner, depth, x, y)) if heat.size else None,
        heat=kelvin,
        heated=heat.where("at the inner corner"),
        loads=end.arrows,
        load_rows=(
            ("Fx at the end of the leg", end.along * end.area, "force"),
            ("Fy at the end of the leg", end.shear * end.area, "force"),
        ),
        geometry=(
            ("Reach of the leg along x", reach, "length"),
            ("Height of the post above the x axis", height, "length"),
            ("Depth of leg and post", depth, "length"),
            ("Fillet radius", fillet, "length"),
            ("Thickness", end.thickness, "length"),
        ),
        cuts=(leg, post, Cut((0.0, 0.95 * height), (depth, 0.95 * height))),
        section=leg if draw.chance() else post,
        window=Window(0, reach, -half, height).padded(*(m * reach for m in (0.12, 0.2, 0.18, 0.1))),
        hatches=(Hatch((-0.25 * depth, height), (1.25 * depth, height)),),
        length=reach,
        most_over=1.4,
    )


def _holds(mesh: Mesh, height: float) -> tuple[SupportCondition, ...]:
    """The top of the post stays level, and does not move sideways on the average."""
    top = mesh.edge(lambda x, y: y > height * (1 - 1e-6))
    return (
        SupportCondition(name="top of the post, uy", edges=top, axis=1),
        SupportCondition(name="top of the post, ux", edges=top, axis=0, on_average=True),
    )


def _heating(heat: Heat, kelvin: float, corner: tuple[float, float], size: float, x: Array, y: Array) -> Array:
    """Even, or a hot spot at the inner corner."""
    if heat.is_uniform:
        return np.full_like(x, kelvin)
    distance = ((x - corner[0]) ** 2 + (y - corner[1]) ** 2) / size**2
    return np.asarray(kelvin * np.exp(-distance))
