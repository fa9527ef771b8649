"""Case construction from a body: scene on the deformed shape, report and key figures; defects of closed-form bodies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import (
    Annotation,
    Array,
    Arrow,
    Case,
    Line,
    Point,
    Profile,
    Residuals,
    Scene,
    Section,
    VectorField,
    answer_all,
    draw_residuals,
)
from sightline.suites.simulation.generator.report import residual_section
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.generator.solids.body import (
    LEAST_DISPLACEMENT,
    Body,
    Displacement,
    ExactBody,
    stress_facts,
    von_mises,
)
from sightline.suites.simulation.generator.solids.facts import (
    BALANCE_TOLERANCE,
    QUESTIONS,
    SUPPORT_TOLERANCE,
    Load,
    SolidFacts,
)

_SHOWN_DISPLACEMENT = 0.05
"""The largest displacement is drawn as long as this share of the window."""
_ARROW = 0.1


class Motion(Struct, frozen=True):
    """The fields of a body while the load rises; moments run from 0 to 1, the full load."""

    displacement: VectorField
    """At points of the body before it moved."""
    values: Callable[[Array, Array, float, float], Array]
    """What the colours show at points of the deformed body: moment and magnification come last."""


def make_scene(body: Body, motion: Motion, largest: float) -> Scene:
    """Return the scene of a body with a known largest displacement."""
    size = body.window.size
    # a bar between two walls may move by next to nothing, which must not be blown up to look like much
    magnified = _SHOWN_DISPLACEMENT * size / max(largest, LEAST_DISPLACEMENT * body.length)
    has_thermal_load = body.heating != 0.0

    def marks(moment: float) -> tuple[Annotation, ...]:
        def carried(points: tuple[Point, ...]) -> tuple[Point, ...]:
            x, y = np.array(points).T
            ux, uy = motion.displacement(x, y, moment)
            return tuple(zip((x + magnified * ux).tolist(), (y + magnified * uy).tolist(), strict=True))

        return (
            *(Line(outline, "#8b949e", 1.0, dashed=True) for outline in body.outlines),
            *(Line(carried(outline)) for outline in body.outlines),
            *body.hatches,
            *body.marks,
            *(_arrow(load, carried(((load.x, load.y),))[0], size) for load in body.loads),
        )

    return Scene(
        window=body.window,
        values=lambda x, y, moment: motion.values(x, y, moment, magnified),
        quantity=f"{'Normal stress Sxx' if body.signed else 'von Mises stress'} / {body.units.symbol('stress')}",
        factor=body.units.convert(1.0, "stress"),
        marks=marks,
        stage=lambda moment: f"{'load and heating' if has_thermal_load else 'load'} at {100 * moment:.0f} %",
        profile=_profile(body),
    )


def find_undeformed(x: Array, y: Array, moved: Displacement, magnified: float) -> tuple[Array, Array]:
    """Map points of the deformed shape back to the undeformed one, by fixed-point iteration."""
    from_x, from_y = x, y
    for _ in range(4):
        ux, uy = moved(from_x, from_y)
        from_x, from_y = x - magnified * ux, y - magnified * uy
    return from_x, from_y


def _arrow(load: Load, at: Point, size: float) -> Annotation:
    x, y = at
    if load.torque:
        turn = np.sign(load.torque) * np.linspace(0.25, 1.35, 16)
        radius = 1.12 * float(np.hypot(load.x, load.y))
        start = np.arctan2(load.y, load.x)
        return Arrow(tuple((radius * float(np.cos(start + a)), radius * float(np.sin(start + a))) for a in turn))
    length = float(np.hypot(load.fx, load.fy))
    dx, dy = _ARROW * size * load.fx / length, _ARROW * size * load.fy / length
    return Arrow(((x - dx, y - dy), (x, y)) if load.pushes else ((x, y), (x + dx, y + dy)))


def _profile(body: Body) -> Profile:
    (x0, y0), (x1, y1) = body.section
    place = np.linspace(0, 1, 241)
    stress = body.stress(x0 + (x1 - x0) * place, y0 + (y1 - y0) * place)
    units = body.units
    shown = stress[0] if body.signed else von_mises(stress)
    along = "x" if abs(x1 - x0) > abs(y1 - y0) else "y"
    first, last = (x0, x1) if along == "x" else (y0, y1)
    other = "y" if along == "x" else "x"
    fixed = units.format_value(y0 if along == "x" else x0, "length")
    return Profile(
        title=f"{'Sxx' if body.signed else 'von Mises'} along {along}, at {other} = {fixed}",
        across=f"{along} / {units.symbol('length')}",
        up=units.symbol("stress"),
        xs=units.convert(1.0, "length") * (first + (last - first) * place),
        ys=units.convert(1.0, "stress") * shown,
    )


def report_sections(body: Body, facts: SolidFacts) -> tuple[Section, ...]:
    """Return all report tables, in the order of a solver's output."""
    show = body.units.format_value
    return (
        Section(title="Geometry", rows=tuple((label, show(value, "length")) for label, value in body.geometry.items())),
        Section(title="Mesh", rows=body.mesh_rows),
        _material(body),
        Section(
            title="Loads",
            header=("Load", "Value"),
            rows=(
                *((label, show(value, unit)) for label, value, unit in body.load_rows),
                (f"Temperature change {body.heated}", show(body.heating, "heat")),
            ),
        ),
        _results(body, facts),
        _shares(body, facts),
        _stability(body, facts),
        Section(
            title="Sum of loads and reactions",
            header=("Component", "Applied", "Reaction"),
            rows=tuple((row.name, show(row.applied, row.unit), show(row.reaction, row.unit)) for row in facts.balances),
        ),
        Section(
            title="Displacement at supports",
            header=("Support", "Prescribed", "Found"),
            rows=tuple((name, show(0.0, "length"), show(moved, "length")) for name, moved in facts.supports),
        ),
        Section(
            title="Limits used in checks",
            rows=(
                ("Load balance", f"{100 * BALANCE_TOLERANCE:.0f} % of the load"),
                ("Support displacement", f"{100 * SUPPORT_TOLERANCE:.0f} % of the largest displacement"),
            ),
        ),
        residual_section(facts.residuals),
    )


