"""Computed parts along the x axis: cantilever, column, notched bar, strip between walls."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.case import Array, Hatch, Window
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.generator.solids.computed import part
from sightline.suites.simulation.generator.solids.computed.part import Cut, End, Part, Strut
from sightline.suites.simulation.generator.solids.facts import Load
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC
from sightline.suites.simulation.solvers.solids.elasticity import SupportCondition, traction_load
from sightline.suites.simulation.solvers.solids.mesh import Mesh, bar, notched_bar


def make_cantilever(draw: ParameterRng) -> Part:
    """Draw random parameters of a cantilever; the axial force leaves bending the larger share, or takes it."""
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
    material_fields = part.draw_material_fields(
        draw, part.draw_heat(draw), end.thickness, "on both sides, none on the axis", part.hot_sides(depth)
    )
    near = 0.45 * depth
    return Part(
        kind="cantilever",
        title="Cantilever beam with an end load",
        units=draw.pick((METRIC, IMPERIAL)),
        **material_fields,
        mesh=lambda fine: bar(length, depth, fine),
        coarse=4,
        fine=10,
        supports=lambda mesh: part.wall_supports(mesh, 0.0, "clamp at x = 0"),
        load=end.load,
        loads=end.arrows,
        load_rows=(("Fy at the tip", end.shear * end.area, "force"), ("Fx at the tip", end.along * end.area, "force")),
        geometry={"Length": length, "Depth": depth, "Width": end.thickness},
        cuts=part.vertical_cuts((0.02 * length, 0.3 * length, 0.6 * length), depth / 2),
        section=Cut((0.0, near), (length, near))
        if draw.chance()
        else part.vertical_cuts((0.25 * length,), depth / 2)[0],
        window=Window(0, length, -depth / 2, depth / 2).padded(*(m * length for m in (0.06, 0.22, 0.14, 0.14))),
        hatches=(part.hatch_at(0.0, 0.8 * depth),),
        length=length,
        signed=draw.chance(),
        strut=Strut(left=0.0, right=length, half_height=depth / 2),
        buckles_in_plane=True,
        max_overload=1.35,
    )


def make_column(draw: ParameterRng) -> Part:
    """Draw random parameters of a column; its head is free, or held sideways."""
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
    material_fields = part.draw_material_fields(
        draw, part.draw_heat(draw), end.thickness, "on both sides, none on the axis", part.hot_sides(depth)
    )

    def supports(mesh: Mesh) -> tuple[SupportCondition, ...]:
        head = SupportCondition(name="guide at x = L, uy", edges=part.edge_at(mesh, length), axis=1, on_average=True)
        foot = part.wall_supports(mesh, 0.0, "foot at x = 0")
        return (*foot, head) if head_held else foot

    return Part(
        kind="column",
        title="Column with a guided head" if head_held else "Column with a free head",
        units=draw.pick((METRIC, IMPERIAL)),
        **material_fields,
        mesh=lambda fine: bar(length, depth, fine),
        coarse=2,
        fine=6,
        supports=supports,
        load=end.load,
        loads=(Load(x=length, y=end.offset, fx=end.along, pushes=True),),
        load_rows=(("Fx at the head", end.along * end.area, "force"),),
        geometry={"Length": length, "Depth": depth, "Width": end.thickness, "Offset of the force along y": end.offset},
        cuts=part.vertical_cuts((0.05 * length, 0.5 * length, 0.9 * length), depth / 2),
        section=Cut((0.0, 0.4 * depth), (length, 0.4 * depth))
        if draw.chance()
        else part.vertical_cuts((0.5 * length,), depth / 2)[0],
        window=Window(0, length, -depth / 2, depth / 2).padded(*(m * length for m in (0.05, 0.16, 0.1, 0.1))),
        hatches=(part.hatch_at(0.0, 0.8 * depth), *(_guides(length, depth) if head_held else ())),
        length=length,
        signed=draw.chance(),
        buckles_in_plane=True,
        max_overload=1.25,
    )


def _guides(length: float, depth: float) -> tuple[Hatch, Hatch]:
    """Between which the head slides."""
    first, last, half = 0.91 * length, 1.03 * length, depth / 2
    return Hatch((last, half), (first, half)), Hatch((first, -half), (last, -half))


def make_notched(draw: ParameterRng) -> Part:
    """Draw random parameters of a notched bar."""
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
    material_fields = part.draw_material_fields(
        draw, part.draw_heat(draw), end.thickness, "at y = +-D/2, none on the axis", part.hot_sides(depth)
    )
    half, floor = depth / 2, -depth / 2 + (radius if both_sides else 0.0)
    return Part(
        kind="notched",
        title="Bar with two notches" if both_sides else "Bar with a notch",
        units=draw.pick((METRIC, IMPERIAL)),
        **material_fields,
        mesh=lambda fine: notched_bar(length, depth, radius, fine, both_sides=both_sides),
        coarse=12,
        fine=28,
        supports=lambda mesh: part.wall_supports(mesh, -length / 2, "grip at the left end"),
        load=end.load,
        loads=end.arrows,
        load_rows=(
            ("Fx at the right end", end.along * end.area, "force"),
            ("Mz at the right end", end.moment, "moment"),
        ),
        geometry={"Length": length, "Depth": depth, "Notch radius": radius, "Thickness": end.thickness},
        cuts=(*part.vertical_cuts((-0.45 * length, 0.45 * length), half), Cut((0.0, floor), (0.0, half - radius))),
        section=Cut((0.0, floor), (0.0, half - radius)),
        window=Window(-length / 2, length / 2, -half, half).padded(*(m * length for m in (0.06, 0.22, 0.1, 0.1))),
        hatches=(part.hatch_at(-length / 2, 0.65 * depth),),
        length=length,
        signed=draw.chance(0.4),
        strut=Strut(left=-length / 2, right=length / 2, half_height=half),
        max_overload=1.4,
    )


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


def make_strip(draw: ParameterRng) -> Part:
    """Draw random parameters of a strip between walls, heated or not; one end may be free, without thermal stress."""
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
    heat = part.Heat(size=draw.pick((1.0, 1.0, -1.0)) * draw.pick((0.0, 0.6, 1.0, 2.5)))
    material_fields = part.draw_material_fields(draw, heat, strip.thickness)

    def supports(mesh: Mesh) -> tuple[SupportCondition, ...]:
        left, right = part.wall_supports(mesh, 0.0, "wall at x = 0"), part.wall_supports(mesh, length, "wall at x = L")
        return left if is_free else (*left, *right)

    middle = 0.0 if draw.chance() else 0.45 * depth
    return Part(
        kind="strip",
        title="Strip between two walls" if not is_free else "Strip on one wall",
        units=draw.pick((METRIC, IMPERIAL)),
        **material_fields,
        mesh=lambda fine: bar(length, depth, fine),
        coarse=3,
        fine=8,
        supports=supports,
        load=strip.load,
        loads=strip.arrows,
        load_rows=(
            ("Drag along x on both long sides, in all", 2 * strip.drag * length * strip.thickness, "force"),
            ("Pressure upwards on the upper side, in all", strip.press * length * strip.thickness, "force"),
        ),
        geometry={"Length": length, "Depth": depth, "Width": strip.thickness},
        cuts=part.vertical_cuts((0.01 * length, 0.5 * length, 0.99 * length), depth / 2),
        section=Cut((0.0, middle), (length, middle)),
        window=Window(0, length, -depth / 2, depth / 2).expanded(0.1 * length, 0.17 * length),
        hatches=(
            part.hatch_at(0.0, 0.8 * depth),
            *(() if is_free else (part.hatch_at(length, 0.8 * depth, faces_left=True),)),
        ),
        length=length,
        signed=draw.chance(0.6),
        strut=Strut(left=0.0, right=length, half_height=depth / 2, both_clamped=not is_free),
        buckles_in_plane=True,
        max_overload=1.3,
    )
