"""Case construction from a flow: measured facts, scene and report; closed-form flows get their defects here."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.flows.facts import FlowFacts
from sightline.suites.simulation.generator.flows.flow import Flow
from sightline.suites.simulation.generator.flows.measure import mass_flows, measure_flow
from sightline.suites.simulation.generator.flows.questions import QUESTIONS
from sightline.suites.simulation.generator.flows.scene import make_scene
from sightline.suites.simulation.generator.flows.sections import key_figures, report_sections
from sightline.suites.simulation.generator.question import answer_all
from sightline.suites.simulation.generator.residuals import Residuals, draw_residuals


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
    clock = f" - time span {flow.units.show(flow.duration, 'time')}" if flow.duration else ""
    return f"{flow.fluid.name} - Re = {facts.reynolds:.4g} - Ri = {facts.richardson:.3g}{clock}"
