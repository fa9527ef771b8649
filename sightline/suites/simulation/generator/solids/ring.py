"""A thick-walled ring under pressure from within or from outside (Lamé)."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.arrays import Array, Window, integral
from sightline.suites.simulation.generator.case import Case, Line
from sightline.suites.simulation.generator.draw import Draw
from sightline.suites.simulation.generator.solids.body import (
    Body,
    Support,
    circle,
    draw_material,
    draw_utilisation,
    load_for,
)
from sightline.suites.simulation.generator.solids.build import build
from sightline.suites.simulation.generator.solids.facts import Balance, Load
from sightline.suites.simulation.generator.solids.materials import Material
from sightline.suites.simulation.generator.solids.stress import Components, from_polar
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC


class Ring(Struct, frozen=True, kw_only=True):
    """Radii, thickness out of the plane, and the pressures at bore and rim."""

    material: Material
    inner: float
    outer: float
    thickness: float
    bore_pressure: float
    rim_pressure: float

    @property
    def constants(self) -> tuple[float, float]:
        """A and B of Lamé's solution."""
        a2, b2 = self.inner**2, self.outer**2
        uniform = (self.bore_pressure * a2 - self.rim_pressure * b2) / (b2 - a2)
        return uniform, (self.bore_pressure - self.rim_pressure) * a2 * b2 / (b2 - a2)

    def radial_stress(self, r: Array) -> Array:
        """A - B / r²."""
        uniform, decaying = self.constants
        return uniform - decaying / r**2

    def hoop_stress(self, r: Array) -> Array:
        """A + B / r²."""
        uniform, decaying = self.constants
        return uniform + decaying / r**2

    def stress(self, x: Array, y: Array) -> Components:
        """In x and y."""
        r = np.hypot(x, y)
        inside = (r >= self.inner * (1 - 1e-9)) & (r <= self.outer * (1 + 1e-9))
        r = np.where(inside, r, np.nan)
        return from_polar(self.radial_stress(r), self.hoop_stress(r), np.zeros_like(r), np.arctan2(y, x))

    def displacement(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Radial, in plane stress."""
        uniform, decaying = self.constants
        # inside of the bore the solution has no meaning: it is held at its value there
        r2 = np.maximum(x**2 + y**2, self.inner**2 / 2)
        nu = self.material.poisson
        share = ((1 - nu) * uniform + (1 + nu) * decaying / r2) / self.material.young
        return share * x, share * y


def make(draw: Draw) -> Case:
    """Under one of the two pressures."""
    outer = draw.between(0.06, 0.4)
    from_within = draw.chance(0.6)
    unit = Ring(
        material=draw_material(draw),
        inner=outer * draw.between(0.4, 0.72),
        outer=outer,
        thickness=outer * draw.between(0.1, 0.5),
        bore_pressure=1.0 if from_within else 0.0,
        rim_pressure=0.0 if from_within else 1.0,
    )
    r = np.linspace(unit.inner, unit.outer, 61)
    angle = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    samples = np.outer(np.cos(angle), r), np.outer(np.sin(angle), r)
    size = load_for(draw_utilisation(draw), unit.material, unit.stress(*samples))
    ring = replace(unit, bore_pressure=size * unit.bore_pressure, rim_pressure=size * unit.rim_pressure)
    return build(draw, _body(draw, ring, samples))


def _body(draw: Draw, ring: Ring, samples: tuple[Array, Array]) -> Body:
    outer = ring.outer
    r = np.linspace(ring.inner, outer, 2001)
    pushed = 2 * ring.thickness * (ring.bore_pressure * ring.inner - ring.rim_pressure * outer)
    held = -2 * ring.thickness * integral(ring.hoop_stress(r), r[1] - r[0])
    return Body(
        kind="ring",
        title="Thick-walled ring under pressure",
        units=draw.pick((METRIC, IMPERIAL)),
        material=ring.material,
        window=Window(-outer, outer, -outer, outer).grown(0.35 * outer, 0.3 * outer),
        stress=ring.stress,
        displacement=ring.displacement,
        samples=samples,
        outlines=(circle(outer), circle(ring.inner)),
        supports=(
            Support(name="symmetry plane y = 0", at=(outer, 0.0), direction=(0.0, 1.0)),
            Support(name="symmetry plane x = 0", at=(0.0, outer), direction=(1.0, 0.0)),
        ),
        loads=_arrows(ring),
        balances=(Balance("Fy of the half y > 0", "force", pushed, held),),
        geometry=(
            ("Inner radius", ring.inner, "length"),
            ("Outer radius", outer, "length"),
            ("Thickness", ring.thickness, "length"),
        ),
        load_rows=(
            ("Pressure at the bore", ring.bore_pressure, "stress"),
            ("Pressure at the rim", ring.rim_pressure, "stress"),
        ),
        section=((ring.inner, 0.0), (outer, 0.0)),
        axial=float(np.abs(ring.hoop_stress(r)).max()),
        # a ring that may grow on all sides is not stressed by a uniform warming
        heating=draw.pick((0.0, 0.0, 60.0)),
        length=2 * outer,
        marks=(
            Line(((-1.25 * outer, 0.0), (1.25 * outer, 0.0)), "#57606a", 1.0, dashed=True),
            Line(((0.0, -1.25 * outer), (0.0, 1.25 * outer)), "#57606a", 1.0, dashed=True),
        ),
    )


def _arrows(ring: Ring) -> tuple[Load, ...]:
    """The pressure as forces on a dozen points of the loaded edge."""
    radius, sense = (ring.inner, 1) if ring.bore_pressure else (ring.outer, -1)
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False) + np.pi / 12
    return tuple(
        Load(
            x=radius * float(np.cos(a)),
            y=radius * float(np.sin(a)),
            fx=sense * float(np.cos(a)),
            fy=sense * float(np.sin(a)),
            pushes=True,
        )
        for a in angles
    )
