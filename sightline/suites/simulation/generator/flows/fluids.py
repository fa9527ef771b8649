"""Fluids at room temperature."""

from __future__ import annotations

from msgspec import Struct


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
