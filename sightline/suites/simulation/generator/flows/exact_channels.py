"""Closed-form flows between walls: Poiseuille, Couette, and natural convection in a tall slot."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import Annotation, Array, Arrow, Case, Hatch, TextNote, Window
from sightline.suites.simulation.generator.flows.case_builder import build_case
from sightline.suites.simulation.generator.flows.facts import GASES, LIQUIDS, THIN, Fluid
from sightline.suites.simulation.generator.flows.flow import GRAVITY, Flow, draw_slip, straight_wall
from sightline.suites.simulation.generator.rng import ParameterRng, round_significant
from sightline.suites.simulation.generator.units import FLOW, IMPERIAL_FLOW, SMALL_FLOW

_CHANNEL_TRANSITION = 2300.0
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


def make_channel(draw: ParameterRng) -> Case:
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
    return build_case(draw, _channel_flow(draw, channel, heating))


def _channel_flow(draw: ParameterRng, channel: Channel, heating: float) -> Flow:
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
        critical_reynolds=_CHANNEL_TRANSITION,
        heating=heating,
        richardson=GRAVITY * channel.fluid.expansion * heating * channel.gap / channel.mean**2,
        pressure_gradient=channel.pressure_gradient,
        shows=draw.pick(("speed", "velocity")),
        geometry={"Gap": channel.gap, "Length": length},
        set_up=(
            ("Main direction", "x"),
            ("Inlet", "profile of the prescribed mean velocity, left side"),
            ("Closure", "algebraic eddy viscosity, wall law" if channel.is_turbulent else "none"),
        ),
        marks=(Hatch((length, -half), (0.0, -half)), Hatch((0.0, half), (length, half)), *inlets),
        margin=(0.3 * channel.gap, 0.16 * channel.gap),
    )


_COUETTE_TRANSITION = 1500.0


class Couette(Struct, frozen=True, kw_only=True):
    """The wall at s = 1/2 moves, the one at s = -1/2 is at rest; s runs across the gap."""

    fluid: Fluid
    gap: float
    wall: float
    push: float
    """-h² (dp/dx) / (2 mu U): below -1 the flow runs backwards at the resting wall."""
    heating: float
    """The resting wall is warmer by so much; only of effect where the gap stands upright."""
    is_turbulent: bool
    slip: float

    @property
    def reynolds(self) -> float:
        """With gap and wall speed."""
        return self.gap * self.wall / self.fluid.kinematic

    @property
    def richardson(self) -> float:
        """Of gap, temperature difference and wall speed."""
        return GRAVITY * self.fluid.expansion * self.heating * self.gap / self.wall**2

    def profile(self, s: Array) -> Array:
        """Velocity along the walls: drag, pressure and buoyancy add up."""
        s = np.clip(s, -0.5, 0.5)
        if self.is_turbulent:
            # the power law holds from each wall up to the middle, where both halves meet
            drag = np.where(s < 0, 0.5 * (1 + 2 * s) ** (1 / _EXPONENT), 1 - 0.5 * (1 - 2 * s) ** (1 / _EXPONENT))
            return self.wall * drag + self.slip
        lift = GRAVITY * self.fluid.expansion * self.heating * self.gap**2 / (6 * self.fluid.kinematic)
        return self.wall * (0.5 + s + self.push * (0.25 - s**2)) + lift * (s**3 - s / 4) + self.slip

    @property
    def pressure_gradient(self) -> float:
        """Along the walls."""
        return -2 * self.fluid.viscosity * self.wall * self.push / self.gap**2


def make_couette(draw: ParameterRng) -> Case:
    """Plain, against or with a pressure, turbulent, or upright beside a hot wall."""
    variant = draw.pick(("plain", "pressure", "pressure", "turbulent", "upright", "upright"))
    gap = draw.between(0.004, 0.02)
    if variant == "turbulent":
        fluid = draw.pick(THIN)
        reynolds = draw.spread(6e3, 4e4)
    elif variant == "upright":
        # thin fluids in a wide gap: others would need temperatures that they don't survive
        fluid, gap = draw.pick(THIN), draw.between(0.012, 0.02)
        reynolds = draw.between(40, 160)
    else:
        fluid = draw.pick(GASES if draw.chance() else LIQUIDS)
        reynolds = draw.between(40, 400)
    wall = reynolds * fluid.kinematic / gap
    couette = Couette(
        fluid=fluid,
        gap=gap,
        wall=wall,
        push=draw.pick((-2.5, -3.5, 0.6, 1.5)) if variant == "pressure" else 0.0,
        heating=_heating(draw, fluid, gap, wall) if variant == "upright" else 0.0,
        is_turbulent=variant == "turbulent",
        slip=draw_slip(draw) * wall,
    )
    return build_case(draw, _couette_flow(draw, couette, upright=variant == "upright"))


def _heating(draw: ParameterRng, fluid: Fluid, gap: float, wall: float) -> float:
    """For a Richardson number clearly on one side of 0.1."""
    richardson = draw.spread(0.25, 1.0) if draw.chance(0.75) else draw.spread(0.005, 0.05)
    return float(f"{richardson * wall**2 / (GRAVITY * fluid.expansion * gap):.2e}")


def _couette_flow(draw: ParameterRng, couette: Couette, *, upright: bool) -> Flow:
    half = couette.gap / 2
    length = couette.gap * (2.6 if upright else draw.between(3.0, 4.2))
    window = Window(-half, half, 0, length) if upright else Window(0, length, -half, half)

    def velocity(x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        still = np.zeros_like(x)
        return (still, couette.profile(x / couette.gap)) if upright else (couette.profile(y / couette.gap), still)

    moving = (0.0, couette.wall) if upright else (couette.wall, 0.0)
    ends = ((0.0, 0.0), (0.0, length)) if upright else ((0.0, 0.0), (length, 0.0))
    shift, into = ((half, 0.0), (1.0, 0.0)) if upright else ((0.0, half), (0.0, 1.0))
    low, high = ([(x + side * shift[0], y + side * shift[1]) for x, y in ends] for side in (-1, 1))
    return Flow(
        kind="couette",
        title="Flow dragged by a moving wall",
        units=draw.pick((FLOW, SMALL_FLOW, IMPERIAL_FLOW)),
        fluid=couette.fluid,
        window=window,
        velocity=velocity,
        edges=(
            straight_wall("resting wall", low[0], low[1], into),
            straight_wall("moving wall", high[0], high[1], (-into[0], -into[1]), moving, "no slip, moving"),
        ),
        length=couette.gap,
        speed=couette.wall,
        reynolds=couette.reynolds,
        critical_reynolds=_COUETTE_TRANSITION,
        richardson=couette.richardson,
        heating=couette.heating,
        pressure_gradient=couette.pressure_gradient,
        goes_up=upright,
        shows="velocity" if couette.push < 0 or upright else draw.pick(("speed", "velocity")),
        geometry={"Gap": couette.gap, "Length": length},
        speeds={"Speed of the wall": couette.wall},
        set_up=(
            ("Main direction", "y, against gravity" if upright else "x, level"),
            ("Closure", "algebraic eddy viscosity, wall law" if couette.is_turbulent else "none"),
        ),
        marks=_couette_marks(couette, length, upright=upright),
        margin=(0.42 * couette.gap, 0.14 * couette.gap) if upright else (0.14 * couette.gap, 0.3 * couette.gap),
        may_turn=not upright,
    )


def _couette_marks(couette: Couette, length: float, *, upright: bool) -> tuple[Annotation, ...]:
    half, gap = couette.gap / 2, couette.gap
    if upright:
        return (
            Hatch((-half, 0.0), (-half, length)),
            Hatch((half, length), (half, 0.0)),
            Arrow(((half + 0.2 * gap, 0.3 * length), (half + 0.2 * gap, 0.7 * length))),
            Arrow(((-half - 0.25 * gap, 0.45 * length), (-half - 0.25 * gap, 0.25 * length)), "#24292f"),
            TextNote("g", (-half - 0.25 * gap, 0.5 * length)),
            TextNote("warm", (-half - 0.22 * gap, 0.9 * length)),
        )
    return (
        Hatch((length, -half), (0.0, -half)),
        Hatch((0.0, half), (length, half)),
        Arrow(((0.35 * length, half + 0.2 * gap), (0.65 * length, half + 0.2 * gap))),
    )


_SLOT_TRANSITION = 1150.0


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


def make_slot(draw: ParameterRng) -> Case:
    """At Grashof numbers for which the profile is stable; the mean flow weak, strong or none."""
    fluid, gap = draw.pick(THIN), draw.between(0.008, 0.03)
    grashof = draw.between(800, 6000)
    heating = round_significant(grashof * fluid.kinematic**2 / (GRAVITY * fluid.expansion * gap**3))
    richardson = draw.pick((0.0, draw.spread(0.3, 5.0), draw.spread(0.01, 0.05)))
    mean = float(np.sqrt(GRAVITY * fluid.expansion * heating * gap / richardson)) if richardson else 0.0
    slot = Slot(fluid=fluid, gap=gap, heating=heating, mean=round_significant(mean), slip=0.0)
    slot = replace(slot, slip=draw_slip(draw) * slot.speed)
    return build_case(draw, _slot_flow(draw, slot))


def _slot_flow(draw: ParameterRng, slot: Slot) -> Flow:
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
        critical_reynolds=_SLOT_TRANSITION,
        richardson=slot.richardson,
        heating=slot.heating,
        pressure_gradient=slot.pressure_gradient,
        goes_up=True,
        shows="velocity",
        geometry={"Gap w": slot.gap, "Height of the section": height},
        set_up=(
            ("Main direction", "y, against gravity"),
            (
                "Mean velocity through the slot",
                (FLOW if slot.mean > 0.1 else SMALL_FLOW).format_value(slot.mean, "speed"),
            ),
            ("Closure", "none, Boussinesq"),
        ),
        marks=_slot_marks(slot, height),
        margin=(0.42 * slot.gap, 0.14 * slot.gap),
        may_turn=False,
    )


def _slot_marks(slot: Slot, height: float) -> tuple[Annotation, ...]:
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
