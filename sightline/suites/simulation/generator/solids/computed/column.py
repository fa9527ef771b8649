"""A slender column under a thrust, centred or beside its axis: does it buckle in its plane?"""

from __future__ import annotations

from sightline.suites.simulation.generator.arrays import Window
from sightline.suites.simulation.generator.case import Hatch
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
    draw_heat,
    draw_part_material,
    edge_at,
    hatch_at,
    vertical_cuts,
    wall_supports,
)
from sightline.suites.simulation.generator.solids.facts import Load
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC
from sightline.suites.simulation.solvers.solids.mesh import Mesh
from sightline.suites.simulation.solvers.solids.shapes import bar
from sightline.suites.simulation.solvers.solids.supports import SupportCondition


def make(draw: ParameterRng) -> Part:
    """Parameters by chance; its head is free, or held sideways."""
    length = draw.between(0.8, 3.0)
    depth = length / draw.between(9, 22)
    head_held, eccentric = draw.chance(), draw.chance()
    end = End(
        x=length,
        depth=depth,
        thickness=draw.between(1.05, 1.6) * depth,
        along=-1.0,
        bend=draw.pick((-0.4, 0.4, 1.5, -1.5)) if eccentric else 0.0,
    )
    heat = draw_heat(draw)
    material = draw_part_material(draw, heat)
    kelvin = heating_for_stress(heat, material)

    def holds(mesh: Mesh) -> tuple[SupportCondition, ...]:
        head = SupportCondition(name="guide at x = L, uy", edges=edge_at(mesh, length), axis=1, on_average=True)
        foot = wall_supports(mesh, 0.0, "foot at x = 0")
        return (*foot, head) if head_held else foot

    return Part(
        kind="column",
        title="Column with a guided head" if head_held else "Column with a free head",
        units=draw.pick((METRIC, IMPERIAL)),
        material=material,
        elastic=plane_stress_material(material, end.thickness),
        mesh=lambda fine: bar(length, depth, fine),
        coarse=2,
        fine=6,
        holds=holds,
        load=end.load,
        heating=(lambda x, y: temperature_over_depth(heat, kelvin, depth, y)) if heat.size else None,
        heat=kelvin,
        heated=heat.where("on both sides, none on the axis"),
        loads=(Load(x=length, y=end.offset, fx=end.along, pushes=True),),
        load_rows=(("Fx at the head", end.along * end.area, "force"),),
        geometry=(
            ("Length", length, "length"),
            ("Depth", depth, "length"),
            ("Width", end.thickness, "length"),
            ("Offset of the force along y", end.offset, "length"),
        ),
        cuts=vertical_cuts((0.05 * length, 0.5 * length, 0.9 * length), depth / 2),
        section=Cut((0.0, 0.4 * depth), (length, 0.4 * depth))
        if draw.chance()
        else vertical_cuts((0.5 * length,), depth / 2)[0],
        window=Window(0, length, -depth / 2, depth / 2).padded(*(m * length for m in (0.05, 0.16, 0.1, 0.1))),
        hatches=(hatch_at(0.0, 0.8 * depth), *(_guides(length, depth) if head_held else ())),
        length=length,
        signed=draw.chance(),
        buckles_in_plane=True,
        most_over=1.25,
    )


def _guides(length: float, depth: float) -> tuple[Hatch, Hatch]:
    """Between which the head slides."""
    first, last, half = 0.91 * length, 1.03 * length, depth / 2
    return Hatch((last, half), (first, half)), Hatch((first, -half), (last, -half))
