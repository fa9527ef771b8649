"""Flow dragged along by a moving wall, perhaps against a pressure, perhaps beside a hot wall."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.generator.case import Annotation, Arrow, Case, Hatch, TextNote
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.flows.build import build_case
from sightline.suites.simulation.generator.flows.flow import GRAVITY, Flow, draw_slip, straight_wall
from sightline.suites.simulation.generator.flows.fluids import GASES, LIQUIDS, THIN, Fluid
from sightline.suites.simulation.generator.units import FLOW, IMPERIAL_FLOW, SMALL_FLOW

CRITICAL_REYNOLDS = 1500.0
_EXPONENT = 7.0


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


def make(draw: ParameterRng) -> Case:
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
    return build_case(draw, _make_flow(draw, couette, upright=variant == "upright"))


def _heating(draw: ParameterRng, fluid: Fluid, gap: float, wall: float) -> float:
    """For a Richardson number clearly on one side of 0.1."""
    richardson = draw.spread(0.25, 1.0) if draw.chance(0.75) else draw.spread(0.005, 0.05)
    return float(f"{richardson * wall**2 / (GRAVITY * fluid.expansion * gap):.2e}")


def _make_flow(draw: ParameterRng, couette: Couette, *, upright: bool) -> Flow:
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
        critical_reynolds=CRITICAL_REYNOLDS,
        richardson=couette.richardson,
        heating=couette.heating,
        pressure_gradient=couette.pressure_gradient,
        goes_up=upright,
        shows="velocity" if couette.push < 0 or upright else draw.pick(("speed", "velocity")),
        geometry=(
            ("Gap", couette.gap, "length"),
            ("Length", length, "length"),
            ("Speed of the wall", couette.wall, "speed"),
        ),
        set_up=(
            ("Main direction", "y, against gravity" if upright else "x, level"),
            ("Closure", "algebraic eddy viscosity, wall law" if couette.is_turbulent else "none"),
        ),
        marks=_marks(couette, length, upright=upright),
        margin=(0.42 * couette.gap, 0.14 * couette.gap) if upright else (0.14 * couette.gap, 0.3 * couette.gap),
        may_turn=not upright,
    )


def _marks(couette: Couette, length: float, *, upright: bool) -> tuple[Annotation, ...]:
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
