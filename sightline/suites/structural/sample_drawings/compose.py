"""All drawings of a sample: the true model and the reply's, each with its response to the loads."""

from __future__ import annotations

from sightline.core.errors import SightlineError
from sightline.core.interfaces import Drawing
from sightline.core.records import Remark, Sample, Unparsed
from sightline.scoring.parsers.json_object import read_json_object
from sightline.suites.structural.difficulty import category_of
from sightline.suites.structural.framecalc.convert import solve_model
from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.model import Model
from sightline.suites.structural.physics.diagnosis import Diagnosis, UnreadableModel, diagnose_raw
from sightline.suites.structural.plots import translate_model
from sightline.suites.structural.sample_drawings.faults import missing_parts, wrong_parts
from sightline.suites.structural.sample_drawings.model_figure import MAX_LOADS, Missing, draw_model_figure
from sightline.suites.structural.sample_drawings.response_figures import (
    draw_bar_forces,
    draw_deflected_shape,
    draw_moments,
)

MAX_MEMBERS = 80
"""Maximum number of members for diagrams; the structure itself is always drawn."""
_MAX_NOTES = 6
_TRUTH, _REPLY = Remark("The true model"), Remark("The reply's model")
_TITLES = {
    "moments": (Remark("True bending moments in kN·m"), Remark("The reply's bending moments in kN·m")),
    "bars": (Remark("True axial forces in kN"), Remark("The reply's axial forces in kN")),
    "shape": (Remark("True deflected shape"), Remark("The reply's deflected shape")),
}
_PARSE_REASONS = {
    remark.text: remark
    for remark in (
        Remark("no JSON object"),
        Remark("the JSON object is broken or cut off"),
        Remark("the reply holds too much that looks like JSON"),
    )
}
"""Reasons of the parser, as translatable remarks."""


def drawings(sample: Sample, reply: str, tolerance: float) -> list[Drawing]:
    """Drawings of truth and reply: the models, then their responses."""
    truth = read_model(sample.target).model
    if truth is None:
        return []
    kind = "bars" if category_of(truth, sample.task) == "truss" else "moments"
    result = [Drawing(_TRUTH, draw_model_figure(truth), _load_limit_note(truth))]
    responses = [_response_figures(truth, kind)]
    if reply.strip():
        diagnosis = _diagnose(sample, reply, tolerance)
        if isinstance(diagnosis, Remark):
            result.append(Drawing(_REPLY, notes=(diagnosis,)))
        else:
            assert diagnosis.overlay is not None
            answer = translate_model(diagnosis.overlay.answer.model, diagnosis.overlay.answer.shift)
            result.append(_draw_reply(diagnosis, truth, answer))
            responses.append(_response_figures(answer, kind))
    for number, kind_of_figure in enumerate((kind, "shape")):
        for title, figures in zip(_TITLES[kind_of_figure], responses, strict=False):
            result += [Drawing(title, *figure) for figure in figures[number : number + 1]]
    return result


def _diagnose(sample: Sample, reply: str, tolerance: float) -> Diagnosis | Remark:
    """The diagnosis as used for grading, or the reason why there is none."""
    parsed = read_json_object(reply)
    if isinstance(parsed, Unparsed):
        return Remark(
            "No model can be read from the reply: {fault}",
            {"fault": _PARSE_REASONS.get(str(parsed.reason), parsed.reason)},
        )
    try:
        diagnosis = diagnose_raw(parsed.value, sample.target, sample.task, tolerance)
    except SightlineError as error:
        return Remark("The reply's model can't be solved: {fault}", {"fault": error})
    if isinstance(diagnosis, UnreadableModel):
        return Remark("No model can be read from the reply: {fault}", {"fault": diagnosis.reason})
    return diagnosis


def _draw_reply(diagnosis: Diagnosis, truth: Model, answer: Model) -> Drawing:
    assert diagnosis.overlay is not None
    wrong = wrong_parts(diagnosis.problems, diagnosis.overlay)
    missing = Missing(truth, missing_parts(diagnosis.problems, diagnosis.overlay))
    notes = [problem.remark for problem in diagnosis.problems[:_MAX_NOTES]]
    if len(diagnosis.problems) > _MAX_NOTES:
        notes.append(Remark("and {count} more", {"count": len(diagnosis.problems) - _MAX_NOTES}))
    if diagnosis.stage == "right":
        notes.append(Remark("It is the same structure under the same loads."))
    elif diagnosis.problems:
        notes.insert(0, Remark("Red: wrong. Dashed red: missing."))
    return Drawing(_REPLY, draw_model_figure(answer, wrong, missing), (*notes, *_load_limit_note(answer)))


def _load_limit_note(model: Model) -> tuple[Remark, ...]:
    if len(model.loads) <= MAX_LOADS:
        return ()
    return (Remark("Only {most} of {count} loads are drawn.", {"most": MAX_LOADS, "count": len(model.loads)}),)


def _response_figures(model: Model, kind: str) -> list[tuple[str, tuple[Remark, ...]]]:
    """Internal forces and deflected shape as SVG, or the reason why there are none."""
    if len(model.links) > MAX_MEMBERS:
        facts = {"count": len(model.links), "most": MAX_MEMBERS}
        return [("", (Remark("{count} members are more than the {most} of a readable diagram.", facts),))]
    try:
        solution = solve_model(model)
    except SightlineError as error:
        return [("", (Remark("The model can't be solved: {fault}", {"fault": error}),))]
    enlarged = (draw_deflected_shape(model, solution), (Remark("Displacements are enlarged until they can be seen."),))
    if kind == "bars":
        return [(draw_bar_forces(model, solution), (Remark("Blue: tension. Orange: compression."),)), enlarged]
    return [(draw_moments(model, solution), (Remark("Drawn on the side in tension."),)), enlarged]
