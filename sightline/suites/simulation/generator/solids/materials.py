"""Materials with the figures that a data sheet gives."""

from __future__ import annotations

from msgspec import Struct

_DUCTILE_FROM = 0.05
"""The usual border: five per cent of elongation at break."""


class Material(Struct, frozen=True, kw_only=True):
    """Linear elastic up to its strength; one that hardly stretches before it breaks has no yield strength."""

    name: str
    young: float
    poisson: float
    expansion: float
    elongation: float
    """At break, as a share."""
    yield_strength: float = 0.0
    tensile_strength: float
    compressive_strength: float

    @property
    def is_ductile(self) -> bool:
        """By its elongation."""
        return self.elongation >= _DUCTILE_FROM

    @property
    def shear_modulus(self) -> float:
        """From Young's modulus and Poisson's ratio."""
        return self.young / (2 * (1 + self.poisson))


def _solid(
    name: str, young: float, poisson: float, expansion: float, strengths: tuple[float, float], elongation: float
) -> Material:
    """The strengths of a ductile one are those of yield and tension, of a brittle one those of tension and pressure."""
    is_ductile = elongation >= _DUCTILE_FROM
    low, high = (mega * 1e6 for mega in strengths)
    return Material(
        name=name,
        young=young * 1e9,
        poisson=poisson,
        expansion=expansion * 1e-6,
        elongation=elongation,
        yield_strength=low if is_ductile else 0.0,
        tensile_strength=high if is_ductile else low,
        compressive_strength=low if is_ductile else high,
    )


DUCTILE = (
    _solid("Steel S355", 210, 0.30, 12.0, (355, 510), 0.22),
    _solid("Steel S235", 210, 0.30, 12.0, (235, 360), 0.26),
    _solid("Aluminium 6061-T6", 69, 0.33, 23.6, (276, 310), 0.12),
    _solid("Titanium Ti-6Al-4V", 114, 0.34, 8.6, (880, 950), 0.14),
    _solid("Brass CW614N", 97, 0.35, 20.0, (250, 430), 0.15),
)
BRITTLE = (
    _solid("Grey cast iron GJL-250", 110, 0.26, 11.0, (250, 840), 0.005),
    _solid("Alumina Al2O3 99.5", 370, 0.22, 8.0, (260, 2300), 0.0007),
    _solid("Borosilicate glass", 64, 0.20, 3.3, (50, 700), 0.0008),
)
