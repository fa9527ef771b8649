"""Materials, the facts measured on a structure, and the questions that they answer.

Opposed pairs: elastic/plastic and over the limit/safe are complements of each other in every case. The questions on
heat and on the von Mises criterion are no pair: one is about the load, the other about the material.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from sightline.suites.simulation.generator.case import Residuals, load_questions

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
    plastic_strain: float = 0.0
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
    load_count: int
    """How many loads act, a temperature change included; the arrows of one pressure are one load."""
    balances: tuple[Balance, ...]
    supports: tuple[tuple[str, float], ...]
    """By support: how far it moved where it should not."""
    axial_compression: float
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


THERMAL_SHARE = 0.05
IDLE_SHARE = 0.1
COMPRESSION_LEAD = 1.05
"""Bending alone has as much of both, and rounding must not decide."""
SMALL_DISPLACEMENT = 2e-3


def _is_plastic(facts: SolidFacts) -> bool:
    # a brittle material breaks where a ductile one would flow
    return facts.material.is_ductile and facts.utilisation > 1


_RULES: dict[str, Callable[[SolidFacts], bool]] = {
    "s-elastic": lambda facts: not _is_plastic(facts),
    "s-plastic": _is_plastic,
    "s-limit": lambda facts: facts.utilisation > 1,
    "s-safety": lambda facts: facts.utilisation <= 1,
    "s-thermal": lambda facts: facts.thermal >= THERMAL_SHARE * facts.von_mises_high,
    "s-von-mises": lambda facts: facts.material.is_ductile,
    "s-balance": lambda facts: facts.is_balanced,
    "s-boundary": lambda facts: facts.is_held,
    "s-converged": lambda facts: facts.residuals.is_converged,
    "s-buckling": lambda facts: facts.axial_compression > facts.buckling_load,
    "s-bending": lambda facts: facts.bending > facts.axial,
    "s-combined": lambda facts: facts.load_count > 1,
    "s-idle": lambda facts: facts.von_mises_low < IDLE_SHARE * facts.von_mises_high,
    "s-symmetric": lambda facts: facts.is_mirrored,
    "s-compression": lambda facts: facts.compression > COMPRESSION_LEAD * facts.tension,
    "s-stiff": lambda facts: facts.displacement < SMALL_DISPLACEMENT * facts.length,
}
QUESTIONS = load_questions(__package__, _RULES)
