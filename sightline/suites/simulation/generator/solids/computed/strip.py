"""A strip between two walls, heated or cooled, with a pressure on its upper side or a drag along both sides."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.solids.computed.axis import heating_for_stress, plane_stress_material
from sightline.suites.simulation.generator.solids.computed.part import (
    Cut,
    Heat,
    Part,
    Strut,
    draw_part_material,
    hatch_at,
    vertical_cuts,
    wall_supports,
)
from sightline.suites.simulation.generator.solids.facts import Load
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC
from sightline.suites.simulation.solvers.solids.elasticity import traction_load
from sightline.suites.simulation.solvers.solids.mesh import Mesh
from sightline.suites.simulation.solvers.solids.shapes import bar
from sightline.suites.simulation.solvers.solids.supports import SupportCondition


class Strip(Struct, frozen=True, kw_only=True):
    """Tractions on the long sides: `drag` along x on both, `press` along y on the upper one."""

    length: float
    depth: float
    thickness: float
    drag: float
    press: float

    def load(self, mesh: Mesh) -> Array:
        """Forces on the nodes of the long sides."""
        half = self.depth / 2
        sides = mesh.edge(lambda x, y: np.abs(np.abs(y) - half) < 1e-6 * half)
        return traction_load(
            mesh, sides, self.thickness, lambda x, y: (self.drag + 0 * x, np.where(y > 0, self.press, 0.0))
        )

    @property
    def arrows(self) -> tuple[Load, ...]:
        """A row of them on the loaded sides."""
        half, places = self.depth / 2, (0.15, 0.38, 0.62, 0.85)
        if self.press:
            return tuple(Load(x=p * self.length, y=half, fy=self.press, pushes=self.press < 0) for p in places)
        return tuple(Load(x=p * self.length, y=side * half, fx=self.drag) for p in places[::2] for side in (1, -1))


def make(draw: ParameterRng) -> Part:
    """Parameters by chance; one end may be free to grow, where heat stresses nothing."""
    length = draw.between(0.5, 1.6)
    depth = length / draw.between(6, 13)
    is_pressed, is_free = draw.chance(), draw.chance(0.25)
    # a pressure bends a strip between walls by (L/h)^2 / 2, a drag pulls it by L/h on either side
    strip = Strip(
        length=length,
        depth=depth,
        thickness=draw.spread(0.15, 1.2) * depth,
        drag=0.0 if is_pressed else draw.pick((1.0, -1.0)) * depth / length,
        press=draw.pick((1.0, -1.0)) * 2 * (depth / length) ** 2 * (0.15 if is_free else 1.0) if is_pressed else 0.0,
    )
    heat = Heat(size=draw.pick((1.0, 1.0, -1.0)) * draw.pick((0.0, 0.6, 1.0, 2.5)))
    material = draw_part_material(draw, heat)
    kelvin = heating_for_stress(heat, material)

    def holds(mesh: Mesh) -> tuple[SupportCondition, ...]:
        left, right = wall_supports(mesh, 0.0, "wall at x = 0"), wall_supports(mesh, length, "wall at x = L")
        return left if is_free else (*left, *right)

    middle = 0.0 if draw.chance() else 0.45 * depth
    return Part(
        kind="strip",
        title="Strip between two walls" if not is_free else "Strip on one wall",
        units=draw.pick((METRIC, IMPERIAL)),
        material=material,
        elastic=plane_stress_material(material, strip.thickness),
        mesh=lambda fine: bar(length, depth, fine),
        coarse=3,
        fine=8,
        holds=holds,
        load=strip.load,
        heating=(lambda x, y: np.full_like(x, kelvin)) if heat.size else None,
        heat=kelvin,
        loads=strip.arrows,
        load_rows=(
            ("Drag along x on both long sides, in all", 2 * strip.drag * length * strip.thickness, "force"),
            ("Pressure upwards on the upper side, in all", strip.press * length * strip.thickness, "force"),
        ),
        geometry=(("Length", length, "length"), ("Depth", depth, "length"), ("Width", strip.thickness, "length")),
        cuts=vertical_cuts((0.01 * length, 0.5 * length, 0.99 * length), depth / 2),
        section=Cut((0.0, middle), (length, middle)),
        window=Window(0, length, -depth / 2, depth / 2).grown(0.1 * length, 0.17 * length),
        hatches=(hatch_at(0.0, 0.8 * depth), *(() if is_free else (hatch_at(length, 0.8 * depth, faces_left=True),))),
        length=length,
        signed=draw.chance(0.6),
        strut=Strut(left=0.0, right=length, half_height=depth / 2, both_clamped=not is_free),
        buckles_in_plane=True,
        most_over=1.3,
    )
