"""Setup of a computed flow: random parameters, expected answers, flow domain with defects, boundary segments."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import numpy as np
from msgspec import Struct, convert
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import Annotation, Array, Candidate, Case, Point
from sightline.suites.simulation.generator.flows.facts import GASES, LIQUIDS, THIN, WATER, Fluid
from sightline.suites.simulation.generator.flows.flow import GRAVITY, FlowBoundary
from sightline.suites.simulation.generator.rng import ParameterRng, round_significant
from sightline.suites.simulation.generator.units import FLOW, IMPERIAL_FLOW, SMALL_FLOW, Units
from sightline.suites.simulation.solvers.flows.flow_domain import (
    FLUID,
    Drain,
    FlowDomain,
    Patch,
    Places,
    framed_grid,
    uniform_velocity,
)

DEFECTS = ("none", "none", "slip", "porous", "drain", "drain")
"""A wall that slips breaks a boundary condition, a drain in the fluid the balance of mass, a porous wall both."""
STOPS = ("settled", "settled", "settled", "early", "moving", "moving")
"""Marched until the residuals are low; until they are low but not enough; or only through the first motions."""


class ParameterRanges(Struct, frozen=True, kw_only=True):
    """Parameter ranges of a kind of flow."""

    laminar: tuple[float, float]
    """Reynolds numbers below transition, and above."""
    turbulent: tuple[float, float]
    transition: float
    heats: float = 0.5
    """Share of the draws with a temperature difference."""
    small: tuple[float, float] = (8e-4, 3e-2)
    """Reference lengths in metres, below transition and above."""
    large: tuple[float, float] = (0.03, 0.8)
    defects: tuple[str, ...] = DEFECTS
    stops: tuple[str, ...] = STOPS
    turbulent_share: float = 0.5
    richardson: float = 0.0
    """Where buoyancy alone drives the flow, and so sets its speed."""


_RANGES_TEXT = files(__package__).joinpath("ranges.toml").read_text("utf-8")
RANGES = convert(tomllib.loads(_RANGES_TEXT), dict[str, ParameterRanges])


class FlowParameters(Struct, frozen=True, kw_only=True):
    """Drawn parameters common to all kinds of flow."""

    fluid: Fluid
    units: Units
    length: float
    reynolds: float
    transition: float
    richardson: float
    heating: float
    defect: str
    stop: str
    tolerance: float
    leak: float
    """Share of the flow that a defect takes."""
    shows: str

    @property
    def speed(self) -> float:
        """The reference speed."""
        return self.reynolds * self.fluid.kinematic / self.length

    @property
    def is_turbulent(self) -> bool:
        """Whether a turbulence model is used."""
        return self.reynolds > self.transition


class ExpectedBehaviour(Struct, frozen=True, kw_only=True):
    """Behaviour that a kind expects of its flow field."""

    separates: bool
    runs_back: bool
    is_mirrored: bool
    loses_pressure: bool
    peaks_in_middle: bool
    peak: float = 1.3
    """Highest speed over the reference speed."""
    is_restless: bool = False
    """Whether the flow stays unsteady."""
    even_defects: tuple[str, ...] = ()
    """Defects that are the same on both sides, and so leave it mirrored."""
    settles: bool = True
    """Whether its residuals can fall to the tolerance in the time allowed."""


def draw_parameters(draw: ParameterRng, ranges: ParameterRanges) -> FlowParameters:
    """Fluid, size and speed fit the Reynolds number, and the temperature difference the Richardson number."""
    is_turbulent = draw.chance(ranges.turbulent_share)
    reynolds = draw.spread(*(ranges.turbulent if is_turbulent else ranges.laminar))
    heats = draw.chance(ranges.heats)
    mixed = draw.spread(0.2, 0.8) if draw.chance(0.8) else draw.spread(0.004, 0.05)
    richardson = ranges.richardson or (mixed if heats else 0.0)
    fluid = draw.pick((*GASES, WATER) if heats else THIN if is_turbulent else GASES if draw.chance() else LIQUIDS)
    length = draw.spread(*(ranges.large if is_turbulent else ranges.small))
    heating = 0.0
    if heats:
        heating = draw.pick((2.0, 4.0, 8.0, 15.0, 30.0))
        lift = GRAVITY * fluid.expansion * heating
        length = round_significant(float((richardson * (reynolds * fluid.kinematic) ** 2 / lift) ** (1 / 3)))
        richardson = lift * length**3 / (reynolds * fluid.kinematic) ** 2
    return FlowParameters(
        fluid=fluid,
        units=draw.pick((FLOW, SMALL_FLOW, IMPERIAL_FLOW)),
        length=length,
        reynolds=reynolds,
        transition=ranges.transition,
        richardson=richardson,
        heating=heating,
        defect=draw.pick(ranges.defects),
        stop=draw.pick(ranges.stops),
        tolerance=draw.pick((1e-2, 5e-3)),
        leak=draw.between(0.05, 0.1),
        shows=draw.pick(("speed", "speed", "velocity", "vorticity")),
    )


def expected_answers(parameters: FlowParameters, outlook: ExpectedBehaviour) -> dict[str, bool]:
    """Return the expected answers by question, for the choice among candidates."""
    is_buoyant = parameters.richardson >= 0.1
    is_restless = outlook.is_restless or parameters.stop == "moving"
    return {
        "f-laminar": not parameters.is_turbulent,
        "f-turbulent": parameters.is_turbulent,
        "f-buoyancy": not is_buoyant,
        "f-convection": is_buoyant,
        "f-attached": not outlook.separates,
        "f-separation": outlook.separates,
        "f-mass": parameters.defect in ("none", "slip"),
        "f-boundary": parameters.defect in ("none", "drain"),
        "f-converged": parameters.stop == "settled" and outlook.settles and not outlook.is_restless,
        "f-steady": not is_restless,
        "f-backflow": outlook.runs_back,
        "f-symmetric": outlook.is_mirrored
        and (parameters.defect == "none" or parameters.defect in outlook.even_defects)
        and not is_buoyant,
        "f-heat": parameters.heating != 0,
        "f-pressure": outlook.loses_pressure,
        "f-peak-in-middle": outlook.peaks_in_middle,
        "f-fast": outlook.peak * parameters.speed > 1.0,
        "f-liquid": parameters.fluid.is_liquid,
    }


def make_candidate(parameters: FlowParameters, outlook: ExpectedBehaviour, setup: Callable[[], FlowSetup]) -> Candidate:
    """Return a candidate that is solved only if it is selected."""
    return Candidate(expected_answers(parameters, outlook), lambda: _solve(setup(), parameters))


def _solve(setup: FlowSetup, parameters: FlowParameters) -> Case:
    from sightline.suites.simulation.generator.flows.computed.solve_case import solve_case

    return solve_case(setup, parameters)


BODY = 3
"""Number of the patch of a body in a stream."""
MAX_WORK = 2.4e8
"""Cells times steps after which a march ends in any case; heat costs as much again."""


_LEAST_MIXING = 0.5
"""In cells: layers at walls that are thinner than a cell can't be resolved and are mixed instead."""


