"""A heated or cooled bar between two walls, with a force at mid-length; a gap may leave it room to grow."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.arrays import Array, Window
from sightline.suites.simulation.generator.case import Annotation, Case, Hatch, TextNote
from sightline.suites.simulation.generator.draw import ParameterRng, round_significant
from sightline.suites.simulation.generator.solids.body import (
    Body,
    Support,
    clamp,
    draw_material,
    draw_utilisation,
    euler_load,
    grid_rows,
    load_for,
    rectangle,
)
from sightline.suites.simulation.generator.solids.exact.build import build_exact_case
from sightline.suites.simulation.generator.solids.facts import Balance, Load
from sightline.suites.simulation.generator.solids.materials import Material
from sightline.suites.simulation.generator.solids.stress import Components
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC


class HeatedBar(Struct, frozen=True, kw_only=True):
    """Held at x = 0, and at x = L too unless a gap is open there. The force acts along x at mid-length."""

    material: Material
    length: float
    depth: float
    width: float
    heating: float
    force: float
    is_free: bool

    @property
    def area(self) -> float:
        """Of the cross-section."""
        return self.width * self.depth

    @property
    def thermal_stress(self) -> float:
        """-E alpha dT where both ends are held."""
        return 0.0 if self.is_free else -self.material.young * self.material.expansion * self.heating

    def axial_force(self, x: Array) -> Array:
        """Without the thermal part: the force goes to one wall, or half to each."""
        left, right = (self.force, 0.0) if self.is_free else (self.force / 2, -self.force / 2)
        return np.where(x <= self.length / 2, left, right)

    def stress(self, x: Array, y: Array) -> Components:
        """N/A and the thermal stress."""
        inside = (x >= 0) & (x <= self.length) & (np.abs(y) <= self.depth / 2 * (1 + 1e-9))
        sx = np.where(inside, self.axial_force(x) / self.area + self.thermal_stress, np.nan)
        return sx, np.zeros_like(sx), np.zeros_like(sx)

    def displacement(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Along x alone."""
        stiffness = self.material.young * self.area
        middle = self.length / 2
        first, second = self.axial_force(np.array([0.0, self.length]))
        stretch = (np.minimum(x, middle) * first + np.maximum(x - middle, 0) * second) / stiffness
        growth = self.material.expansion * self.heating * x if self.is_free else 0.0
        return stretch + growth, np.zeros_like(x)

    @property
    def window(self) -> Window:
        """The bar itself."""
        return Window(0, self.length, -self.depth / 2, self.depth / 2)


def make(draw: ParameterRng) -> Case:
    """Heated or cooled, with or without a force, with or without a gap."""
    length = draw.between(0.4, 1.5)
    depth = length / draw.between(8, 24)
    is_free, material = draw.chance(0.3), draw_material(draw, suits=_breaks_by_heat)
    unit = HeatedBar(
        material=material,
        length=length,
        depth=depth,
        width=draw.spread(0.25, 1.0) * depth,
        # a brittle bar is cooled: it would stand any warming
        heating=draw.pick((1.0, 1.0, -1.0)) if material.is_ductile else -1.0,
        force=0.0,
        is_free=is_free,
    )
    share = draw.pick((0.8, 1.5, -0.8 if material.is_ductile else 0.8)) if is_free or draw.chance() else 0.0
    full = unit.material.young * unit.material.expansion * unit.area
    unit = replace(unit, force=share * full)
    samples = unit.window.grid(122, 31)
    heating = load_for(draw_utilisation(draw), unit.material, unit.stress(*samples))
    bar = replace(unit, heating=heating * unit.heating, force=round_significant(heating * unit.force))
    return build_exact_case(draw, _body(draw, bar, samples))


def _breaks_by_heat(material: Material) -> bool:
    """Whether a few hundred kelvin bring a held bar to its strength."""
    return (material.yield_strength or material.tensile_strength) < 300 * material.young * material.expansion


def _body(draw: ParameterRng, bar: HeatedBar, samples: tuple[Array, Array]) -> Body:
    units = draw.pick((METRIC, IMPERIAL))
    ends = bar.axial_force(np.array([0.0, bar.length])) + bar.thermal_stress * bar.area
    squeeze = max(0.0, -float(ends.min()))
    grown = bar.displacement(np.array([bar.length]), np.zeros(1))[0][0]
    gap = round_significant(1.8 * abs(grown) + 1e-3 * bar.length) if bar.is_free else 0.0
    return Body(
        kind="heated",
        title="Heated bar between two walls" if bar.heating > 0 else "Cooled bar between two walls",
        units=units,
        material=bar.material,
        window=bar.window.grown(0.1 * bar.length, 0.09 * bar.length),
        stress=bar.stress,
        displacement=bar.displacement,
        samples=samples,
        mesh_rows=grid_rows(samples[0].size),
        outlines=(rectangle(bar.window),),
        supports=_supports(bar),
        loads=(Load(x=bar.length / 2, y=0.0, fx=bar.force),) if bar.force else (),
        balances=_balances(bar, ends),
        geometry=(
            ("Length", bar.length, "length"),
            ("Depth", bar.depth, "length"),
            ("Width", bar.width, "length"),
            ("Gap at x = L before heating", gap, "shift"),
        ),
        load_rows=(("Fx at mid-length", bar.force, "force"),),
        section=((0.0, 0.0), (bar.length, 0.0)),
        signed=draw.chance(0.7),
        axial=float(np.abs(ends).max()) / bar.area,
        thermal=abs(bar.thermal_stress),
        heating=bar.heating,
        squeeze=squeeze,
        buckling_load=euler_load(bar.material, bar.depth * bar.width**3 / 12, bar.length, 2.0 if bar.is_free else 0.5),
        length=bar.length,
        marks=_wall_beyond_gap(bar) if bar.is_free else (),
    )


def _supports(bar: HeatedBar) -> tuple[Support, ...]:
    left = clamp("wall at x = 0", 0.0, bar.depth, (1.0, 0.0))
    right = clamp("wall at x = L", bar.length, bar.depth, (1.0, 0.0), faces_left=True)
    return (left,) if bar.is_free else (left, right)


def _balances(bar: HeatedBar, ends: Array) -> tuple[Balance, ...]:
    """Walls push against each other: the sum of both reactions answers the force, and each wall the bar's own end."""
    left, right = (float(value) for value in ends)
    if bar.force:
        return (Balance("Fx", "force", bar.force, right - left),)
    return (Balance("Fx at x = 0", "force", left, -left),)


def _wall_beyond_gap(bar: HeatedBar) -> tuple[Annotation, ...]:
    x = 1.07 * bar.length
    return (
        Hatch((x, 0.8 * bar.depth), (x, -0.8 * bar.depth)),
        TextNote("gap", (1.035 * bar.length, 1.1 * bar.depth)),
    )
