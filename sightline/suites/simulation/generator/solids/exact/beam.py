"""A cantilever beam with a force at its tip, perhaps pulled or pushed along its axis as well."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.solids.body import (
    Body,
    clamp,
    draw_material,
    draw_utilisation,
    euler_load,
    grid_rows,
    is_bearable,
    load_for,
    rectangle,
    thermal_stress_of_hot_sides,
)
from sightline.suites.simulation.generator.solids.exact.build import build_exact_case
from sightline.suites.simulation.generator.solids.facts import Balance, Load
from sightline.suites.simulation.generator.solids.materials import Material
from sightline.suites.simulation.generator.solids.stress import Components
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC


class Beam(Struct, frozen=True, kw_only=True):
    """Clamped at x = 0; a tip force of `force` along y and of `force * pull` along x."""

    material: Material
    length: float
    depth: float
    width: float
    force: float
    pull: float
    hindered: float = 0.0
    """E alpha dT of its sides, which are warmer than its axis."""

    @property
    def area(self) -> float:
        """Of the cross-section."""
        return self.width * self.depth

    @property
    def inertia(self) -> float:
        """Second moment of area."""
        return self.width * self.depth**3 / 12

    def stress(self, x: Array, y: Array) -> Components:
        """N/A - M y / I with M = F (L - x), the parabola V Q / (I b), and what hot sides add."""
        inside = (x >= 0) & (x <= self.length) & (np.abs(y) <= self.depth / 2 * (1 + 1e-9))
        sx = self.force * (self.pull / self.area - (self.length - x) * y / self.inertia)
        sx = sx + thermal_stress_of_hot_sides(self.hindered, self.depth, y)
        txy = self.force / (2 * self.inertia) * (self.depth**2 / 4 - y**2)
        return np.where(inside, sx, np.nan), np.zeros_like(sx), np.where(inside, txy, np.nan)

    def displacement(self, x: Array, y: Array) -> tuple[Array, Array]:
        """The elastic line of the slender beam; sections stay plane."""
        stiffness = 6 * self.material.young * self.inertia
        along = np.clip(x, 0, None)
        slope = self.force * (6 * self.length * along - 3 * along**2) / stiffness
        stretch = (self.force * self.pull / self.area + self.hindered / 3) * x / self.material.young
        return stretch - y * slope, self.force * along**2 * (3 * self.length - along) / stiffness

    @property
    def window(self) -> Window:
        """The beam itself."""
        return Window(0, self.length, -self.depth / 2, self.depth / 2)


def make(draw: ParameterRng) -> Case:
    """Loaded upwards or downwards."""
    length = draw.between(0.5, 2.0)
    depth = length / draw.between(5.5, 10)
    unit = Beam(
        material=draw_material(draw),
        length=length,
        depth=depth,
        width=draw.spread(0.1, 0.8) * depth,
        force=draw.pick((-1.0, 1.0)),
        # beyond 6 L / h the axial stress is the larger one
        pull=draw.pick((0.0, 0.0, 15.0, -15.0, -15.0, -90.0)),
    )
    bent = unit.length * unit.depth / 2 / unit.inertia
    unit = replace(unit, hindered=draw.pick((1.0, -1.0)) * draw.between(0.4, 1.2) * bent if draw.chance() else 0.0)
    samples = unit.window.grid(121, 41)
    use = draw_utilisation(draw)
    size = load_for(use, unit.material, unit.stress(*samples))
    if not is_bearable(unit.material, size * unit.hindered):
        unit = replace(unit, hindered=0.0)
        size = load_for(use, unit.material, unit.stress(*samples))
    beam = replace(unit, force=size * unit.force, hindered=size * unit.hindered)
    return build_exact_case(draw, _body(draw, beam, samples))


def _body(draw: ParameterRng, beam: Beam, samples: tuple[Array, Array]) -> Body:
    moment, axial = beam.force * beam.length, beam.force * beam.pull
    arrows = (Load(x=beam.length, y=0.0, fy=beam.force), Load(x=beam.length, y=0.0, fx=axial, pushes=axial < 0))
    balances = (
        Balance("Fy", "force", beam.force, -beam.force),
        Balance("Mz", "moment", moment, -moment),
        Balance("Fx", "force", axial, -axial),
    )
    return Body(
        kind="beam",
        title="Cantilever beam with a tip load",
        units=draw.pick((METRIC, IMPERIAL)),
        material=beam.material,
        window=beam.window.padded(*(share * beam.length for share in (0.06, 0.2 if axial else 0.1, 0.14, 0.14))),
        stress=beam.stress,
        displacement=beam.displacement,
        samples=samples,
        mesh_rows=grid_rows(samples[0].size),
        outlines=(rectangle(beam.window),),
        supports=(clamp("clamp at x = 0", 0.0, beam.depth, (0.0, 1.0)),),
        loads=arrows if axial else arrows[:1],
        balances=balances if axial else balances[:2],
        geometry=(
            ("Length", beam.length, "length"),
            ("Depth", beam.depth, "length"),
            ("Width", beam.width, "length"),
        ),
        load_rows=(("Fy at the tip", beam.force, "force"), ("Fx at the tip", axial, "force")),
        section=((0.0, 0.45 * beam.depth), (beam.length, 0.45 * beam.depth))
        if draw.chance()
        else ((0.25 * beam.length, -beam.depth / 2), (0.25 * beam.length, beam.depth / 2)),
        signed=draw.chance(),
        axial=abs(axial) / beam.area,
        bending=abs(moment) * beam.depth / 2 / beam.inertia,
        thermal=2 / 3 * abs(beam.hindered),
        # a uniform warming strains a beam that is free at one end, and stresses it nowhere
        heating=beam.hindered / (beam.material.young * beam.material.expansion) or draw.pick((0.0, 0.0, 40.0)),
        squeeze=max(0.0, -axial),
        buckling_load=euler_load(beam.material, beam.depth * beam.width**3 / 12, beam.length, 2.0),
        heated="on both sides, none on the axis" if beam.hindered else "throughout",
        length=beam.length,
    )
