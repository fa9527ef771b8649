"""A cantilever with a force at its tip, perhaps pulled or pushed along its axis; perhaps hot on its sides."""

from __future__ import annotations

from sightline.suites.simulation.generator.arrays import Window
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.solids.computed.axis import (
    End,
    heating_for_stress,
    plane_stress_material,
    temperature_over_depth,
)
from sightline.suites.simulation.generator.solids.computed.part import (
    Cut,
    Part,
    Strut,
    draw_heat,
    draw_part_material,
    hatch_at,
    vertical_cuts,
    wall_supports,
)
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC
from sightline.suites.simulation.solvers.solids.shapes import bar


def make(draw: ParameterRng) -> Part:
    """Parameters by chance; the axial force leaves bending the larger share, or takes it."""
    length = draw.between(0.5, 2.0)
    depth = length / draw.between(4.5, 9)
    loading = draw.pick(("tip", "tip", "axial", "axial", "both"))
    pull = draw.pick((1.0, -1.0, -1.0, -1.0)) * draw.pick((0.3, 1.5))
    end = End(
        x=length,
        depth=depth,
        thickness=draw.spread(0.1, 0.8) * depth,
        along=0.0 if loading == "tip" else pull,
        # the stress of a tip force is 6 L / h times its mean shear stress
        shear=0.0 if loading == "axial" else draw.pick((1.0, -1.0)) * depth / (6 * length),
    )
    heat = draw_heat(draw)
    material = draw_part_material(draw, heat)
    kelvin = heating_for_stress(heat, material)
    near = 0.45 * depth
    return Part(
        kind="cantilever",
        title="Cantilever beam with an end load",
        units=draw.pick((METRIC, IMPERIAL)),
        material=material,
        elastic=plane_stress_material(material, end.thickness),
        mesh=lambda fine: bar(length, depth, fine),
        coarse=4,
        fine=10,
        holds=lambda mesh: wall_supports(mesh, 0.0, "clamp at x = 0"),
        load=end.load,
        heating=(lambda x, y: temperature_over_depth(heat, kelvin, depth, y)) if heat.size else None,
        heat=kelvin,
        heated=heat.where("on both sides, none on the axis"),
        loads=end.arrows,
        load_rows=(("Fy at the tip", end.shear * end.area, "force"), ("Fx at the tip", end.along * end.area, "force")),
        geometry=(("Length", length, "length"), ("Depth", depth, "length"), ("Width", end.thickness, "length")),
        cuts=vertical_cuts((0.02 * length, 0.3 * length, 0.6 * length), depth / 2),
        section=Cut((0.0, near), (length, near)) if draw.chance() else vertical_cuts((0.25 * length,), depth / 2)[0],
        window=Window(0, length, -depth / 2, depth / 2).padded(*(m * length for m in (0.06, 0.22, 0.14, 0.14))),
        hatches=(hatch_at(0.0, 0.8 * depth),),
        length=length,
        signed=draw.chance(),
        strut=Strut(left=0.0, right=length, half_height=depth / 2),
        buckles_in_plane=True,
        most_over=1.35,
    )
