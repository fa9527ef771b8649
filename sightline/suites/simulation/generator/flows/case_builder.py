"""Case construction from a flow: scene, report tables, key figures; closed-form flows get their defects here."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import (
    Array,
    Case,
    Profile,
    Residuals,
    Scene,
    Section,
    answer_all,
    draw_residuals,
)
from sightline.suites.simulation.generator.flows.facts import BOUNDARY_TOLERANCE, MASS_TOLERANCE, QUESTIONS, FlowFacts
from sightline.suites.simulation.generator.flows.flow import Flow, mass_flows, measure_flow
from sightline.suites.simulation.generator.report import residual_section
from sightline.suites.simulation.generator.rng import ParameterRng

_UNIT = {"speed": "speed", "velocity": "speed", "vorticity": "spin"}


def make_scene(flow: Flow) -> Scene:
    """Return the scene of a flow."""
    units, kind = flow.units, _UNIT[flow.shows]
    axis = "v" if flow.goes_up else "u"
    label = {"speed": "Speed", "velocity": f"Velocity {axis}", "vorticity": "Vorticity"}[flow.shows]
    inside = flow.window

    def values(x: Array, y: Array, moment: float) -> Array:
        shown = _displayed_field(flow, x, y, moment)
        within = (x >= inside.left) & (x <= inside.right) & (y >= inside.bottom) & (y <= inside.top)
        return np.where(within, shown, np.nan)

    return Scene(
        window=inside.expanded(*flow.margin),
        values=values,
        quantity=f"{label} / {units.symbol(kind)}",
        factor=units.convert(1.0, kind),
        marks=lambda moment: flow.marks,
        stage=lambda moment: (
            f"t = {units.format_value(moment * flow.duration, 'time')}" if flow.duration else "tracers"
        ),
        flow=flow.velocity,
        domain=inside,
        profile=_profile(flow),
        may_turn=flow.may_turn,
        decays=flow.duration > 0,
        follows_lines=flow.follows_lines,
    )


def _displayed_field(flow: Flow, x: Array, y: Array, moment: float) -> Array:
    if flow.shows == "vorticity":
        step = 0.5 * flow.probe * flow.length
        v_right, v_left = (flow.velocity(x + side * step, y, moment)[1] for side in (1, -1))
        u_up, u_down = (flow.velocity(x, y + side * step, moment)[0] for side in (1, -1))
        spin = (v_right - v_left - u_up + u_down) / (2 * step)
        return np.clip(spin, -flow.spin_limit, flow.spin_limit)
    u, v = flow.velocity(x, y, moment)
    if flow.shows == "velocity":
        return v if flow.goes_up else u
    return np.asarray(np.hypot(u, v))


def _profile(flow: Flow) -> Profile:
    """The velocity along the main direction, across a station on the way."""
    window, units = flow.window, flow.units
    place, fixed = np.linspace(0, 1, 241), np.full(241, flow.station)
    x = window.left + window.width * (place if flow.goes_up else fixed)
    y = window.bottom + window.height * (fixed if flow.goes_up else place)
    u, v = flow.velocity(x, y, 1.0)
    across, along, axis = ("x", "y", "v") if flow.goes_up else ("y", "x", "u")
    at = units.format_value(float(y[0] if flow.goes_up else x[0]), "length")
    return Profile(
        title=f"Velocity {axis} across {along} = {at}",
        across=f"{across} / {units.symbol('length')}",
        up=units.symbol("speed"),
        xs=units.convert(1.0, "length") * (x if flow.goes_up else y),
        ys=units.convert(1.0, "speed") * (v if flow.goes_up else u),
    )


def report_sections(flow: Flow, facts: FlowFacts) -> tuple[Section, ...]:
    """Return all report tables, in the order of a solver's output."""
    show = flow.units.format_value
    return (
        Section(
            title="Domain",
            rows=(
                *((label, show(value, "length")) for label, value in flow.geometry.items()),
                *((label, show(value, "speed")) for label, value in flow.speeds.items()),
            ),
        ),
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
    step = flow.units.format_value(flow.duration / 400, "time")
    return (("Time integration", f"400 steps of {step}"), ("End time", flow.units.format_value(flow.duration, "time")))


def _fluid(flow: Flow) -> Section:
    fluid, show = flow.fluid, flow.units.format_value
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
    show = flow.units.format_value
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
    show = flow.units.format_value
    where = ", ".join(show(value, "length") for value in facts.peak_at)
    return Section(
        title="Velocity field at the end",
        header=("Quantity", "Value"),
        rows=(
            ("Mean speed", show(facts.mean_speed, "speed")),
            ("Highest speed", show(facts.peak_speed, "speed")),
            ("... found at (x, y)", where),
            ("... distance from the centre line", f"{100 * facts.peak_offset:.1f} % of the width"),
            (f"Lowest velocity along {'y' if flow.goes_up else 'x'}", show(facts.backflow * facts.peak_speed, "speed")),
            ("Change between stations, of highest speed", f"{100 * facts.station_change:.2f} %"),
            ("Change over the last tenth of the run", f"{100 * facts.late_change:.2f} %"),
            ("Difference between the two halves", f"{100 * facts.asymmetry:.2f} %"),
        ),
    )


def _boundaries(flow: Flow, facts: FlowFacts) -> Section:
    show = flow.units.format_value
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
    show = flow.units.format_value
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


def build_case(draw: ParameterRng, flow: Flow) -> Case:
    """Build the case of a closed-form flow, with random defects: a mass leak, a stalled solver."""
    if draw.chance():
        flow = add_leak(flow, draw.between(0.06, 0.25))
    names = ("continuity", "x-mom", "y-mom") + (("energy",) if flow.heating else ())
    return case_from_flow(flow, draw_residuals(draw, names, stalls=draw.chance()))


def case_from_flow(flow: Flow, residuals: Residuals) -> Case:
    """Build the case of a flow as it is."""
    facts = measure_flow(flow, residuals)
    return Case(
        kind=flow.kind,
        title=flow.title,
        subtitle=_subtitle(flow, facts),
        scene=make_scene(flow),
        facts=facts,
        answers=answer_all(QUESTIONS, facts),
        sections=report_sections(flow, facts),
        figures=key_figures(flow, facts),
        residuals=facts.residuals,
    )


def add_leak(flow: Flow, share: float) -> Flow:
    """Return the flow with a mass leak of a fraction of the inflow, along the flow or distributed."""
    window, velocity = flow.window, flow.velocity
    entering, _ = mass_flows(flow)
    sink = share * entering / (flow.fluid.density * window.width * window.height)

    def weakened(x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        u, v = velocity(x, y, moment)
        way = (y - window.bottom) / window.height if flow.goes_up else (x - window.left) / window.width
        kept = 1 - share * np.clip(way, 0, 1)
        return u * kept, v * kept

    def drained(x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        u, v = velocity(x, y, moment)
        middle_x, middle_y = (window.left + window.right) / 2, (window.bottom + window.top) / 2
        return u - sink / 2 * (x - middle_x), v - sink / 2 * (y - middle_y)

    return replace(flow, velocity=weakened if flow.has_through_flow else drained)


def _subtitle(flow: Flow, facts: FlowFacts) -> str:
    clock = f" - time span {flow.units.format_value(flow.duration, 'time')}" if flow.duration else ""
    return f"{flow.fluid.name} - Re = {facts.reynolds:.4g} - Ri = {facts.richardson:.3g}{clock}"
