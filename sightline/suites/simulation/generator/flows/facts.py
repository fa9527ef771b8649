"""Fluids, the facts measured on a flow, and the questions that they answer.

Every opposed pair of questions differs in every case: laminar or turbulent, buoyant or not, attached or separated.
Where a limit decides, the question names it.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from sightline.suites.simulation.generator.case import Residuals, load_questions


class Fluid(Struct, frozen=True, kw_only=True):
    """SI units; `expansion` is the thermal expansion of the volume."""

    name: str
    density: float
    viscosity: float
    expansion: float
    sound: float
    prandtl: float
    """Viscosity over conductivity, both as diffusivities."""

    @property
    def kinematic(self) -> float:
        """Kinematic viscosity."""
        return self.viscosity / self.density

    @property
    def is_liquid(self) -> bool:
        """All liquids here are denser than 100 kg/m³, all gases far lighter."""
        return self.density > 100


AIR = Fluid(name="Air", density=1.19, viscosity=1.83e-5, expansion=3.4e-3, sound=344.0, prandtl=0.71)
NITROGEN = Fluid(name="Nitrogen", density=1.16, viscosity=1.77e-5, expansion=3.4e-3, sound=350.0, prandtl=0.72)
WATER = Fluid(name="Water", density=998.0, viscosity=1.0e-3, expansion=2.1e-4, sound=1482.0, prandtl=7.0)
GLYCOL = Fluid(name="Ethylene glycol", density=1113.0, viscosity=1.7e-2, expansion=5.7e-4, sound=1658.0, prandtl=150.0)
OIL = Fluid(name="Mineral oil ISO 32", density=860.0, viscosity=5.5e-2, expansion=7.0e-4, sound=1430.0, prandtl=600.0)

GASES = (AIR, NITROGEN)
LIQUIDS = (WATER, GLYCOL, OIL)
THIN = (AIR, NITROGEN, WATER)
"""Those in which high Reynolds numbers are reached at common speeds."""


MASS_TOLERANCE = 0.01
"""Outflow may differ from inflow by this share."""
BOUNDARY_TOLERANCE = 0.01
"""Velocities on boundaries may miss what is prescribed by this share of the reference speed."""


class Boundary(Struct, frozen=True, kw_only=True):
    """One boundary: how far its velocity is from the prescribed one, and the range of velocity along it nearby."""

    name: str
    condition: str
    miss: float
    is_wall: bool
    slowest: float
    """Lowest velocity along the wall, relative to it, a little off the wall; negative where it runs backwards."""
    fastest: float


class FlowFacts(Struct, frozen=True, kw_only=True):
    """SI units; shares are of the highest speed."""

    fluid: Fluid
    reynolds: float
    critical_reynolds: float
    richardson: float
    heating: float
    reference_speed: float
    mean_speed: float
    peak_speed: float
    peak_at: tuple[float, float]
    inflow: float
    outflow: float
    boundaries: tuple[Boundary, ...]
    station_change: float
    """Largest change of velocity between stations along the main direction, as a share."""
    late_change: float
    """Largest change of velocity over the last tenth of the time, as a share."""
    backflow: float
    """Lowest velocity along the main direction, as a share."""
    asymmetry: float
    """Largest difference between the speeds on the two sides of the centre line, as a share."""
    pressure_gradient: float
    pressure_change: float
    """From the begin to the end of the domain, over the dynamic pressure of the reference speed."""
    peak_offset: float
    """Distance of the fastest point from the centre line, as a share of the domain's width."""
    eddy_ratio: float
    residuals: Residuals

    @property
    def is_conserved(self) -> bool:
        """Whether as much mass leaves as enters."""
        return abs(self.inflow - self.outflow) <= MASS_TOLERANCE * max(self.inflow, self.outflow)

    @property
    def is_enforced(self) -> bool:
        """Whether every boundary has the velocity that is prescribed there."""
        return all(boundary.miss <= BOUNDARY_TOLERANCE * self.reference_speed for boundary in self.boundaries)

    @property
    def is_separated(self) -> bool:
        """Whether the flow along some wall changes its direction on the way."""
        least = BOUNDARY_TOLERANCE * self.reference_speed
        return any(wall.slowest < -least and wall.fastest > least for wall in self.boundaries if wall.is_wall)


BUOYANT_RICHARDSON = 0.1
SAME_SHARE = 0.01
BACKFLOW_SHARE = 0.02
MIRROR_SHARE = 0.02
PRESSURE_SHARE = 0.02
MIDDLE = 1 / 6
FAST = 1.0


def _is_turbulent(facts: FlowFacts) -> bool:
    return facts.reynolds > facts.critical_reynolds


def _is_buoyant(facts: FlowFacts) -> bool:
    return facts.richardson >= BUOYANT_RICHARDSON


_RULES: dict[str, Callable[[FlowFacts], bool]] = {
    "f-laminar": lambda facts: not _is_turbulent(facts),
    "f-turbulent": _is_turbulent,
    "f-buoyancy": lambda facts: not _is_buoyant(facts),
    "f-convection": _is_buoyant,
    "f-attached": lambda facts: not facts.is_separated,
    "f-separation": lambda facts: facts.is_separated,
    "f-mass": lambda facts: facts.is_conserved,
    "f-boundary": lambda facts: facts.is_enforced,
    "f-converged": lambda facts: facts.residuals.is_converged,
    "f-steady": lambda facts: facts.late_change < SAME_SHARE,
    "f-backflow": lambda facts: facts.backflow < -BACKFLOW_SHARE,
    "f-symmetric": lambda facts: facts.asymmetry < MIRROR_SHARE,
    "f-heat": lambda facts: facts.heating != 0,
    "f-pressure": lambda facts: facts.pressure_change < -PRESSURE_SHARE,
    "f-peak-in-middle": lambda facts: facts.peak_offset < MIDDLE,
    "f-fast": lambda facts: facts.peak_speed > FAST,
    "f-liquid": lambda facts: facts.fluid.is_liquid,
}
QUESTIONS = load_questions(__package__, _RULES)
