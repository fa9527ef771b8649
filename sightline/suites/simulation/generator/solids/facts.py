"""All that the questions on a structure depend on, measured on its fields."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.simulation.generator.residuals import Residuals
from sightline.suites.simulation.generator.solids.materials import Material

BALANCE_TOLERANCE = 0.01
"""Reactions may miss the loads by this share of the loads."""
SUPPORT_TOLERANCE = 0.01
"""A support may give way by this share of the largest displacement."""


class Load(Struct, frozen=True, kw_only=True):
    """A force or a torque about the long axis, at a point; the arrow ends there if it pushes, else begins there."""

    x: float
    y: float
    fx: float = 0.0
    fy: float = 0.0
    torque: float = 0.0
    pushes: bool = False


class Balance(Struct, frozen=True):
    """What is applied in one direction, and what the supports answer."""

    name: str
    unit: str
    applied: float
    reaction: float


class SolidFacts(Struct, frozen=True, kw_only=True):
    """Stresses in Pa, lengths in m, forces in N; shares of stress are peak magnitudes."""

    material: Material
    von_mises_high: float
    von_mises_low: float
    linear_peak: float
    """The largest von Mises stress if the material did not flow: what the load asks of it."""
    flowed: float = 0.0
    """The largest equivalent plastic strain."""
    peak_at: tuple[float, float]
    """Where the von Mises stress is largest."""
    tension: float
    """The largest tensile principal stress, 0 where there is none."""
    compression: float
    """The magnitude of the largest compressive principal stress."""
    axial: float
    bending: float
    torsion: float
    thermal: float
    loads: tuple[Load, ...]
    acting: int
    """How many loads act, a temperature change included; the arrows of one pressure are one load."""
    balances: tuple[Balance, ...]
    supports: tuple[tuple[str, float], ...]
    """By support: how far it moved where it should not."""
    squeeze: float
    """Compressive force along the axis, 0 where there is none."""
    buckling_load: float
    """The lowest compressive force at which it buckles, infinite where the part can't."""
    displacement: float
    length: float
    residuals: Residuals

    @property
    def utilisation(self) -> float:
        """Stress over strength: von Mises over yield, or for a brittle material principal stresses over strengths."""
        material = self.material
        if material.is_ductile:
            return self.linear_peak / material.yield_strength
        return max(self.tension / material.tensile_strength, self.compression / material.compressive_strength)

    @property
    def is_balanced(self) -> bool:
        """Whether reactions and loads cancel in every direction."""
        return all(
            abs(row.applied + row.reaction) <= BALANCE_TOLERANCE * max(abs(row.applied), abs(row.reaction))
            for row in self.balances
        )

    @property
    def is_held(self) -> bool:
        """Whether every support stays where it should."""
        return all(abs(moved) <= SUPPORT_TOLERANCE * self.displacement for _, moved in self.supports)

    @property
    def is_mirrored(self) -> bool:
        """Whether the loads are the same after mirroring about the x axis; a torque changes its sign."""

        def signature(load: Load, side: int) -> tuple[float, ...]:
            size = abs(load.fx) + abs(load.fy) + abs(load.torque)
            values = (load.x / self.length, side * load.y / self.length)
            shares = (load.fx / size, side * load.fy / size, side * load.torque / size)
            return tuple(round(value, 6) + 0.0 for value in (*values, *shares))

        return {signature(load, 1) for load in self.loads} == {signature(load, -1) for load in self.loads}
