"""Report tables and key figures of a structural case."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.generator.case import Section
from sightline.suites.simulation.generator.reporting.residuals import residual_section
from sightline.suites.simulation.generator.solids.body import Body
from sightline.suites.simulation.generator.solids.facts import BALANCE_TOLERANCE, SUPPORT_TOLERANCE, SolidFacts


def report_sections(body: Body, facts: SolidFacts) -> tuple[Section, ...]:
    """Return all report tables, in the order of a solver's output."""
    show = body.units.show
    return (
        Section(title="Geometry", rows=tuple((label, show(value, unit)) for label, value, unit in body.geometry)),
        Section(
            title="Mesh",
            rows=body.mesh_rows,
        ),
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
            rows=tuple((name, show(0.0, "shift"), show(moved, "shift")) for name, moved in facts.supports),
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
    material, show = body.material, body.units.show
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
    show = body.units.show
    return Section(
        title="Results",
        header=("Quantity", "Minimum", "Maximum"),
        rows=(
            ("von Mises stress", show(facts.von_mises_low, "stress"), show(facts.von_mises_high, "stress")),
            *((("von Mises stress, linear step", "-", show(facts.linear_peak, "stress")),) if body.hardening else ()),
            ("Principal stress", show(-facts.compression, "stress"), show(facts.tension, "stress")),
            *((("Equivalent strain beyond yield", "0", f"{100 * facts.flowed:.3g} %"),) if body.hardening else ()),
            ("Displacement, magnitude", "-", show(facts.displacement, "shift")),
            ("Longest dimension", "-", show(facts.length, "length")),
            ("x of the largest von Mises stress", "-", show(facts.peak_at[0], "length")),
            ("y of the largest von Mises stress", "-", show(facts.peak_at[1], "length")),
        ),
    )


def _shares(body: Body, facts: SolidFacts) -> Section:
    show = body.units.show
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
    show = body.units.show
    load = show(facts.buckling_load, "force") if np.isfinite(facts.buckling_load) else "not applicable"
    return Section(
        title="Stability",
        rows=(("Compressive axial force", show(facts.squeeze, "force")), ("Lowest buckling load", load)),
    )


def key_figures(body: Body, facts: SolidFacts) -> tuple[tuple[str, str], ...]:
    """Return the key figures shown beside the picture."""
    show, material = body.units.show, body.material
    worst = max(facts.balances, key=lambda row: abs(row.applied + row.reaction) / (abs(row.applied) or 1.0))
    moved = max((abs(found) for _, found in facts.supports), default=0.0)
    strength = (
        ("Yield strength", show(material.yield_strength, "stress"))
        if material.is_ductile
        else ("Tens. / compr. strength", _both(body, material.tensile_strength, material.compressive_strength))
    )
    squeezed = (("Thrust / buckling", _both(body, facts.squeeze, facts.buckling_load, "force")),)
    return (
        strength,
        ("Elongation at break", f"{100 * material.elongation:.3g} %"),
        ("Max von Mises", show(facts.von_mises_high, "stress")),
        ("Principal min / max", _both(body, -facts.compression, facts.tension)),
        ("Max displacement", show(facts.displacement, "shift")),
        ("Support moved", show(moved, "shift")),
        (f"Applied {worst.name}", show(worst.applied, worst.unit)),
        (f"Reaction {worst.name}", show(worst.reaction, worst.unit)),
        *(squeezed if facts.squeeze and np.isfinite(facts.buckling_load) else ()),
    )


def _both(body: Body, first: float, second: float, kind: str = "stress") -> str:
    return f"{body.units.number(first, kind) + 0.0:.4g} / {body.units.show(second, kind)}"