def _material(body: Body) -> Section:
    material, show = body.material, body.units.format_value
    strength = show(material.yield_strength, "stress") if material.yield_strength else "none listed"
    return Section(
        title="Material",
        rows=(
            ("Name", material.name),
            ("Young's modulus", show(material.young, "modulus")),
            ("Poisson's ratio", f"{material.poisson:.2f}"),
            ("Thermal expansion", show(material.expansion, "expansion")),
            ("Yield strength", strength),
            *((("Tangent modulus beyond yield", show(body.hardening, "modulus")),) if body.hardening else ()),
            ("Tensile strength", show(material.tensile_strength, "stress")),
            ("Compressive strength", show(material.compressive_strength, "stress")),
            ("Elongation at break", f"{100 * material.elongation:.3g} %"),
        ),
    )


def _results(body: Body, facts: SolidFacts) -> Section:
    show = body.units.format_value
    return Section(
        title="Results",
        header=("Quantity", "Minimum", "Maximum"),
        rows=(
            ("von Mises stress", show(facts.von_mises_low, "stress"), show(facts.von_mises_high, "stress")),
            *((("von Mises stress, linear step", "-", show(facts.linear_peak, "stress")),) if body.hardening else ()),
            ("Principal stress", show(-facts.compression, "stress"), show(facts.tension, "stress")),
            *(
                (("Equivalent strain beyond yield", "0", f"{100 * facts.plastic_strain:.3g} %"),)
                if body.hardening
                else ()
            ),
            ("Displacement, magnitude", "-", show(facts.displacement, "length")),
            ("Longest dimension", "-", show(facts.length, "length")),
            ("x of the largest von Mises stress", "-", show(facts.peak_at[0], "length")),
            ("y of the largest von Mises stress", "-", show(facts.peak_at[1], "length")),
        ),
    )


def _shares(body: Body, facts: SolidFacts) -> Section:
    show = body.units.format_value
    return Section(
        title="Peak stress by cause",
        header=("Cause", "Peak magnitude"),
        rows=(
            ("Axial or membrane force (normal)", show(facts.axial, "stress")),
            ("Bending moment (normal)", show(facts.bending, "stress")),
            ("Torque (shear)", show(facts.torsion, "stress")),
            ("Restrained expansion (von Mises)", show(facts.thermal, "stress")),
        ),
    )


def _stability(body: Body, facts: SolidFacts) -> Section:
    show = body.units.format_value
    load = show(facts.buckling_load, "force") if np.isfinite(facts.buckling_load) else "not applicable"
    return Section(
        title="Stability",
        rows=(("Compressive axial force", show(facts.axial_compression, "force")), ("Lowest buckling load", load)),
    )