class FlowSetup(Struct, frozen=True, kw_only=True):
    """Lengths in cells, marks in reference lengths from the origin."""

    kind: str
    title: str
    flow_domain: FlowDomain
    length: float
    """The reference length."""
    speed: float
    """The reference speed, in cells a step."""
    origin: Point
    boundaries: tuple[FlowBoundary, ...]
    """Places and velocities in cells and cells a step."""
    marks: tuple[Annotation, ...]
    margin: Point
    geometry: dict[str, float]
    """Labels, and lengths in reference lengths."""
    set_up: tuple[tuple[str, str], ...]
    body: Callable[[Array, Array], Array] | None = None
    """Distance from a body's surface at places in cells, negative within."""
    crossing: float = 10.0
    """Reference lengths over which the flow settles, in round figures."""
    is_closed: bool = False
    is_restless: bool = False
    period: float = 0.0
    """Of a restless flow, in reference lengths over the reference speed."""
    station: float = 0.5
    may_turn: bool = True


def straight_wall(
    start: Point, end: Point, normal: Point, name: str, condition: str = "no slip", **more: Any
) -> FlowBoundary:
    """Return a straight wall without its end points."""
    s = np.linspace(0.03, 0.97, 81)
    return FlowBoundary(
        name=name,
        condition=condition,
        x=start[0] + s * (end[0] - start[0]),
        y=start[1] + s * (end[1] - start[1]),
        normal_x=np.full_like(s, normal[0]),
        normal_y=np.full_like(s, normal[1]),
        **more,
    )


def moving_sides(across: int, up: int, speed: float) -> tuple[FlowBoundary, FlowBoundary]:
    """Return the lower and upper boundary of an unbounded stream, which move with it."""
    moving: dict[str, Any] = {"condition": "moves with the inlet", "velocity": (speed, 0.0), "is_wall": False}
    right, top = across + 0.5, up + 0.5
    return (
        straight_wall((0.5, 0.5), (right, 0.5), (0.0, 1.0), "lower edge", **moving),
        straight_wall((0.5, top), (right, top), (0.0, -1.0), "upper edge", **moving),
    )


