"""Random parameters of computed flows, the answers expected of them, and candidates that are solved if selected."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from sightline.suites.simulation.generator.case import Candidate, Case
from sightline.suites.simulation.generator.flows.facts import GASES, LIQUIDS, THIN, WATER, Fluid
from sightline.suites.simulation.generator.flows.flow import GRAVITY
from sightline.suites.simulation.generator.rng import ParameterRng, round_significant
from sightline.suites.simulation.generator.units import FLOW, IMPERIAL_FLOW, SMALL_FLOW, Units

if TYPE_CHECKING:
    from sightline.suites.simulation.generator.flows.computed.flow_setup import FlowSetup


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
    """Whether it never comes to rest."""
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
