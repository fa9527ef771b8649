"""Report tables and key figures of a flow."""

from __future__ import annotations

from sightline.suites.simulation.generator.case import Section
from sightline.suites.simulation.generator.flows.facts import BOUNDARY_TOLERANCE, MASS_TOLERANCE, FlowFacts
from sightline.suites.simulation.generator.flows.flow import Flow
from sightline.suites.simulation.generator.reporting.residuals import residual_section


def report_sections(flow: Flow, facts: FlowFacts) -> tuple[Section, ...]:
    """Return all report tables, in the order of a solver's output."""
    show = flow.units.show
    return (
        Section(title="Domain", rows=tuple((label, show(value, unit)) for label, value, unit in flow.geometry)),
        Section(title="Mesh", rows=(*flow.mesh, ("Dimension", "two, per metre of depth"))),
        _fluid(flow),
        Section(title="Set-up", rows=(*_time_section(flow), *flow.set_up)),
        _numbers(flow, facts),
        _velocity(flow, facts),
        Section(
            title="Mass flow across the boundaries",
            header=("Direction", "Mass flow"),
            rows=(("Entering", show(facts.inflow, "flux")), ("Leaving", show(facts.outflow, "flux"))),
        ),
        _boundaries(flow, facts),
        Section(
            title="Limits used in checks",
            rows=(
                ("Mass flow", f"{100 * MASS_TOLERANCE:.0f} % of what enters"),
                ("Velocity on boundaries", f"{100 * BOUNDARY_TOLERANCE:.0f} % of the reference speed"),
            ),
        ),
        residual_section(facts.residuals),
    )


def _time_section(flow: Flow) -> tuple[tuple[str, str], ...]:
    if flow.clock:
        return flow.clock
    if not flow.duration:
        return (("Time integration", "none"),)
    step = flow.units.show(flow.duration / 400, "time")
    return (("Time integration", f"400 steps of {step}"), ("End time", flow.units.show(flow.duration, "time")))


def _fluid(flow: Flow) -> Section:
    fluid, show = flow.fluid, flow.units.show
    return Section(
        title="Fluid",
        rows=(
            ("Name", fluid.name),
            ("Density", show(fluid.density, "density")),
            ("Viscosity", show(fluid.viscosity, "viscosity")),
            ("Speed of sound", show(fluid.sound, "speed")),
        ),
    )


def _numbers(flow: Flow, facts: FlowFacts) -> Section:
    show = flow.units.show
    return Section(
        title="Reference values",
        rows=(
            ("Reference length", show(flow.length, "length")),
            ("Reference speed", show(flow.speed, "speed")),
            ("Reynolds number", f"{facts.reynolds:.4g}"),
            ("Reynolds number of transition", f"{facts.critical_reynolds:.4g}"),
            ("Temperature difference", show(facts.heating, "heat")),
            ("Richardson number", f"{facts.richardson:.4g}"),
            ("Pressure gradient along the main direction", show(facts.pressure_gradient, "gradient")),
            ("Pressure change, of dynamic pressure", f"{100 * facts.pressure_change:.4g} %"),
            *(
                (
                    ("Closure for eddies", flow.closure),
                    ("Eddy viscosity, highest, of the fluid's", f"{facts.eddy_ratio:.4g}"),
                )
                if flow.closure
                else ()
            ),
        ),
    )


def _velocity(flow: Flow, facts: FlowFacts) -> Section:
    show = flow.units.show
    where = ", ".join(show(value, "length") for value in facts.peak_at)
    return Section(
        title="Velocity field at the end",
        header=("Quantity", "Value"),
        rows=(
            ("Mean speed", show(facts.mean_speed, "speed")),
            ("Highest speed", show(facts.peak_speed, "speed")),
            ("... found at (x, y)", where),
            ("... distance from the centre line", f"{100 * facts.peak_offset:.1f} % of the width"),
            (
                f"Lowest velocity along {'y' if flow.goes_up else 'x'}",
                show(facts.backflow * facts.peak_speed, "speed"),
            ),
            ("Change between stations, of highest speed", f"{100 * facts.station_change:.2f} %"),
            ("Change over the last tenth of the run", f"{100 * facts.late_change:.2f} %"),
            ("Difference between the two halves", f"{100 * facts.asymmetry:.2f} %"),
        ),
    )


def _boundaries(flow: Flow, facts: FlowFacts) -> Section:
    show = flow.units.show
    return Section(
        title="Velocity on the boundaries",
        header=("Boundary", "Condition", "Error", "Along it, low", "high"),
        rows=tuple(
            (
                edge.name,
                edge.condition,
                show(edge.miss, "speed"),
                show(edge.slowest, "speed") if edge.is_wall else "-",
                show(edge.fastest, "speed") if edge.is_wall else "-",
            )
            for edge in facts.boundaries
        ),
    )


def key_figures(flow: Flow, facts: FlowFacts) -> tuple[tuple[str, str], ...]:
    """Return the key figures shown beside the picture."""
    show = flow.units.show
    miss = max(edge.miss for edge in facts.boundaries)
    return (
        ("Reynolds number", f"{facts.reynolds:.4g}"),
        ("Transition at Re", f"{facts.critical_reynolds:.4g}"),
        ("Richardson number", f"{facts.richardson:.3g}"),
        ("Highest speed", show(facts.peak_speed, "speed")),
        ("Temperature diff.", show(facts.heating, "heat")),
        ("Pressure change / q", f"{100 * facts.pressure_change:.3g} %"),
        ("Mass flow in", show(facts.inflow, "flux")),
        ("Mass flow out", show(facts.outflow, "flux")),
        ("Error on boundaries", show(miss, "speed")),
    )
