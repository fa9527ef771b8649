"""From a flow to a case: measured facts, scene and report; flows that are formulas get their defects here."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.case import Case
from sightline.suites.simulation.generator.draw import Draw
from sightline.suites.simulation.generator.flows.facts import FlowFacts
from sightline.suites.simulation.generator.flows.measure import mass_flows, measure
from sightline.suites.simulation.generator.flows.questions import QUESTIONS
from sightline.suites.simulation.generator.flows.scene import scene_of
from sightline.suites.simulation.generator.flows.sections import figures_of, sections_of
from sightline.suites.simulation.generator.flows.stream import Stream
from sightline.suites.simulation.generator.question import answer_all
from sightline.suites.simulation.generator.residuals import Residuals, draw_residuals


def build(draw: Draw, stream: Stream) -> Case:
    """The case of a flow; by chance it loses mass along the main direction, and its solver stalls."""
    if draw.chance():
        stream = leaking(stream, draw.between(0.06, 0.25))
    names = ("continuity", "x-mom", "y-mom") + (("energy",) if stream.heating else ())
    return case_of(stream, draw_residuals(draw, names, stalls=draw.chance()))


def case_of(stream: Stream, residuals: Residuals) -> Case:
    """Everything about a flow that is there already."""
    facts = measure(stream, residuals)
    return Case(
        kind=stream.kind,
        title=stream.title,
        subtitle=_subtitle(stream, facts),
        scene=scene_of(stream),
        facts=facts,
        answers=answer_all(QUESTIONS, facts),
        sections=sections_of(stream, facts),
        figures=figures_of(stream, facts),
        residuals=facts.residuals,
    )


def leaking(stream: Stream, share: float) -> Stream:
    """The same flow, but the share of what enters is lost on the way: along it, or to a sink in all of the domain."""
    window, velocity = stream.window, stream.velocity
    entering, _ = mass_flows(stream)
    sink = share * entering / (stream.fluid.density * window.width * window.height)

    def weakened(x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        u, v = velocity(x, y, moment)
        way = (y - window.bottom) / window.height if stream.goes_up else (x - window.left) / window.width
        kept = 1 - share * np.clip(way, 0, 1)
        return u * kept, v * kept

    def drained(x: Array, y: Array, moment: float) -> tuple[Array, Array]:
        u, v = velocity(x, y, moment)
        middle_x, middle_y = (window.left + window.right) / 2, (window.bottom + window.top) / 2
        return u - sink / 2 * (x - middle_x), v - sink / 2 * (y - middle_y)

    return replace(stream, velocity=weakened if stream.has_through_flow else drained)


def _subtitle(stream: Stream, facts: FlowFacts) -> str:
    clock = f" - time span {stream.units.show(stream.duration, 'time')}" if stream.duration else ""
    return f"{stream.fluid.name} - Re = {facts.reynolds:.4g} - Ri = {facts.richardson:.3g}{clock}"
