"""Case construction from a measured body: scene, report and answers."""

from __future__ import annotations

from sightline.suites.simulation.generator.case import Case, Scene
from sightline.suites.simulation.generator.question import answer_all
from sightline.suites.simulation.generator.solids.body import Body
from sightline.suites.simulation.generator.solids.facts import SolidFacts
from sightline.suites.simulation.generator.solids.questions import QUESTIONS
from sightline.suites.simulation.generator.solids.sections import key_figures, report_sections


def build_case(body: Body, facts: SolidFacts, scene: Scene) -> Case:
    """Build the case of a body from its measured facts."""
    change, place = body.units.show(body.heating, "heat"), body.heated.split(",")[0]
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
