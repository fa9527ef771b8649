"""A tall slot between a hot and a cold wall: the cubic profile of natural convection, perhaps with a forced flow."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.generator.case import Annotation, Arrow, Case, Hatch, TextNote
from sightline.suites.simulation.generator.draw import ParameterRng, round_significant
from sightline.suites.simulation.generator.flows.build import build_case
from sightline.suites.simulation.generator.flows.flow import GRAVITY, Flow, draw_slip, straight_wall
from sightline.suites.simulation.generator.flows.fluids import THIN, Fluid
from sightline.suites.simulation.generator.units import FLOW, SMALL_FLOW

CRITICAL_REYNOLDS = 1150.0


class Slot(Struct, frozen=True, kw_only=True):
    """Walls at x = -w/2 (hot) and x = w/2 (cold); the mean flow goes up."""

    fluid: Fluid
    gap: float
    heating: float
    mean: float
    slip: float

    @property
    def lift(self) -> float:
        """The velocity scale of buoyancy."""
        return GRAVITY * self.fluid.expansion * self.heating * self.gap**2 / (6 * self.fluid.kinematic)

    def profile(self, x: Array) -> Array:
        """Velocity along y: the cubic of buoyancy and the parabola of the mean flow."""
        s = np.clip(x / self.gap, -0.5, 0.5)
        return self.lift * (s**3 - s / 4) + 1.5 * self.mean * (1 - 4 * s**2) + self.slip

    @property
    def speed(self) -> float:
        """The mean flow, or where there is none the peak of the cubic."""
        return self.mean or self.lift / (12 * float(np.sqrt(3)))

    @property
    def richardson(self) -> float:
        """Of gap, temperature difference and reference speed."""
        return GRAVITY * self.fluid.expansion * self.heating * self.gap / self.speed**2

    @property
    def pressure_gradient(self) -> float:
        """Along y, without the weight of the fluid at its mean temperature."""
        return -12 * self.fluid.viscosity * self.mean / self.gap**2


def make(draw: ParameterRng) -> Case:
    """At Grashof numbers for which the profile is stable; the mean flow weak, strong or none."""
    fluid, gap = draw.pick(THIN), draw.between(0.008, 0.03)
    grashof = draw.between(800, 6000)
    heating = round_significant(grashof * fluid.kinematic**2 / (GRAVITY * fluid.expansion * gap**3))
    richardson = draw.pick((0.0, draw.spread(0.3, 5.0), draw.spread(0.01, 0.05)))
    mean = float(np.sqrt(GRAVITY * fluid.expansion * heating * gap / richardson)) if richardson else 0.0
    slot = Slot(fluid=fluid, gap=gap, heating=heating, mean=round_significant(mean), slip=0.0)
    slipping = Slot(fluid=fluid, gap=gap, heating=heating, mean=slot.mean, slip=draw_slip(draw) * slot.speed)
    return build_case(draw, _make_flow(draw, slipping))


def _make_flow(draw: ParameterRng, slot: Slot) -> Flow:
    half, height = slot.gap / 2, slot.gap * 2.6

    def velocity(x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        return np.zeros_like(x), slot.profile(x)

    return Flow(
        kind="slot",
        title="Tall slot between walls of different temperature",
        units=draw.pick((FLOW, SMALL_FLOW)),
        fluid=slot.fluid,
        window=Window(-half, half, 0, height),
        velocity=velocity,
        edges=(
            straight_wall("wall at x = -w/2", (-half, 0), (-half, height), (1, 0)),
            straight_wall("wall at x = w/2", (half, 0), (half, height), (-1, 0)),
        ),
        length=slot.gap,
        speed=slot.speed,
        reynolds=slot.gap * slot.speed / slot.fluid.kinematic,
        critical_reynolds=CRITICAL_REYNOLDS,
        richardson=slot.richardson,
        heating=slot.heating,
        pressure_gradient=slot.pressure_gradient,
        goes_up=True,
        shows="velocity",
        geometry=(("Gap w", slot.gap, "length"), ("Height of the section", height, "length")),
        set_up=(
            ("Main direction", "y, against gravity"),
            ("Mean velocity through the slot", (FLOW if slot.mean > 0.1 else SMALL_FLOW).show(slot.mean, "speed")),
            ("Closure", "none, Boussinesq"),
        ),
        marks=_marks(slot, height),
        margin=(0.42 * slot.gap, 0.14 * slot.gap),
        may_turn=False,
    )


def _marks(slot: Slot, height: float) -> tuple[Annotation, ...]:
    half, gap = slot.gap / 2, slot.gap
    through = (Arrow(((0.0, -0.13 * gap), (0.0, 0.03 * gap))),) if slot.mean else ()
    return (
        Hatch((-half, 0.0), (-half, height)),
        Hatch((half, height), (half, 0.0)),
        TextNote("hot", (-half - 0.24 * gap, 0.85 * height)),
        TextNote("cold", (half + 0.26 * gap, 0.85 * height)),
        Arrow(((half + 0.26 * gap, 0.45 * height), (half + 0.26 * gap, 0.25 * height)), "#24292f"),
        TextNote("g", (half + 0.26 * gap, 0.5 * height)),
        *through,
    )
