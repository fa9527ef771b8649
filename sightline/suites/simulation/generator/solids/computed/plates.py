"""Computed plates: with a round hole, half of a ring under pressure, angle bracket with a fillet."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.case import Array, Hatch, Line, Window
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.generator.solids.computed import part
from sightline.suites.simulation.generator.solids.computed.part import Cut, End, Part, Strut
from sightline.suites.simulation.generator.solids.facts import Load
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC
from sightline.suites.simulation.solvers.solids.elasticity import SupportCondition, pressure_load, traction_load
from sightline.suites.simulation.solvers.solids.mesh import Mesh, bracket, half_ring, plate_with_hole


class HolePlate(Struct, frozen=True, kw_only=True):
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
        right = part.edge_at(mesh, self.half_length)
        forces = traction_load(mesh, right, self.thickness, lambda x, y: (self.along + self.bend * y / size, 0 * y))
        if self.sideways:
            sides = mesh.edge(lambda x, y: np.abs(np.abs(y) - size) < 1e-6 * size)
            forces += traction_load(mesh, sides, self.thickness, lambda x, y: (0 * x, self.sideways * np.sign(y)))
        return forces


def make_plate(draw: ParameterRng) -> Part:
    """Draw random parameters of a plate with a hole."""
    hole = draw.between(0.008, 0.05)
    sense, loading = draw.pick((1.0, -1.0, -1.0)), draw.pick(("pull", "both", "bend"))
    shape = HolePlate(
        hole=hole,
        half_length=hole * draw.between(5.0, 6.5),
        half_width=hole * draw.between(2.6, 4.2),
        thickness=hole * draw.spread(0.05, 0.5),
        along=0.0 if loading == "bend" else sense,
        sideways=draw.pick((0.9, -0.6)) * sense if loading == "both" else 0.0,
        bend=1.0 if loading == "bend" else 0.0,
    )
    material_fields = part.draw_material_fields(
        draw,
        part.draw_heat(draw, 3.0),
        shape.thickness,
        "at the hole, falling with 1/r2",
        lambda kelvin, x, y: kelvin * hole**2 / (x**2 + y**2),
    )
    length, width = shape.half_length, shape.half_width
    above = 0.34 if shape.sideways else 0.12
    return Part(
        kind="plate",
        title="Plate with a round hole",
        units=draw.pick((METRIC, IMPERIAL)),
        **material_fields,
        mesh=lambda fine: plate_with_hole(length, width, hole, fine),
        coarse=5,
        fine=12,
        supports=lambda mesh: part.wall_supports(mesh, -length, "grip at the left edge"),
        load=shape.load,
        loads=_plate_arrows(shape),
        load_rows=(
            ("Mean traction on the edge x = L/2", shape.along, "stress"),
            ("Traction on the edges y = +-W/2", shape.sideways, "stress"),
            ("Linear traction on x = L/2, at y = W/2", shape.bend, "stress"),
        ),
        geometry={"Length": 2 * length, "Width": 2 * width, "Hole diameter": 2 * hole, "Thickness": shape.thickness},
        cuts=part.vertical_cuts((-0.7 * length, 0.0, 0.7 * length), width),
        section=Cut((0.0, hole), (0.0, width)),
        window=Window(-length, length, -width, width).padded(*(length * m for m in (0.1, 0.42, above, above))),
        hatches=(part.hatch_at(-length, 1.0 * width),),
        length=2 * length,
        signed=draw.chance(0.4),
        strut=Strut(left=-length, right=length, half_height=width),
    )


def _plate_arrows(shape: HolePlate) -> tuple[Load, ...]:
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


def make_ring(draw: ParameterRng) -> Part:
    """Draw random parameters of a ring; the nominal stress is that of a thin ring."""
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
    material_fields = part.draw_material_fields(
        draw,
        part.draw_heat(draw, 2.0),
        ring.thickness,
        "at the bore, none at the rim",
        # steady conduction from a hot bore: a logarithm
        lambda kelvin, x, y: kelvin * np.log(outer / np.hypot(x, y)) / np.log(outer / inner),
    )
    tips = ((0.0, inner), (0.0, outer)), ((0.0, -outer), (0.0, -inner))
    return Part(
        kind="ring",
        title="Thick-walled ring, half x > 0",
        units=draw.pick((METRIC, IMPERIAL)),
        **material_fields,
        mesh=lambda fine: half_ring(inner, outer, fine),
        coarse=3,
        fine=8,
        supports=lambda mesh: part.wall_supports(mesh, 0.0, "plane x = 0"),
        load=ring.load,
        loads=ring.arrows,
        load_rows=(
            ("Largest pressure at the bore", ring.bore, "stress"),
            ("Largest pressure at the rim", ring.rim, "stress"),
        ),
        geometry={"Inner radius": inner, "Outer radius": outer, "Thickness": ring.thickness},
        cuts=(Cut((inner, 0.0), (outer, 0.0)), *(Cut(*tip) for tip in tips)),
        section=Cut((inner, 0.0), (outer, 0.0)),
        window=Window(0, outer, -outer, outer).padded(*(m * outer for m in (0.2, 0.5, 0.25, 0.25))),
        hatches=tuple(Hatch(*tip) for tip in tips),
        length=2 * outer,
        marks=(Line(((-0.15 * outer, 0.0), (1.25 * outer, 0.0)), "#57606a", 1.0, dashed=True),),
        max_overload=1.4,
    )


def make_bracket(draw: ParameterRng) -> Part:
    """Draw random parameters of a bracket."""
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
    half = depth / 2
    material_fields = part.draw_material_fields(
        draw,
        part.draw_heat(draw, 1.2),
        end.thickness,
        "at the inner corner",
        lambda kelvin, x, y: kelvin * np.exp(-(((x - depth) ** 2 + (y - half) ** 2) / depth**2)),
    )
    knee = depth + fillet
    leg, post = Cut((1.05 * knee, -half), (1.05 * knee, half)), Cut((0.0, 1.05 * knee), (depth, 1.05 * knee))
    return Part(
        kind="bracket",
        title="Angle bracket with a fillet",
        units=draw.pick((METRIC, IMPERIAL)),
        **material_fields,
        mesh=lambda fine: bracket(reach, height, depth, fillet, fine),
        coarse=8,
        fine=18,
        supports=lambda mesh: _bracket_supports(mesh, height),
        load=end.load,
        loads=end.arrows,
        load_rows=(
            ("Fx at the end of the leg", end.along * end.area, "force"),
            ("Fy at the end of the leg", end.shear * end.area, "force"),
        ),
        geometry={
            "Reach of the leg along x": reach,
            "Height of the post above the x axis": height,
            "Depth of leg and post": depth,
            "Fillet radius": fillet,
            "Thickness": end.thickness,
        },
        cuts=(leg, post, Cut((0.0, 0.95 * height), (depth, 0.95 * height))),
        section=leg if draw.chance() else post,
        window=Window(0, reach, -half, height).padded(*(m * reach for m in (0.12, 0.2, 0.18, 0.1))),
        hatches=(Hatch((-0.25 * depth, height), (1.25 * depth, height)),),
        length=reach,
        max_overload=1.4,
    )


def _bracket_supports(mesh: Mesh, height: float) -> tuple[SupportCondition, ...]:
    """The top of the post stays level, and does not move sideways on the average."""
    top = mesh.edge(lambda x, y: y > height * (1 - 1e-6))
    return (
        SupportCondition(name="top of the post, uy", edges=top, axis=1),
        SupportCondition(name="top of the post, ux", edges=top, axis=0, on_average=True),
    )
