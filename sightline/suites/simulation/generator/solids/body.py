"""Plane stress, and the data model of a loaded structure before measurement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import Annotation, Array, Hatch, Point, Window
from sightline.suites.simulation.generator.rng import ParameterRng, round_significant
from sightline.suites.simulation.generator.solids.facts import BRITTLE, DUCTILE, Balance, Load, Material
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC, Units

Components: TypeAlias = tuple[Array, Array, Array]
"""Normal stress along x, along y, and shear stress."""
StressField: TypeAlias = Callable[[Array, Array], Components]


def von_mises(stress: Components) -> Array:
    """Return the von Mises equivalent stress."""
    sx, sy, txy = stress
    return np.asarray(np.sqrt(sx**2 - sx * sy + sy**2 + 3 * txy**2))


def principal_stresses(stress: Components) -> tuple[Array, Array]:
    """Return the larger and the smaller in-plane principal stress."""
    sx, sy, txy = stress
    middle, radius = (sx + sy) / 2, np.hypot((sx - sy) / 2, txy)
    return middle + radius, middle - radius


def stress_facts(stress: Components, x: Array, y: Array) -> dict[str, Any]:
    """Return the facts of a structure that follow from its stress at points."""
    equivalent = von_mises(stress)
    tension, compression = peak_stresses(stress)
    at = np.unravel_index(int(np.nanargmax(equivalent)), equivalent.shape)
    return {
        "von_mises_high": float(np.nanmax(equivalent)),
        "von_mises_low": float(np.nanmin(equivalent)),
        "linear_peak": float(np.nanmax(equivalent)),
        "peak_at": (float(x[at]), float(y[at])),
        "tension": tension,
        "compression": compression,
    }


def from_polar(radial: Array, hoop: Array, shear: Array, angle: Array) -> Components:
    """Transform polar stress components to x and y."""
    c, s = np.cos(angle), np.sin(angle)
    return (
        radial * c**2 + hoop * s**2 - 2 * shear * s * c,
        radial * s**2 + hoop * c**2 + 2 * shear * s * c,
        (radial - hoop) * s * c + shear * (c**2 - s**2),
    )


def peak_stresses(stress: Components) -> tuple[float, float]:
    """Return the magnitudes of the largest tension and compression."""
    high, low = principal_stresses(stress)
    tension, compression = max(0.0, float(np.nanmax(high))), max(0.0, -float(np.nanmin(low)))
    # what is left of a sum that should vanish is no stress
    least = 1e-6 * max(tension, compression)
    return tension if tension > least else 0.0, compression if compression > least else 0.0


LEAST_DISPLACEMENT = 2e-4
"""Share of the length that stands for the size of displacements where there are none."""
_MOST_HEAT = 400.0
Displacement: TypeAlias = Callable[[Array, Array], tuple[Array, Array]]


class Support(Struct, frozen=True, kw_only=True):
    """A point that should not move in a direction, and how it is drawn."""

    name: str
    at: Point
    direction: Point
    hatch: Hatch | None = None


class Body(Struct, frozen=True, kw_only=True):
    """A structure at full load. Fields are given beyond its edge too where they continue smoothly."""

    kind: str
    title: str
    units: Units
    material: Material
    window: Window
    stress: StressField
    """Not a number outside of the body."""
    outlines: tuple[tuple[Point, ...], ...]
    hatches: tuple[Hatch, ...] = ()
    loads: tuple[Load, ...]
    geometry: dict[str, float]
    """Lengths by label."""
    load_rows: tuple[tuple[str, float, str], ...]
    """Label, value, kind of unit."""
    section: tuple[Point, Point]
    """The line on which the chart shows the stress."""
    signed: bool = False
    """Whether the colours show the stress along x with its sign, or the von Mises stress."""
    heating: float = 0.0
    heated: str = "throughout"
    """Where the temperature changes by this much."""
    length: float
    marks: tuple[Annotation, ...] = ()
    mesh_rows: tuple[tuple[str, str], ...]
    """What the report tells of the mesh."""
    steps: int = 1
    """Load steps that were computed."""
    hardening: float = 0.0
    """Rise of stress by strain beyond yield, where that is computed."""


class ExactBody(Body, frozen=True, kw_only=True):
    """A structure with closed-form fields, and what follows from them."""

    displacement: Displacement
    samples: tuple[Array, Array]
    """Points on which extremes are sought, edges included."""
    supports: tuple[Support, ...]
    balances: tuple[Balance, ...]
    axial: float = 0.0
    bending: float = 0.0
    torsion: float = 0.0
    thermal: float = 0.0
    axial_compression: float = 0.0
    buckling_load: float = np.inf

    @property
    def load_count(self) -> int:
        """How many loads there are."""
        return sum(value != 0 for _, value, _ in self.load_rows) + (self.heating != 0)


def draw_material(draw: ParameterRng, suits: Callable[[Material], bool] = lambda material: True) -> Material:
    """A brittle one more often than in practice, so that both are asked about."""
    return draw.pick([material for material in (BRITTLE if draw.chance(0.45) else DUCTILE) if suits(material)])


def draw_utilisation(draw: ParameterRng) -> float:
    """Stress over strength, clearly below or clearly above one."""
    return draw.between(1.2, 1.7) if draw.chance() else draw.between(0.3, 0.85)


def load_for(utilisation: float, material: Material, unit: Components) -> float:
    """The load of three digits that uses the strength up to this share; `unit` is the stress for a load of 1."""
    if material.is_ductile:
        share = float(np.nanmax(von_mises(unit))) / material.yield_strength
    else:
        tension, compression = peak_stresses(unit)
        share = max(tension / material.tensile_strength, compression / material.compressive_strength)
    return round_significant(utilisation / share)


class ExactSolid(Struct, frozen=True, kw_only=True):
    """Closed-form solution of a loaded solid: its fields of stress and displacement."""

    material: Material
    hindered: float = 0.0
    """E alpha dT of the warmest place: the stress where growth is hindered."""

    def stress(self, x: Array, y: Array) -> Components:
        """Return the stress at points; not a number outside of the solid."""
        raise NotImplementedError

    def displacement(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Return the displacement at points."""
        raise NotImplementedError

    @property
    def warming(self) -> float:
        """Change of temperature, in kelvin, that would give the hindered stress."""
        return self.hindered / (self.material.young * self.material.expansion)

    def scaled(self, samples: tuple[Array, Array], utilisation: float, *loads: str) -> Self:
        """Return the solid at the loads of a utilisation; heat of more than a few hundred kelvin is left out."""
        solid = self
        size = load_for(utilisation, self.material, self.stress(*samples))
        if abs(size * self.hindered) > _MOST_HEAT * self.material.young * self.material.expansion:
            solid = replace(self, hindered=0.0)
            size = load_for(utilisation, self.material, solid.stress(*samples))
        return replace(solid, **{name: size * getattr(solid, name) for name in (*loads, "hindered")})

    def body_fields(self, draw: ParameterRng, samples: tuple[Array, Array]) -> dict[str, Any]:
        """Return what the bodies of all closed-form solids have in common; the units are drawn."""
        return {
            "units": draw.pick((METRIC, IMPERIAL)),
            "material": self.material,
            "stress": self.stress,
            "displacement": self.displacement,
            "samples": samples,
            # the grid on which the field is sampled, as a mesh of the report
            "mesh_rows": (("Nodes", str(samples[0].size)), ("Element type", "quadrilateral, 8 nodes")),
        }


