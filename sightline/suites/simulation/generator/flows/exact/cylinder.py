"""Ideal flow past a cylinder: attached, or with the standing pair of vortices behind it that Föppl found."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.generator.case import Arrow, Case, Disc
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.flows.build import build_case
from sightline.suites.simulation.generator.flows.flow import Flow, FlowBoundary, draw_slip
from sightline.suites.simulation.generator.flows.fluids import GASES, GLYCOL, OIL, THIN, Fluid
from sightline.suites.simulation.generator.units import FLOW, IMPERIAL_FLOW

CRITICAL_REYNOLDS = 2.0e5
_CORE = 0.75
"""Radius within which a standing vortex turns like a solid, as a share of its distance from surface and middle line."""


class Cylinder(Struct, frozen=True, kw_only=True):
    """Radius, oncoming speed, distance of the standing vortices (0: none), and a leak through the surface."""

    fluid: Fluid
    radius: float
    speed: float
    vortex_distance: float
    """From the centre, in radii."""
    seepage: float

    @property
    def vortex_at(self) -> complex:
        """The upper vortex, on Föppl's curve r - a²/r = 2 y."""
        r = self.vortex_distance
        y = (r - 1 / r) / 2
        return complex(np.sqrt(r**2 - y**2), y) * self.radius

    @property
    def vortex_strength(self) -> float:
        """The circulation that keeps both at rest."""
        r = self.vortex_distance
        return float(2 * np.pi * self.speed * self.radius * (r**2 - 1) ** 2 * (r**2 + 1) / r**5)

    def velocity(self, x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        """From the complex potential; not a number within the cylinder."""
        z = np.asarray(x + 1j * y, dtype=np.complex128)
        inside = np.abs(z) < self.radius * (1 - 1e-9)
        # a harmless place instead of the singular ones within, which are blanked below
        z = np.where(inside, 2j * self.radius, z)
        flow = self.speed * (1 - (1 - self.seepage) * self.radius**2 / z**2)
        if self.vortex_distance:
            flow = flow + self._standing(z)
        return np.where(inside, np.nan, flow.real), np.where(inside, np.nan, -flow.imag)

    def _standing(self, z: NDArray[np.complex128]) -> NDArray[np.complex128]:
        at = self.vortex_at
        core = _CORE * min(abs(at) - self.radius, at.imag)
        mirrored = self.radius**2 / at.conjugate()

        def turning(centre: complex) -> NDArray[np.complex128]:
            away = z - centre
            return np.asarray(away.conj() / np.maximum(np.abs(away) ** 2, core**2))

        pairs = turning(at) - turning(at.conjugate())
        images = 1 / (z - mirrored) - 1 / (z - mirrored.conjugate())
        return np.asarray(1j * self.vortex_strength / (2 * np.pi) * (pairs - images))


def make(draw: ParameterRng) -> Case:
    """Slow and thick with standing vortices or without, or fast and thin."""
    is_fast = draw.chance(0.4)
    if is_fast:
        fluid, radius = draw.pick((*THIN, *GASES)), draw.between(0.05, 0.3)
        least = 2.5e5 * fluid.kinematic / (2 * radius)
        speed = draw.between(1.2 * least, 3 * least)
        if not fluid.is_liquid:
            speed = max(speed, draw.pick((20.0, 60.0, 80.0)))
    else:
        fluid, radius = draw.pick((GLYCOL, OIL)), draw.between(0.005, 0.05)
        speed = draw.between(12, 45) * fluid.kinematic / (2 * radius)
    cylinder = Cylinder(
        fluid=fluid,
        radius=radius,
        speed=speed,
        # a pair of vortices stands still behind slow cylinders only
        vortex_distance=draw.between(1.5, 2.1) if not is_fast and draw.chance(0.85) else 0.0,
        seepage=draw_slip(draw),
    )
    return build_case(draw, _make_flow(draw, cylinder))


def _make_flow(draw: ParameterRng, cylinder: Cylinder) -> Flow:
    a = cylinder.radius
    window = Window(-3.2 * a, 5.4 * a, -2.7 * a, 2.7 * a)
    return Flow(
        kind="cylinder",
        title="Ideal flow past a circular cylinder",
        units=draw.pick((FLOW, IMPERIAL_FLOW)),
        fluid=cylinder.fluid,
        window=window,
        velocity=cylinder.velocity,
        edges=(_surface(cylinder, "upper surface", 1), _surface(cylinder, "lower surface", -1)),
        length=2 * a,
        speed=cylinder.speed,
        reynolds=2 * a * cylinder.speed / cylinder.fluid.kinematic,
        critical_reynolds=CRITICAL_REYNOLDS,
        shows=draw.pick(("speed", "speed", "velocity")),
        geometry=(
            ("Diameter", 2 * a, "length"),
            ("Width of the domain", window.width, "length"),
            ("Height of the domain", window.height, "length"),
        ),
        set_up=(
            ("Oncoming flow", "uniform, along x"),
            ("Main direction", "x"),
            ("Model", "inviscid outer flow; standing vortices where the surface layer feeds them"),
        ),
        marks=(
            Disc((0.0, 0.0), a),
            *(Arrow(((-3.85 * a, f * a), (-3.3 * a, f * a))) for f in (-1.4, 0.0, 1.4)),
        ),
        margin=(0.75 * a, 0.1 * a),
        follows_lines=True,
    )


def _surface(cylinder: Cylinder, name: str, side: int) -> FlowBoundary:
    """Half of the surface, from the front to the rear; the stagnation points themselves belong to neither."""
    angle = np.linspace(np.pi - 0.02, 0.02, 161)
    x, y = np.cos(angle), side * np.sin(angle)
    return FlowBoundary(
        name=name,
        condition="no flow through",
        x=cylinder.radius * x,
        y=cylinder.radius * y,
        normal_x=x,
        normal_y=y,
        prescribed=lambda at_x, at_y: (np.zeros_like(at_x), np.zeros_like(at_y)),
        normal_only=True,
    )
