"""A bar pulled or pushed along its axis: plain, stepped, or with a force beside the axis."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.arrays import Array, Point, Window
from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.solids.body import (
    Body,
    clamp,
    draw_material,
    draw_utilisation,
    euler_load,
    grid_rows,
    is_bearable,
    load_for,
    rectangle,
    thermal_stress_of_hot_sides,
)
from sightline.suites.simulation.generator.solids.exact.build import build_exact_case
from sightline.suites.simulation.generator.solids.facts import Balance, Load
from sightline.suites.simulation.generator.solids.materials import Material
from sightline.suites.simulation.generator.solids.stress import Components
from sightline.suites.simulation.generator.units import IMPERIAL, METRIC


class Bar(Struct, frozen=True, kw_only=True):
    """Clamped at x = 0; the force acts at the other end, above the axis by the offset."""

    material: Material
    length: float
    depth: float
    end_depth: float
    step: float
    width: float
    offset: float
    force: float
    hindered: float = 0.0
    """E alpha dT of its sides, which are warmer than its axis; 0 where there is a step."""

    @property
    def inertia(self) -> float:
        """Second moment of area against bending in the plane; only bars without a step bend."""
        return self.width * self.depth**3 / 12

    def stress(self, x: Array, y: Array) -> Components:
        """N/A and N e y / I."""
        height = np.where(x < self.step, self.depth, self.end_depth)
        inside = (x >= 0) & (x <= self.length) & (np.abs(y) <= height / 2 * (1 + 1e-9))
        sx = self.force * (1 / (self.width * height) + self.offset * y / self.inertia)
        sx = sx + thermal_stress_of_hot_sides(self.hindered, self.depth, y)
        return np.where(inside, sx, np.nan), np.zeros_like(sx), np.zeros_like(sx)

    def displacement(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Stretch of both parts, and the circular arc of the moment."""
        stretch = np.minimum(x, self.step) / self.depth + np.maximum(x - self.step, 0) / self.end_depth
        bend = self.force * self.offset / (self.material.young * self.inertia)
        grown = self.hindered / 3 / self.material.young * x
        return self.force / (self.material.young * self.width) * stretch + grown + bend * x * y, -bend * x**2 / 2

    @property
    def window(self) -> Window:
        """The bar itself."""
        return Window(0, self.length, -self.depth / 2, self.depth / 2)

    @property
    def buckling_load(self) -> float:
        """About the weaker axis; a stepped bar has no closed solution, so those are only pulled."""
        if self.end_depth < self.depth:
            return float(np.inf)
        return euler_load(self.material, min(self.inertia, self.depth * self.width**3 / 12), self.length, 2.0)

    @property
    def outline(self) -> tuple[Point, ...]:
        """With its step."""
        if self.end_depth == self.depth:
            return rectangle(self.window)
        thick, thin, step, end = self.depth / 2, self.end_depth / 2, self.step, self.length
        upper = ((0.0, thick), (step, thick), (step, thin), (end, thin))
        return (*upper, *((x, -y) for x, y in reversed(upper)), (0.0, thick))


def make(draw: ParameterRng) -> Case:
    """One of the three, in tension or compression."""
    shape = draw.pick(("plain", "plain", "stepped", "beside the axis", "beside the axis"))
    length = draw.between(0.4, 1.2)
    depth = length / (draw.between(7, 18) if shape == "plain" else draw.between(5.5, 14))
    unit = Bar(
        material=draw_material(draw),
        length=length,
        depth=depth,
        end_depth=depth * draw.between(0.5, 0.7) if shape == "stepped" else depth,
        step=draw.between(0.4, 0.6) * length,
        width=draw.spread(0.25, 1.0) * depth,
        offset=depth * draw.pick((0.08, 0.35, 0.35)) if shape == "beside the axis" else 0.0,
        force=1.0 if shape == "stepped" or draw.chance(0.4) else -1.0,
    )
    if shape != "stepped" and draw.chance():
        unit = replace(unit, hindered=draw.pick((1.0, -1.0)) * draw.between(0.5, 1.5) / (unit.width * depth))
    samples, use = unit.window.grid(121, 41), draw_utilisation(draw)
    size = load_for(use, unit.material, unit.stress(*samples))
    if not is_bearable(unit.material, size * unit.hindered):
        unit = replace(unit, hindered=0.0)
        size = load_for(use, unit.material, unit.stress(*samples))
    bar = replace(unit, force=size * unit.force, hindered=size * unit.hindered)
    return build_exact_case(draw, _body(draw, bar, samples))


def _body(draw: ParameterRng, bar: Bar, samples: tuple[Array, Array]) -> Body:
    half, moment = bar.depth / 2, bar.force * bar.offset
    above = max(0.3 * bar.depth, 0.06 * bar.length)
    has_step = bar.end_depth < bar.depth
    balances = (Balance("Fx", "force", bar.force, -bar.force), Balance("Mz", "moment", -moment, moment))
    return Body(
        kind="bar",
        title=f"{'Stepped bar' if has_step else 'Bar'} with an end force along x",
        units=draw.pick((METRIC, IMPERIAL)),
        material=bar.material,
        window=bar.window.padded(0.06 * bar.length, 0.21 * bar.length, above, above),
        stress=bar.stress,
        displacement=bar.displacement,
        samples=samples,
        mesh_rows=grid_rows(samples[0].size),
        outlines=(bar.outline,),
        supports=(clamp("clamp at x = 0", 0.0, bar.depth, (1.0, 0.0)),),
        loads=(Load(x=bar.length, y=bar.offset, fx=bar.force, pushes=bar.force < 0),),
        balances=balances if bar.offset else balances[:1],
        geometry=(
            ("Length", bar.length, "length"),
            ("Depth at the clamp", bar.depth, "length"),
            ("Depth at the free end", bar.end_depth, "length"),
            ("Width", bar.width, "length"),
        ),
        load_rows=(("Fx at the free end", bar.force, "force"), ("... acting above the axis by", bar.offset, "length")),
        section=((bar.length / 2, -half), (bar.length / 2, half)) if bar.offset else ((0.0, 0.0), (bar.length, 0.0)),
        signed=draw.chance(),
        axial=abs(bar.force) / (bar.width * bar.end_depth),
        bending=abs(moment) * half / bar.inertia,
        thermal=2 / 3 * abs(bar.hindered),
        heating=bar.hindered / (bar.material.young * bar.material.expansion),
        squeeze=max(0.0, -bar.force),
        buckling_load=bar.buckling_load,
        heated="on both sides, none on the axis",
        length=bar.length,
    )
