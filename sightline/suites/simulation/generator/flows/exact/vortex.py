"""A single vortex whose core spreads (Lamb and Oseen), with molecular or with eddy viscosity."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.generator.case import Case, Line
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.flows.build import build_case
from sightline.suites.simulation.generator.flows.flow import Flow, FlowBoundary, draw_slip
from sightline.suites.simulation.generator.flows.fluids import GASES, LIQUIDS, THIN, Fluid
from sightline.suites.simulation.generator.units import FLOW, IMPERIAL_FLOW, SMALL_FLOW

CRITICAL_REYNOLDS = 2.0e4


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


def make(draw: ParameterRng) -> Case:
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
    return build_case(draw, _make_flow(draw, vortex, reynolds))


def _make_flow(draw: ParameterRng, vortex: Vortex, reynolds: float) -> Flow:
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
        critical_reynolds=CRITICAL_REYNOLDS,
        duration=vortex.duration,
        shows=draw.pick(("speed", "speed", "vorticity")),
        geometry=(
            ("Width of the domain", 2 * half_x, "length"),
            ("Height of the domain", 2 * half_y, "length"),
            ("Core radius at the begin", core, "length"),
            ("Centre x", vortex.centre[0], "length"),
            ("Centre y", vortex.centre[1], "length"),
        ),
        set_up=(
            ("Circulation", FLOW.show(vortex.circulation, "circulation")),
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
    pure = Vortex(
        fluid=vortex.fluid,
        circulation=vortex.circulation,
        core=vortex.core,
        centre=vortex.centre,
        viscosity=vortex.viscosity,
        duration=vortex.duration,
        drift=0.0,
    )
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
