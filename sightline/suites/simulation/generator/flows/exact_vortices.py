"""Closed-form flows with vortices: past a cylinder (Föppl), decaying (Taylor–Green), spreading (Lamb–Oseen)."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.suites.simulation.generator.case import Array, Arrow, Case, Disc, Line, Window
from sightline.suites.simulation.generator.flows.case_builder import build_case
from sightline.suites.simulation.generator.flows.facts import GASES, GLYCOL, LIQUIDS, OIL, THIN, Fluid
from sightline.suites.simulation.generator.flows.flow import Flow, FlowBoundary, draw_slip
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.generator.units import FLOW, IMPERIAL_FLOW, SMALL_FLOW

_CYLINDER_TRANSITION = 2.0e5
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


def make_cylinder(draw: ParameterRng) -> Case:
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
    return build_case(draw, _cylinder_flow(draw, cylinder))


def _cylinder_flow(draw: ParameterRng, cylinder: Cylinder) -> Flow:
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
        critical_reynolds=_CYLINDER_TRANSITION,
        shows=draw.pick(("speed", "speed", "velocity")),
        geometry={"Diameter": 2 * a, "Width of the domain": window.width, "Height of the domain": window.height},
        set_up=(
            ("Oncoming flow", "uniform, along x"),
            ("Main direction", "x"),
            ("Model", "inviscid outer flow; standing vortices where the surface layer feeds them"),
        ),
        marks=(Disc((0.0, 0.0), a), *(Arrow(((-3.85 * a, f * a), (-3.3 * a, f * a))) for f in (-1.4, 0.0, 1.4))),
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
        normal_only=True,
    )


_EDDIES_TRANSITION = 2000.0


class TaylorGreen(Struct, frozen=True, kw_only=True):
    """Eddies of size `cell`; the pattern is shifted against the origin. `drift` spoils its period along x."""

    fluid: Fluid
    cell: float
    speed: float
    duration: float
    shift: tuple[float, float]
    drift: float

    @property
    def wave(self) -> float:
        """The wave number."""
        return float(np.pi / self.cell)

    def decay(self, time: float) -> float:
        """exp(-2 nu k² t)."""
        return float(np.exp(-2 * self.fluid.kinematic * self.wave**2 * time))

    def velocity(self, x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        """The stream function cos kx cos ky, decaying."""
        a, b = self.wave * (x - self.shift[0]), self.wave * (y - self.shift[1])
        size = self.speed * self.decay(moment * self.duration)
        u, v = -size * np.cos(a) * np.sin(b), size * np.sin(a) * np.cos(b)
        return u, v + self.drift * x / (2 * self.cell)


def make_taylor_green(draw: ParameterRng) -> Case:
    """At Reynolds numbers at which the eddies stay in order."""
    fluid = draw.pick(GASES if draw.chance() else LIQUIDS)
    cell = draw.between(0.01, 0.1)
    speed = draw.between(60, 900) * fluid.kinematic / cell
    rate = 2 * fluid.kinematic * (np.pi / cell) ** 2
    duration = float(f"{draw.between(0.5, 1.0) / rate:.3g}")
    eddies = TaylorGreen(fluid=fluid, cell=cell, speed=speed, duration=duration, shift=(0.0, 0.0), drift=0.0)
    # along y a shift by half an eddy leaves the pattern its own mirror image, one by a third does not; along x
    # the shift lets fluid cross the sides
    shift = (0.2 * cell, cell * draw.pick((0.0, 0.5, 0.31)))
    eddies = replace(eddies, shift=shift, drift=draw_slip(draw) * speed * eddies.decay(duration))
    return build_case(draw, _taylor_green_flow(draw, eddies))


def _taylor_green_flow(draw: ParameterRng, eddies: TaylorGreen) -> Flow:
    side = 2 * eddies.cell
    end_speed = eddies.speed * eddies.decay(eddies.duration)
    y = np.linspace(0, side, 81)
    zero, one = np.zeros_like(y), np.ones_like(y)
    return Flow(
        kind="taylor_green",
        title="Decaying array of eddies",
        units=draw.pick((FLOW, SMALL_FLOW)),
        fluid=eddies.fluid,
        window=Window(0, side, 0, side),
        velocity=eddies.velocity,
        edges=(
            FlowBoundary(
                name="right side",
                condition="as left side",
                x=side * one,
                y=y,
                normal_x=-one,
                normal_y=zero,
                prescribed=lambda at_x, at_y: eddies.velocity(np.zeros_like(at_x), at_y, 1.0),
                is_wall=False,
            ),
        ),
        length=eddies.cell,
        speed=end_speed,
        reynolds=end_speed * eddies.cell / eddies.fluid.kinematic,
        critical_reynolds=_EDDIES_TRANSITION,
        duration=eddies.duration,
        shows=draw.pick(("speed", "vorticity")),
        geometry={"Side of the square": side, "Size of an eddy": eddies.cell},
        set_up=(
            ("Initial velocity", "sine and cosine waves along x and y"),
            ("Speed at the begin, highest", FLOW.format_value(eddies.speed, "speed")),
            ("Main direction", "x"),
            ("Closure", "none"),
        ),
        marks=(Line(((0, 0), (side, 0), (side, side), (0, side), (0, 0))),),
        margin=(0.08 * side, 0.05 * side),
        station=0.6,
        has_through_flow=False,
        follows_lines=True,
    )


_VORTEX_TRANSITION = 2.0e4


class Vortex(Struct, frozen=True, kw_only=True):
    """Circulation, first core radius and centre; `drift` is a wind that should not be there."""

    fluid: Fluid
    circulation: float
    core: float
    centre: tuple[float, float]
    viscosity: float
    """Kinematic, with the eddies' share."""
    duration: float
    drift: float

    def core_squared(self, time: float) -> float:
        """rc² + 4 nu t."""
        return self.core**2 + 4 * self.viscosity * time

    def swirl(self, r: Array, time: float) -> Array:
        """Velocity around the centre."""
        safe = np.maximum(r, 1e-9 * self.core)
        return self.circulation / (2 * np.pi * safe) * -np.expm1(-(safe**2) / self.core_squared(time))

    def velocity(self, x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        """In x and y."""
        dx, dy = x - self.centre[0], y - self.centre[1]
        r = np.maximum(np.hypot(dx, dy), 1e-9 * self.core)
        swirl = self.swirl(r, moment * self.duration) / r
        return -swirl * dy + self.drift, swirl * dx


def make_vortex(draw: ParameterRng) -> Case:
    """Weak and orderly, or strong with a core full of small eddies."""
    is_turbulent = draw.chance()
    fluid = draw.pick(THIN) if is_turbulent else draw.pick(GASES if draw.chance() else LIQUIDS)
    reynolds = draw.spread(6e4, 6e5) if is_turbulent else draw.spread(200, 4000)
    sense = draw.pick((-1, 1))
    core = draw.between(0.02, 0.2) if is_turbulent else draw.between(0.008, 0.05)
    viscosity = fluid.kinematic * (1 + (2e-3 * reynolds if is_turbulent else 0.0))
    circulation = reynolds * fluid.kinematic
    middle = (0.0, 0.0) if draw.chance() else (draw.pick((-1.1, 1.1)) * core, draw.pick((-0.9, 0.9)) * core)
    vortex = Vortex(
        fluid=fluid,
        circulation=sense * circulation,
        core=core,
        centre=middle,
        viscosity=viscosity,
        duration=float(f"{draw.between(0.8, 2.0) * core**2 / (4 * viscosity):.3g}"),
        drift=draw_slip(draw) * circulation / (2 * np.pi * core),
    )
    return build_case(draw, _vortex_flow(draw, vortex, reynolds))


def _vortex_flow(draw: ParameterRng, vortex: Vortex, reynolds: float) -> Flow:
    core, half_x, half_y = vortex.core, 5.2 * vortex.core, 4.0 * vortex.core
    return Flow(
        kind="vortex",
        title="Spreading vortex",
        units=draw.pick((FLOW, SMALL_FLOW, IMPERIAL_FLOW)),
        fluid=vortex.fluid,
        window=Window(-half_x, half_x, -half_y, half_y),
        velocity=vortex.velocity,
        edges=(_far(vortex, "left side", -half_x, half_y, 1.0), _far(vortex, "right side", half_x, half_y, -1.0)),
        length=core,
        speed=abs(vortex.circulation) / (2 * np.pi * core),
        reynolds=reynolds,
        critical_reynolds=_VORTEX_TRANSITION,
        duration=vortex.duration,
        shows=draw.pick(("speed", "speed", "vorticity")),
        geometry={
            "Width of the domain": 2 * half_x,
            "Height of the domain": 2 * half_y,
            "Core radius at the begin": core,
            "Centre x": vortex.centre[0],
            "Centre y": vortex.centre[1],
        },
        set_up=(
            ("Circulation", FLOW.format_value(vortex.circulation, "circulation")),
            ("Reynolds number from", "circulation over viscosity"),
            ("Main direction", "x"),
            ("Closure", "eddy viscosity, constant" if vortex.viscosity > vortex.fluid.kinematic else "none"),
        ),
        marks=(Line(((-half_x, -half_y), (half_x, -half_y), (half_x, half_y), (-half_x, half_y), (-half_x, -half_y))),),
        margin=(0.5 * core, 0.4 * core),
        has_through_flow=False,
        follows_lines=True,
    )


def _far(vortex: Vortex, name: str, at: float, half: float, inward: float) -> FlowBoundary:
    """A side on which the undisturbed vortex is prescribed."""
    y = np.linspace(-half, half, 81)
    pure = replace(vortex, drift=0.0)
    return FlowBoundary(
        name=name,
        condition="free vortex",
        x=np.full_like(y, at),
        y=y,
        normal_x=np.full_like(y, inward),
        normal_y=np.zeros_like(y),
        prescribed=lambda at_x, at_y: pure.velocity(at_x, at_y, 1.0),
        is_wall=False,
    )
