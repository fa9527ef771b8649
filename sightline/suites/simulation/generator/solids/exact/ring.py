"""A thick-walled ring under pressure from within or from outside (Lamé)."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.arrays import Array, Window, trapezoidal_integral
from sightline.suites.simulation.generator.case import Case, Line
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.solids.body import (
    Body,
    Support,
    circle,
    draw_material,
    draw_utilisation,
    grid_rows,
    is_bearable,
    load_for,
)
from sightline.suites.simulation.generator.solids.exact.build import build_exact_case
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
    hindered: float = 0.0
    """E alpha dT of the bore, from which the temperature falls to none at the rim as heat conduction has it."""

    @property
    def constants(self) -> tuple[float, float]:
        """A and B of Lamé's solution."""
        a2, b2 = self.inner**2, self.outer**2
        uniform = (self.bore_pressure * a2 - self.rim_pressure * b2) / (b2 - a2)
        return uniform, (self.bore_pressure - self.rim_pressure) * a2 * b2 / (b2 - a2)

    def radial_stress(self, r: Array) -> Array:
        """A - B / r², and what a hot bore adds."""
        uniform, decaying = self.constants
        return uniform - decaying / r**2 + self._thermal(r, -1)

    def hoop_stress(self, r: Array) -> Array:
        """A + B / r², and what a hot bore adds."""
        uniform, decaying = self.constants
        return uniform + decaying / r**2 + self._thermal(r, 1)

    def _thermal(self, r: Array, sign: int) -> Array:
        """Radial (-1) or hoop (1) stress of a logarithmic temperature (Timoshenko & Goodier, 151)."""
        a2, b2, ratio = self.inner**2, self.outer**2, float(np.log(self.outer / self.inner))
        far = a2 / (b2 - a2) * (1 + sign * b2 / r**2) * ratio
        return np.asarray(self.hindered / (2 * ratio) * ((1 + sign) / 2 - np.log(self.outer / r) - far))

    def stress(self, x: Array, y: Array) -> Components:
        """In x and y."""
        r = np.hypot(x, y)
        inside = (r >= self.inner * (1 - 1e-9)) & (r <= self.outer * (1 + 1e-9))
        r = np.where(inside, r, np.nan)
        return from_polar(self.radial_stress(r), self.hoop_stress(r), np.zeros_like(r), np.arctan2(y, x))

    def displacement(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Radial, in plane stress: the radius times the hoop strain."""
        # inside of the bore the solution has no meaning: it is held at its value there
        r = np.sqrt(np.maximum(x**2 + y**2, self.inner**2 / 2))
        grown = self.hindered * np.log(self.outer / r) / np.log(self.outer / self.inner)
        share = (self.hoop_stress(r) - self.material.poisson * self.radial_stress(r) + grown) / self.material.young
        return share * x, share * y

    @property
    def bending(self) -> float:
        """The peak of the straight line that has the moment of the hoop stress over the wall."""
        r = np.linspace(self.inner, self.outer, 2001)
        place = r - (self.inner + self.outer) / 2
        wall = self.outer - self.inner
        return abs(trapezoidal_integral(self.hoop_stress(r) * place, float(r[1] - r[0]))) * 6 / wall**2


def make(draw: ParameterRng) -> Case:
    """Under one of the two pressures, perhaps with a hot bore."""
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
    if draw.chance(0.6):
        thin = outer / (outer - unit.inner)
        unit = replace(unit, hindered=draw.pick((1.0, -1.0)) * draw.between(0.5, 4.0) * thin)
    use = draw_utilisation(draw)
    size = load_for(use, unit.material, unit.stress(*samples))
    if not is_bearable(unit.material, size * unit.hindered):
        unit = replace(unit, hindered=0.0)
        size = load_for(use, unit.material, unit.stress(*samples))
    pressures = {"bore_pressure": size * unit.bore_pressure, "rim_pressure": size * unit.rim_pressure}
    ring = replace(unit, hindered=size * unit.hindered, **pressures)
    return build_exact_case(draw, _body(draw, ring, samples))


def _body(draw: ParameterRng, ring: Ring, samples: tuple[Array, Array]) -> Body:
    outer = ring.outer
    r = np.linspace(ring.inner, outer, 2001)
    pushed = 2 * ring.thickness * (ring.bore_pressure * ring.inner - ring.rim_pressure * outer)
    held = -2 * ring.thickness * trapezoidal_integral(ring.hoop_stress(r), r[1] - r[0])
    return Body(
        kind="ring",
        title="Thick-walled ring under pressure",
        units=draw.pick((METRIC, IMPERIAL)),
        material=ring.material,
        window=Window(-outer, outer, -outer, outer).grown(0.35 * outer, 0.3 * outer),
        stress=ring.stress,
        displacement=ring.displacement,
        samples=samples,
        mesh_rows=grid_rows(samples[0].size),
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
        axial=abs(trapezoidal_integral(ring.hoop_stress(r), r[1] - r[0])) / (outer - ring.inner),
        bending=ring.bending,
        thermal=float(np.abs(replace(ring, bore_pressure=0.0, rim_pressure=0.0).hoop_stress(r)).max()),
        # a ring that may grow on all sides is not stressed by a uniform warming
        heating=ring.hindered / (ring.material.young * ring.material.expansion) or draw.pick((0.0, 0.0, 60.0)),
        heated="at the bore, none at the rim" if ring.hindered else "throughout",
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
