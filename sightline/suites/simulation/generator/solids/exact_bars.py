"""Closed-form bars and beams: axial force, cantilever with a tip load, heated bar between walls."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.suites.simulation.generator.case import Annotation, Array, Case, Hatch, Point, TextNote, Window
from sightline.suites.simulation.generator.rng import ParameterRng, round_significant
from sightline.suites.simulation.generator.solids import body
from sightline.suites.simulation.generator.solids.body import Components, ExactBody, ExactSolid, Support
from sightline.suites.simulation.generator.solids.case_builder import build_exact_case
from sightline.suites.simulation.generator.solids.facts import Balance, Load, Material


class SlenderSolid(ExactSolid, frozen=True, kw_only=True):
    """Bar or beam of rectangular section from x = 0 to its length, about the x axis."""

    length: float
    depth: float
    width: float

    @property
    def area(self) -> float:
        """Of the cross-section."""
        return self.width * self.depth

    @property
    def inertia(self) -> float:
        """Second moment of area against bending in the plane."""
        return self.width * self.depth**3 / 12

    @property
    def window(self) -> Window:
        """The solid itself."""
        return Window(0, self.length, -self.depth / 2, self.depth / 2)

    def contains(self, x: Array, y: Array) -> NDArray[np.bool_]:
        """Whether points lie within the solid, its edge included."""
        return (x >= 0) & (x <= self.length) & (np.abs(y) <= self.depth / 2 * (1 + 1e-9))


class Bar(SlenderSolid, frozen=True, kw_only=True):
    """Clamped at x = 0; the force acts at the other end, above the axis by the offset.

    The sides may be warmer than the axis, unless there is a step; only bars without a step bend.
    """

    end_depth: float
    step: float
    offset: float
    force: float

    def stress(self, x: Array, y: Array) -> Components:
        """N/A and N e y / I."""
        height = np.where(x < self.step, self.depth, self.end_depth)
        inside = (x >= 0) & (x <= self.length) & (np.abs(y) <= height / 2 * (1 + 1e-9))
        sx = self.force * (1 / (self.width * height) + self.offset * y / self.inertia)
        sx = sx + body.thermal_stress_of_hot_sides(self.hindered, self.depth, y)
        return np.where(inside, sx, np.nan), np.zeros_like(sx), np.zeros_like(sx)

    def displacement(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Stretch of both parts, and the circular arc of the moment."""
        stretch = np.minimum(x, self.step) / self.depth + np.maximum(x - self.step, 0) / self.end_depth
        bend = self.force * self.offset / (self.material.young * self.inertia)
        grown = self.hindered / 3 / self.material.young * x
        return self.force / (self.material.young * self.width) * stretch + grown + bend * x * y, -bend * x**2 / 2

    @property
    def buckling_load(self) -> float:
        """About the weaker axis; a stepped bar has no closed solution, so those are only pulled."""
        if self.end_depth < self.depth:
            return float(np.inf)
        return body.euler_load(self.material, min(self.inertia, self.depth * self.width**3 / 12), self.length, 2.0)

    @property
    def outline(self) -> tuple[Point, ...]:
        """With its step."""
        if self.end_depth == self.depth:
            return body.rectangle(self.window)
        thick, thin, step, end = self.depth / 2, self.end_depth / 2, self.step, self.length
        upper = ((0.0, thick), (step, thick), (step, thin), (end, thin))
        return (*upper, *((x, -y) for x, y in reversed(upper)), (0.0, thick))