def thermal_stress_of_hot_sides(hindered: float, depth: float, y: Array) -> Array:
    """The stress of a temperature that falls with a parabola from both sides of a beam to none on its axis.

    It has no force and no moment, so the beam stays straight (Timoshenko & Goodier, 14: thermal stresses).
    """
    return -hindered * ((2 * y / depth) ** 2 - 1 / 3)


def euler_load(material: Material, inertia: float, length: float, factor: float) -> float:
    """Euler's critical load of a strut; the factor is that of its effective length."""
    return float(np.pi**2 * material.young * inertia / (factor * length) ** 2)


def clamp(name: str, x: float, depth: float, direction: Point, *, faces_left: bool = False) -> Support:
    """A wall across the end of a bar or beam; the support is checked on the axis, in one direction."""
    ends = (x, -0.8 * depth), (x, 0.8 * depth)
    return Support(name=name, at=(x, 0.0), direction=direction, hatch=Hatch(*(ends[::-1] if faces_left else ends)))


def rectangle(window: Window) -> tuple[Point, ...]:
    """A closed outline with enough points to bend."""
    x = np.linspace(window.left, window.right, 40)
    there = [(float(value), window.top) for value in x]
    return (*there, *((x0, window.bottom) for x0, _ in reversed(there)), there[0])


def circle(radius: float, centre: Point = (0.0, 0.0)) -> tuple[Point, ...]:
    """A closed outline."""
    angle = np.linspace(0, 2 * np.pi, 97)
    return tuple(
        (float(centre[0] + radius * c), float(centre[1] + radius * s))
        for c, s in zip(np.cos(angle), np.sin(angle), strict=True)
    )
