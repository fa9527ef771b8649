"""A round shaft in torsion, perhaps pulled or pushed along its axis as well; its cross-section is shown."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.arrays import Array, Point, Window
from sightline.suites.simulation.generator.case import Case, Line
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.solids.body import (
    Body,
    Support,
    circle,
    draw_material,
    draw_utilisation,
    euler_load,
    grid_rows,
    load_for,
)
from sightline.suites.simulation.generator.solids.exact.build import build_exact_case
from sightline.suites.simulation.generator.solids.facts import Balance, Load
from sightline.suites.simulation.generator.solids.materials import Material
from sightline.suites.simulation.generator.solids.stress import Components
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC


class Shaft(Struct, frozen=True, kw_only=True):
    """Clamped at one end; at the other a torque, and a force of `torque * pull` along the axis."""

    material: Material
    length: float
    inner: float
    outer: float
    torque: float
    pull: float

    @property
    def area(self) -> float:
        """Of the cross-section."""
        return float(np.pi * (self.outer**2 - self.inner**2))

    @property
    def polar_inertia(self) -> float:
        """Polar second moment of area."""
        return float(np.pi / 2 * (self.outer**4 - self.inner**4))

    def stress(self, x: Array, y: Array) -> Components:
        """N/A normal to the section, T r / J within it."""
        r = np.hypot(x, y)
        inside = (r >= self.inner * (1 - 1e-9)) & (r <= self.outer * (1 + 1e-9))
        normal = np.where(inside, self.torque * self.pull / self.area, np.nan)
        return normal, np.zeros_like(r), np.where(inside, self.torque * r / self.polar_inertia, np.nan)

    def displacement(self, x: Array, y: Array) -> tuple[Array, Array]:
        """The free end turns by T L / (G J)."""
        angle = self.torque * self.length / (self.material.shear_modulus * self.polar_inertia)
        return -angle * y, angle * x


def make(draw: ParameterRng) -> Case:
    """Solid or hollow, turned either way."""
    outer = draw.between(0.02, 0.08)
    unit = Shaft(
        material=draw_material(draw),
        length=outer * draw.between(14, 50),
        inner=draw.pick((0.0, 0.4, 0.6)) * outer,
        outer=outer,
        torque=draw.pick((-1.0, 1.0)),
        pull=draw.pick((0.0, 1.0, -1.0, -4.0)) / outer,
    )
    r = np.linspace(unit.inner, unit.outer, 61)
    angle = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    samples = np.outer(np.cos(angle), r), np.outer(np.sin(angle), r)
    size = load_for(draw_utilisation(draw), unit.material, unit.stress(*samples))
    shaft = replace(unit, torque=size * unit.torque)
    return build_exact_case(draw, _body(draw, shaft, samples))


def _body(draw: ParameterRng, shaft: Shaft, samples: tuple[Array, Array]) -> Body:
    outer, axial = shaft.outer, shaft.torque * shaft.pull
    corners = [(outer * float(np.cos(a)), outer * float(np.sin(a))) for a in (0.2, 2.3, 4.4)]
    balances = (Balance("Mx", "moment", shaft.torque, -shaft.torque), Balance("Fx", "force", axial, -axial))
    inertia = shaft.polar_inertia / 2
    return Body(
        kind="shaft",
        title="Round shaft in torsion, cross-section at the free end",
        units=draw.pick((METRIC, IMPERIAL)),
        material=shaft.material,
        window=Window(-outer, outer, -outer, outer).grown(0.35 * outer, 0.25 * outer),
        stress=shaft.stress,
        displacement=shaft.displacement,
        samples=samples,
        mesh_rows=grid_rows(samples[0].size),
        outlines=(circle(outer), *((circle(shaft.inner),) if shaft.inner else ()), *_spokes(shaft)),
        supports=(Support(name="axis at the clamped end", at=(0.0, 0.0), direction=(1.0, 0.0)),),
        loads=tuple(Load(x=x, y=y, torque=shaft.torque) for x, y in corners),
        balances=balances if axial else balances[:1],
        geometry=(
            ("Length", shaft.length, "length"),
            ("Outer diameter", 2 * outer, "length"),
            ("Bore diameter", 2 * shaft.inner, "length"),
        ),
        load_rows=(
            ("Torque Mx at the free end", shaft.torque, "moment"),
            ("Axial force at the free end", axial, "force"),
        ),
        section=((-outer, 0.0), (outer, 0.0)),
        axial=abs(axial) / shaft.area,
        torsion=abs(shaft.torque) * outer / shaft.polar_inertia,
        heating=draw.pick((0.0, 0.0, 30.0)),
        squeeze=max(0.0, -axial),
        buckling_load=euler_load(shaft.material, inertia, shaft.length, 2.0),
        length=shaft.length,
        marks=(
            Line(((-1.25 * outer, 0.0), (1.25 * outer, 0.0)), "#57606a", 1.0, dashed=True),
            Line(((0.0, -1.2 * outer), (0.0, 1.2 * outer)), "#57606a", 1.0, dashed=True),
        ),
    )


def _spokes(shaft: Shaft) -> tuple[tuple[Point, ...], ...]:
    """Radial lines that turn with the section, without which its turning could not be seen."""
    angles = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    return tuple(
        tuple((r * float(np.cos(a)), r * float(np.sin(a))) for r in (shaft.inner, shaft.outer)) for a in angles
    )