def key_figures(body: Body, facts: SolidFacts) -> tuple[tuple[str, str], ...]:
    """Return the key figures shown beside the picture."""
    show, material = body.units.format_value, body.material
    worst = max(facts.balances, key=lambda row: abs(row.applied + row.reaction) / (abs(row.applied) or 1.0))
    moved = max((abs(found) for _, found in facts.supports), default=0.0)
    strength = (
        ("Yield strength", show(material.yield_strength, "stress"))
        if material.is_ductile
        else ("Tens. / compr. strength", _both(body, material.tensile_strength, material.compressive_strength))
    )
    squeezed = (("Thrust / buckling", _both(body, facts.axial_compression, facts.buckling_load, "force")),)
    return (
        strength,
        ("Elongation at break", f"{100 * material.elongation:.3g} %"),
        ("Max von Mises", show(facts.von_mises_high, "stress")),
        ("Principal min / max", _both(body, -facts.compression, facts.tension)),
        ("Max displacement", show(facts.displacement, "length")),
        ("Support moved", show(moved, "length")),
        (f"Applied {worst.name}", show(worst.applied, worst.unit)),
        (f"Reaction {worst.name}", show(worst.reaction, worst.unit)),
        *(squeezed if facts.axial_compression and np.isfinite(facts.buckling_load) else ()),
    )


def _both(body: Body, first: float, second: float, kind: str = "stress") -> str:
    return f"{body.units.convert(first, kind) + 0.0:.4g} / {body.units.format_value(second, kind)}"


def build_case(body: Body, facts: SolidFacts, scene: Scene) -> Case:
    """Build the case of a body from its measured facts."""
    change, place = body.units.format_value(body.heating, "heat"), body.heated.split(",")[0]
    heated = f" - temperature change {change} {place}" if body.heating else ""
    return Case(
        kind=body.kind,
        title=body.title,
        subtitle=f"{body.material.name} - static, load step {body.steps} of {body.steps}{heated}",
        scene=scene,
        facts=facts,
        answers=answer_all(QUESTIONS, facts),
        sections=report_sections(body, facts),
        figures=key_figures(body, facts),
        residuals=facts.residuals,
    )


def build_exact_case(draw: ParameterRng, body: ExactBody) -> Case:
    """Build the case of a closed-form body with random defects, so that physical laws are sometimes violated.

    Part of the reactions may be lost, the body may slip off its supports, and the solver may stall.
    """
    # a bar held at both ends may not move at all: a slip then needs a scale of its own
    scale = max(_largest(body.displacement, body.samples), LEAST_DISPLACEMENT * body.length)
    share = draw.between(0.12, 0.3) if draw.chance() else 0.0
    lost_reaction = draw.between(0.06, 0.25) if draw.chance() else 0.0
    stalls = draw.chance()
    slip_x, slip_y = (share * scale * component for component in body.supports[0].direction)

    def displacement(x: Array, y: Array) -> tuple[Array, Array]:
        ux, uy = body.displacement(x, y)
        return ux + slip_x, uy + slip_y

    def displacement_at(x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        ux, uy = displacement(x, y)
        return moment * ux, moment * uy

    def values(x: Array, y: Array, moment: float, magnified: float) -> Array:
        stress = body.stress(*find_undeformed(x, y, displacement, moment * magnified))
        return moment * (stress[0] if body.signed else von_mises(stress))

    residuals = draw_residuals(draw, ("force", "displacement"), stalls=stalls)
    facts = _measure(replace(body, displacement=displacement), lost_reaction, residuals)
    body = replace(body, hatches=tuple(support.hatch for support in body.supports if support.hatch))
    return build_case(body, facts, make_scene(body, Motion(displacement_at, values), facts.displacement))


def _largest(displacement: Displacement, points: tuple[Array, Array]) -> float:
    return float(np.hypot(*displacement(*points)).max())


def _measure(body: ExactBody, lost_reaction: float, residuals: Residuals) -> SolidFacts:
    supports = []
    for support in body.supports:
        ux, uy = body.displacement(np.array([support.at[0]]), np.array([support.at[1]]))
        supports.append((support.name, float(ux[0] * support.direction[0] + uy[0] * support.direction[1])))
    shares = ("axial", "bending", "torsion", "thermal", "axial_compression", "buckling_load")
    return SolidFacts(
        **{name: getattr(body, name) for name in ("material", "loads", "load_count", "length", *shares)},
        **stress_facts(body.stress(*body.samples), *body.samples),
        balances=tuple(replace(row, reaction=row.reaction * (1 - lost_reaction)) for row in body.balances),
        supports=tuple(supports),
        displacement=_largest(body.displacement, body.samples),
        residuals=residuals,
    )