def make_bar(draw: ParameterRng) -> Case:
    """One of the three, in tension or compression."""
    shape = draw.pick(("plain", "plain", "stepped", "beside the axis", "beside the axis"))
    length = draw.between(0.4, 1.2)
    depth = length / (draw.between(7, 18) if shape == "plain" else draw.between(5.5, 14))
    unit = Bar(
        material=body.draw_material(draw),
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
    samples = unit.window.grid(121, 41)
    bar = unit.scaled(samples, body.draw_utilisation(draw), "force")
    return build_exact_case(draw, _bar_body(draw, bar, samples))


def _bar_body(draw: ParameterRng, bar: Bar, samples: tuple[Array, Array]) -> ExactBody:
    half, moment = bar.depth / 2, bar.force * bar.offset
    above = max(0.3 * bar.depth, 0.06 * bar.length)
    has_step = bar.end_depth < bar.depth
    balances = (Balance("Fx", "force", bar.force, -bar.force), Balance("Mz", "moment", -moment, moment))
    return ExactBody(
        **bar.body_fields(draw, samples),
        kind="bar",
        title=f"{'Stepped bar' if has_step else 'Bar'} with an end force along x",
        window=bar.window.padded(0.06 * bar.length, 0.21 * bar.length, above, above),
        outlines=(bar.outline,),
        supports=(body.clamp("clamp at x = 0", 0.0, bar.depth, (1.0, 0.0)),),
        loads=(Load(x=bar.length, y=bar.offset, fx=bar.force, pushes=bar.force < 0),),
        balances=balances if bar.offset else balances[:1],
        geometry={
            "Length": bar.length,
            "Depth at the clamp": bar.depth,
            "Depth at the free end": bar.end_depth,
            "Width": bar.width,
        },
        load_rows=(("Fx at the free end", bar.force, "force"), ("... acting above the axis by", bar.offset, "length")),
        section=((bar.length / 2, -half), (bar.length / 2, half)) if bar.offset else ((0.0, 0.0), (bar.length, 0.0)),
        signed=draw.chance(),
        axial=abs(bar.force) / (bar.width * bar.end_depth),
        bending=abs(moment) * half / bar.inertia,
        thermal=2 / 3 * abs(bar.hindered),
        heating=bar.warming,
        axial_compression=max(0.0, -bar.force),
        buckling_load=bar.buckling_load,
        heated="on both sides, none on the axis",
        length=bar.length,
    )


class Beam(SlenderSolid, frozen=True, kw_only=True):
    """Clamped at x = 0; a tip force of `force` along y and of `force * pull` along x. Its sides may be warmer."""

    force: float
    pull: float

    def stress(self, x: Array, y: Array) -> Components:
        """N/A - M y / I with M = F (L - x), the parabola V Q / (I b), and what hot sides add."""
        inside = self.contains(x, y)
        sx = self.force * (self.pull / self.area - (self.length - x) * y / self.inertia)
        sx = sx + body.thermal_stress_of_hot_sides(self.hindered, self.depth, y)
        txy = self.force / (2 * self.inertia) * (self.depth**2 / 4 - y**2)
        return np.where(inside, sx, np.nan), np.zeros_like(sx), np.where(inside, txy, np.nan)

    def displacement(self, x: Array, y: Array) -> tuple[Array, Array]:
        """The elastic line of the slender beam; sections stay plane."""
        stiffness = 6 * self.material.young * self.inertia
        along = np.clip(x, 0, None)
        slope = self.force * (6 * self.length * along - 3 * along**2) / stiffness
        stretch = (self.force * self.pull / self.area + self.hindered / 3) * x / self.material.young
        return stretch - y * slope, self.force * along**2 * (3 * self.length - along) / stiffness


def make_beam(draw: ParameterRng) -> Case:
    """Loaded upwards or downwards."""
    length = draw.between(0.5, 2.0)
    depth = length / draw.between(5.5, 10)
    unit = Beam(
        material=body.draw_material(draw),
        length=length,
        depth=depth,
        width=draw.spread(0.1, 0.8) * depth,
        force=draw.pick((-1.0, 1.0)),
        # beyond 6 L / h the axial stress is the larger one
        pull=draw.pick((0.0, 0.0, 15.0, -15.0, -15.0, -90.0)),
    )
    bent = unit.length * unit.depth / 2 / unit.inertia
    unit = replace(unit, hindered=draw.pick((1.0, -1.0)) * draw.between(0.4, 1.2) * bent if draw.chance() else 0.0)
    samples = unit.window.grid(121, 41)
    beam = unit.scaled(samples, body.draw_utilisation(draw), "force")
    return build_exact_case(draw, _beam_body(draw, beam, samples))


def _beam_body(draw: ParameterRng, beam: Beam, samples: tuple[Array, Array]) -> ExactBody:
    moment, axial = beam.force * beam.length, beam.force * beam.pull
    arrows = (Load(x=beam.length, y=0.0, fy=beam.force), Load(x=beam.length, y=0.0, fx=axial, pushes=axial < 0))
    balances = (
        Balance("Fy", "force", beam.force, -beam.force),
        Balance("Mz", "moment", moment, -moment),
        Balance("Fx", "force", axial, -axial),
    )
    return ExactBody(
        **beam.body_fields(draw, samples),
        kind="beam",
        title="Cantilever beam with a tip load",
        window=beam.window.padded(*(share * beam.length for share in (0.06, 0.2 if axial else 0.1, 0.14, 0.14))),
        outlines=(body.rectangle(beam.window),),
        supports=(body.clamp("clamp at x = 0", 0.0, beam.depth, (0.0, 1.0)),),
        loads=arrows if axial else arrows[:1],
        balances=balances if axial else balances[:2],
        geometry={"Length": beam.length, "Depth": beam.depth, "Width": beam.width},
        load_rows=(("Fy at the tip", beam.force, "force"), ("Fx at the tip", axial, "force")),
        section=((0.0, 0.45 * beam.depth), (beam.length, 0.45 * beam.depth))
        if draw.chance()
        else ((0.25 * beam.length, -beam.depth / 2), (0.25 * beam.length, beam.depth / 2)),
        signed=draw.chance(),
        axial=abs(axial) / beam.area,
        bending=abs(moment) * beam.depth / 2 / beam.inertia,
        thermal=2 / 3 * abs(beam.hindered),
        # a uniform warming strains a beam that is free at one end, and stresses it nowhere
        heating=beam.warming or draw.pick((0.0, 0.0, 40.0)),
        axial_compression=max(0.0, -axial),
        buckling_load=body.euler_load(beam.material, beam.depth * beam.width**3 / 12, beam.length, 2.0),
        heated="on both sides, none on the axis" if beam.hindered else "throughout",
        length=beam.length,
    )


class HeatedBar(SlenderSolid, frozen=True, kw_only=True):
    """Held at x = 0, and at x = L too unless a gap is open there. The force acts along x at mid-length."""

    heating: float
    force: float
    is_free: bool

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
        inside = self.contains(x, y)
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


def make_heated(draw: ParameterRng) -> Case:
    """Heated or cooled, with or without a force, with or without a gap."""
    length = draw.between(0.4, 1.5)
    depth = length / draw.between(8, 24)
    is_free, material = draw.chance(0.3), body.draw_material(draw, suits=_breaks_by_heat)
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
    heating = body.load_for(body.draw_utilisation(draw), unit.material, unit.stress(*samples))
    bar = replace(unit, heating=heating * unit.heating, force=round_significant(heating * unit.force))
    return build_exact_case(draw, _heated_body(draw, bar, samples))


def _breaks_by_heat(material: Material) -> bool:
    """Whether a few hundred kelvin bring a held bar to its strength."""
    return (material.yield_strength or material.tensile_strength) < 300 * material.young * material.expansion


def _heated_body(draw: ParameterRng, bar: HeatedBar, samples: tuple[Array, Array]) -> ExactBody:
    ends = bar.axial_force(np.array([0.0, bar.length])) + bar.thermal_stress * bar.area
    axial_compression = max(0.0, -float(ends.min()))
    grown = bar.displacement(np.array([bar.length]), np.zeros(1))[0][0]
    gap = round_significant(1.8 * abs(grown) + 1e-3 * bar.length) if bar.is_free else 0.0
    return ExactBody(
        **bar.body_fields(draw, samples),
        kind="heated",
        title="Heated bar between two walls" if bar.heating > 0 else "Cooled bar between two walls",
        window=bar.window.expanded(0.1 * bar.length, 0.09 * bar.length),
        outlines=(body.rectangle(bar.window),),
        supports=_supports(bar),
        loads=(Load(x=bar.length / 2, y=0.0, fx=bar.force),) if bar.force else (),
        balances=_balances(bar, ends),
        geometry={"Length": bar.length, "Depth": bar.depth, "Width": bar.width, "Gap at x = L before heating": gap},
        load_rows=(("Fx at mid-length", bar.force, "force"),),
        section=((0.0, 0.0), (bar.length, 0.0)),
        signed=draw.chance(0.7),
        axial=float(np.abs(ends).max()) / bar.area,
        thermal=abs(bar.thermal_stress),
        heating=bar.heating,
        axial_compression=axial_compression,
        buckling_load=body.euler_load(
            bar.material, bar.depth * bar.width**3 / 12, bar.length, 2.0 if bar.is_free else 0.5
        ),
        length=bar.length,
        marks=_wall_beyond_gap(bar) if bar.is_free else (),
    )


def _supports(bar: HeatedBar) -> tuple[Support, ...]:
    left = body.clamp("wall at x = 0", 0.0, bar.depth, (1.0, 0.0))
    right = body.clamp("wall at x = L", bar.length, bar.depth, (1.0, 0.0), faces_left=True)
    return (left,) if bar.is_free else (left, right)


def _balances(bar: HeatedBar, ends: Array) -> tuple[Balance, ...]:
    """Walls push against each other: the sum of both reactions answers the force, and each wall the bar's own end."""
    left, right = (float(value) for value in ends)
    if bar.force:
        return (Balance("Fx", "force", bar.force, right - left),)
    return (Balance("Fx at x = 0", "force", left, -left),)


def _wall_beyond_gap(bar: HeatedBar) -> tuple[Annotation, ...]:
    x = 1.07 * bar.length
    return (Hatch((x, 0.8 * bar.depth), (x, -0.8 * bar.depth)), TextNote("gap", (1.035 * bar.length, 1.1 * bar.depth)))
