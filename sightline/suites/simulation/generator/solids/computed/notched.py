"""A bar with half-round notches above and below, or above alone: pulled, pushed or bent."""

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
from sightline.suites.simulation.solvers.solids.shapes import notched_bar


def make(draw: ParameterRng) -> Part:
    """Parameters by chance."""
    depth = draw.between(0.04, 0.2)
    both_sides = draw.chance()
    length = depth * (draw.between(2.2, 4.0) if both_sides else draw.between(3.0, 4.5))
    radius = depth * (draw.between(0.08, 0.22) if both_sides else draw.between(0.12, 0.3))
    loading = draw.pick(("pull", "pull", "pull", "bend", "bend", "both"))
    end = End(
        x=length / 2,
        depth=depth,
        thickness=depth * draw.spread(0.02, 0.3),
        along=0.0 if loading == "bend" else draw.pick((1.0, -1.0, -1.0)),
        bend=0.0 if loading == "pull" else draw.pick((1.0, -1.0)) * (2.5 if loading == "both" else 1.0),
    )
    heat = draw_heat(draw)
    material = draw_part_material(draw, heat)
    kelvin = heating_for_stress(heat, material)
    half, floor = depth / 2, -depth / 2 + (radius if both_sides else 0.0)
    return Part(
        kind="notched",
        title="Bar with two notches" if both_sides else "Bar with a notch",
        units=draw.pick((METRIC, IMPERIAL)),
        material=material,
        elastic=plane_stress_material(material, end.thickness),
        mesh=lambda fine: notched_bar(length, depth, radius, fine, both_sides=both_sides),
        coarse=12,
        fine=28,
        holds=lambda mesh: wall_supports(mesh, -length / 2, "grip at the left end"),
        load=end.load,
        heating=(lambda x, y: temperature_over_depth(heat, kelvin, depth, y)) if heat.size else None,
        heat=kelvin,
        heated=heat.where("at y = +-D/2, none on the axis"),
        loads=end.arrows,
        load_rows=(
            ("Fx at the right end", end.along * end.area, "force"),
            ("Mz at the right end", end.moment, "moment"),
        ),
        geometry=(
            ("Length", length, "length"),
            ("Depth", depth, "length"),
            ("Notch radius", radius, "length"),
            ("Thickness", end.thickness, "length"),
        ),
        cuts=(*vertical_cuts((-0.45 * length, 0.45 * length), half), Cut((0.0, floor), (0.0, half - radius))),
        section=Cut((0.0, floor), (0.0, half - radius)),
        window=Window(-length / 2, length / 2, -half, half).padded(*(m * length for m in (0.06, 0.22, 0.1, 0.1))),
        hatches=(hatch_at(-length / 2, 0.65 * depth),),
        length=length,
        signed=draw.chance(0.4),
        strut=Strut(left=-length / 2, right=length / 2, half_height=half),
        most_over=1.4,
    )
