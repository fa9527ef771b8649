"""A square array of eddies that decay by viscosity alone (Taylor and Green)."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.generator.case import Case, Line
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.flows.build import build_case
from sightline.suites.simulation.generator.flows.flow import Flow, FlowBoundary, draw_slip
from sightline.suites.simulation.generator.flows.fluids import GASES, LIQUIDS, Fluid
from sightline.suites.simulation.generator.units import FLOW, SMALL_FLOW

CRITICAL_REYNOLDS = 2000.0


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


def make(draw: ParameterRng) -> Case:
    """At Reynolds numbers at which the eddies stay in order."""
    fluid = draw.pick(GASES if draw.chance() else LIQUIDS)
    cell = draw.between(0.01, 0.1)
    speed = draw.between(60, 900) * fluid.kinematic / cell
    rate = 2 * fluid.kinematic * (np.pi / cell) ** 2
    duration = float(f"{draw.between(0.5, 1.0) / rate:.3g}")
    rough = TaylorGreen(fluid=fluid, cell=cell, speed=speed, duration=duration, shift=(0.0, 0.0), drift=0.0)
    eddies = TaylorGreen(
        fluid=fluid,
        cell=cell,
        speed=speed,
        duration=duration,
        # along y a shift by half an eddy leaves the pattern its own mirror image, one by a third does not; along x
        # the shift lets fluid cross the sides
        shift=(0.2 * cell, cell * draw.pick((0.0, 0.5, 0.31))),
        drift=draw_slip(draw) * speed * rough.decay(duration),
    )
    return build_case(draw, _make_flow(draw, eddies))


def _make_flow(draw: ParameterRng, eddies: TaylorGreen) -> Flow:
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
        critical_reynolds=CRITICAL_REYNOLDS,
        duration=eddies.duration,
        shows=draw.pick(("speed", "vorticity")),
        geometry=(("Side of the square", side, "length"), ("Size of an eddy", eddies.cell, "length")),
        set_up=(
            ("Initial velocity", "sine and cosine waves along x and y"),
            ("Speed at the begin, highest", FLOW.show(eddies.speed, "speed")),
            ("Main direction", "x"),
            ("Closure", "none"),
        ),
        marks=(Line(((0, 0), (side, 0), (side, side), (0, side), (0, 0))),),
        margin=(0.08 * side, 0.05 * side),
        station=0.6,
        has_through_flow=False,
        follows_lines=True,
    )