def make_flow_domain(
    parameters: FlowParameters,
    patch: Places,
    patches: tuple[Patch, ...],
    length: float,
    speed: float,
    longest_mixing: float,
) -> FlowDomain:
    """Flow domain whose lattice viscosity and buoyancy give the Reynolds and Richardson number of the parameters.

    In turbulent flow the mixing length grows from the walls as von Karman's 0.41 of the distance, up to the longest.
    """
    flow_domain = FlowDomain(
        patch=patch,
        patches=patches,
        viscosity=speed * length / parameters.reynolds,
        is_heated=parameters.heating != 0,
        gravity=(0.0, parameters.richardson * speed**2 / length),
        prandtl=parameters.fluid.prandtl,
    )
    if not parameters.is_turbulent:
        return flow_domain
    mixing = np.clip(0.41 * _distance_from_walls(flow_domain), _LEAST_MIXING, max(longest_mixing, _LEAST_MIXING))
    return replace(flow_domain, mixing=mixing, calm=1.0)


def stream_past_body(
    parameters: FlowParameters, distance: Array, length: float, speed: float, longest_mixing: float
) -> FlowDomain:
    """Flow domain between an inlet at the left and an outlet at the right, with the body where `distance` is negative.

    Its patches are inlet, outlet, lower and upper boundary, and the body (`BODY`).
    """
    patch = framed_grid(distance.shape[1] - 2, distance.shape[0] - 2, 0, 1, 2, 2)
    patch[distance < 0] = BODY
    stream = Patch(velocity=uniform_velocity(speed), warmth=0.0)
    patches = (stream, Patch(is_open=True), stream, Patch(warmth=1.0 if parameters.heating else None))
    flow_domain = make_flow_domain(parameters, patch, patches, length, speed, longest_mixing)
    start = np.stack([np.where(distance < 0, 0.0, speed), np.zeros(patch.shape)])
    return replace(flow_domain, distance=distance, start=start)


def _distance_from_walls(flow_domain: FlowDomain) -> Array:
    """From the nearest wall at rest or moving, in cells, up to 40; openings and inlets are no walls."""
    is_wall = np.array([not patch.is_open and patch.warmth != 0.0 for patch in flow_domain.patches])
    walls = (flow_domain.patch != FLUID) & is_wall[np.maximum(flow_domain.patch, 0)]
    away = np.where(walls, 0.0, 40.0)
    for _ in range(40):
        grown = away.copy()
        for up, across in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            reach = float(np.hypot(up, across))
            moved = np.full_like(away, 40.0)
            rows, columns = away.shape
            moved[max(up, 0) : rows + min(up, 0), max(across, 0) : columns + min(across, 0)] = away[
                max(-up, 0) : rows + min(-up, 0), max(-across, 0) : columns + min(-across, 0)
            ]
            grown = np.minimum(grown, moved + reach)
        away = grown
    return np.maximum(away - 0.5, 0.0)


def with_defect(
    flow_domain: FlowDomain,
    parameters: FlowParameters,
    volume: float,
    wall: int,
    porous: slice,
    drain: tuple[float, float, float],
) -> FlowDomain:
    """Return the domain with the drawn defect, which takes its share of the flow `volume`.

    A slipping wall is a whole patch, a porous wall some columns of the upper boundary, a drain a disc (x, y, radius).
    """
    patch, patches, taken = flow_domain.patch, flow_domain.patches, parameters.leak * volume
    if parameters.defect == "slip":
        return replace(
            flow_domain, patches=tuple(replace(p, slip=0.9) if k == wall else p for k, p in enumerate(patches))
        )
    if parameters.defect == "porous":
        base, through = patches[int(patch[-1, porous][0])], taken / patch[-1, porous].size

        def leaking(x: Array, y: Array) -> tuple[Array, Array]:
            u, v = base.velocity(x, y)
            return u, v + through

        patch = patch.copy()
        patch[-1, porous] = len(patches)
        return replace(flow_domain, patch=patch, patches=(*patches, replace(base, velocity=leaking)))
    if parameters.defect == "drain":
        row, column = np.indices(patch.shape)
        x, y, radius = drain
        cells = np.flatnonzero((np.hypot(column - x, row - y) < radius) & (patch == FLUID))
        return replace(flow_domain, drain=Drain(cells=cells, rate=taken / cells.size))
    return flow_domain
