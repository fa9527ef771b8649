"""All that the questions on a flow depend on, measured on its fields."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.simulation.generator.flows.fluids import Fluid
from sightline.suites.simulation.generator.residuals import Residuals

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
