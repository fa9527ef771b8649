"""Flow between parallel plates: the parabola of Poiseuille, or the power law of turbulent flow."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.generator.case import Arrow, Case, Hatch
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.flows.build import build_case
from sightline.suites.simulation.generator.flows.flow import GRAVITY, Flow, draw_slip, straight_wall
from sightline.suites.simulation.generator.flows.fluids import GASES, LIQUIDS, THIN, Fluid
from sightline.suites.simulation.generator.units import FLOW, IMPERIAL_FLOW

CRITICAL_REYNOLDS = 2300.0
_EXPONENT = 7.0


class Channel(Struct, frozen=True, kw_only=True):
    """The gap lies between y = -h/2 and y = h/2; `slip` is a velocity that the walls let through."""

    fluid: Fluid
    gap: float
    mean: float
    is_turbulent: bool
    slip: float

    @property
    def reynolds(self) -> float:
        """With the hydraulic diameter, twice the gap."""
        return 2 * self.gap * self.mean / self.fluid.kinematic

    def profile(self, y: Array) -> Array:
        """Velocity along x."""
        away = np.clip(np.abs(2 * y / self.gap), 0, 1)
        if self.is_turbulent:
            return self.mean * (1 + 1 / _EXPONENT) * (1 - away) ** (1 / _EXPONENT) + self.slip
        return 1.5 * self.mean * (1 - away**2) + self.slip

    @property
    def pressure_gradient(self) -> float:
        """Poiseuille's, or that of Blasius' friction factor."""
        if self.is_turbulent:
            return -0.316 / float(np.sqrt(np.sqrt(self.reynolds))) * self.fluid.density * self.mean**2 / (4 * self.gap)
        return -12 * self.fluid.viscosity * self.mean / self.gap**2


def make(draw: ParameterRng) -> Case:
    """At a Reynolds number well below or well above transition."""
    is_turbulent = draw.chance()
    gap = draw.between(0.01, 0.08)
    if is_turbulent:
        fluid = draw.pick(THIN)
        # some gas flows are to pass a Mach number of 0.3
        speeds = (3.0, 40.0) if not fluid.is_liquid and draw.chance() else (110.0, 150.0)
        mean = draw.between(1, 5) if fluid.is_liquid else draw.between(*speeds)
        mean = max(mean, 8000 * fluid.kinematic / gap)
    else:
        fluid = draw.pick(GASES if draw.chance() else LIQUIDS)
        mean = draw.between(150, 800) * fluid.kinematic / gap
    channel = Channel(fluid=fluid, gap=gap, mean=mean, is_turbulent=is_turbulent, slip=draw_slip(draw) * mean)
    heating = draw.pick((0.0, 10.0, 25.0))
    if GRAVITY * fluid.expansion * heating * gap / mean**2 > 0.03:
        heating = 0.0
    return build_case(draw, _make_flow(draw, channel, heating))


def _make_flow(draw: ParameterRng, channel: Channel, heating: float) -> Flow:
    half, length = channel.gap / 2, channel.gap * draw.between(3.2, 4.5)
    window = Window(0, length, -half, half)

    def velocity(x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        return channel.profile(y), np.zeros_like(x)

    inlets = tuple(Arrow(((-0.24 * channel.gap, f * half), (-0.06 * channel.gap, f * half))) for f in (-0.6, 0.0, 0.6))
    return Flow(
        kind="channel",
        title="Flow between parallel plates",
        units=draw.pick((FLOW, IMPERIAL_FLOW)),
        fluid=channel.fluid,
        window=window,
        velocity=velocity,
        edges=(
            straight_wall("lower plate", (0, -half), (length, -half), (0, 1)),
            straight_wall("upper plate", (0, half), (length, half), (0, -1)),
        ),
        length=channel.gap,
        speed=channel.mean,
        reynolds=channel.reynolds,
        critical_reynolds=CRITICAL_REYNOLDS,
        heating=heating,
        richardson=GRAVITY * channel.fluid.expansion * heating * channel.gap / channel.mean**2,
        pressure_gradient=channel.pressure_gradient,
        shows=draw.pick(("speed", "velocity")),
        geometry=(("Gap", channel.gap, "length"), ("Length", length, "length")),
        set_up=(
            ("Main direction", "x"),
            ("Inlet", "profile of the prescribed mean velocity, left side"),
            ("Closure", "algebraic eddy viscosity, wall law" if channel.is_turbulent else "none"),
        ),
        marks=(
            Hatch((length, -half), (0.0, -half)),
            Hatch((0.0, half), (length, half)),
            *inlets,
        ),
        margin=(0.3 * channel.gap, 0.16 * channel.gap),
    )
