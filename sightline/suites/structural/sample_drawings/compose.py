"""All drawings of a sample: the true model and the reply's, and what the loads do to each."""

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
from sightline.suites.structural.sample_drawings.answers import bar_forces, deflected, moments
from sightline.suites.structural.sample_drawings.faults import missing_parts, wrong_parts
from sightline.suites.structural.sample_drawings.portrait import MOST_LOADS, Missing, portrait

MOST_MEMBERS = 80
"""Diagrams of more members are a blot; the structure itself is drawn all the same."""
_MOST_NOTES = 6
_TRUTH, _REPLY = Remark("The true model"), Remark("The reply's model")
_TITLES = {
    "moments": (Remark("True bending moments in kN·m"), Remark("The reply's bending moments in kN·m")),
    "bars": (Remark("True axial forces in kN"), Remark("The reply's axial forces in kN")),
    "shape": (Remark("True deflected shape"), Remark("The reply's deflected shape")),
}
_UNREAD = {
    remark.text: remark
    for remark in (
        Remark("no JSON object"),
        Remark("the JSON object is broken or cut off"),
        Remark("the reply holds too much that looks like JSON"),
    )
}
"""What the parser says, so that it is said in the reader's language."""


def drawings(sample: Sample, reply: str, tolerance: float) -> list[Drawing]:
    """Truth and reply in turn: the models, then what the loads do to them."""
    truth = read_model(sample.target).model
    if truth is None:
        return []
    kind = "bars" if category_of(truth, sample.task) == "truss" else "moments"
    shown = [Drawing(_TRUTH, portrait(truth), _counted(truth))]
    answers = [_answers(truth, kind)]
    if reply.strip():
        found = _diagnosed(sample, reply, tolerance)
        if isinstance(found, Remark):
            shown.append(Drawing(_REPLY, notes=(found,)))
        else:
            assert found.overlay is not None
            answer = translate_model(found.overlay.answer.model, found.overlay.answer.shift)
            shown.append(_drawn(found, truth, answer))
            answers.append(_answers(answer, kind))
    for number, what in enumerate((kind, "shape")):
        for title, told in zip(_TITLES[what], answers, strict=False):
            shown += [Drawing(title, *one) for one in told[number : number + 1]]
    return shown


def _diagnosed(sample: Sample, reply: str, tolerance: float) -> Diagnosis | Remark:
    """The grader's own diagnosis, or why there is none."""
    read = read_json_object(reply)
    if isinstance(read, Unparsed):
        return Remark("No model can be read from the reply: {fault}", {"fault": _UNREAD.get(read.reason, read.reason)})
    try:
        found = diagnose_raw(read.value, sample.target, sample.task, tolerance)
    except SightlineError as error:
        return Remark("The reply's model can't be solved: {fault}", {"fault": error})
    if isinstance(found, UnreadableModel):
        return Remark("No model can be read from the reply: {fault}", {"fault": found.reason})
    return found


def _drawn(found: Diagnosis, truth: Model, answer: Model) -> Drawing:
    assert found.overlay is not None
    wrong = wrong_parts(found.problems, found.overlay)
    missing = Missing(truth, missing_parts(found.problems, found.overlay))
    notes = [problem.remark for problem in found.problems[:_MOST_NOTES]]
    if len(found.problems) > _MOST_NOTES:
        notes.append(Remark("and {count} more", {"count": len(found.problems) - _MOST_NOTES}))
    if found.stage == "right":
        notes.append(Remark("It is the same structure under the same loads."))
    elif found.problems:
        notes.insert(0, Remark("Red: wrong. Dashed red: missing."))
    return Drawing(_REPLY, portrait(answer, wrong, missing), (*notes, *_counted(answer)))


def _counted(model: Model) -> tuple[Remark, ...]:
    if len(model.loads) <= MOST_LOADS:
        return ()
    return (Remark("Only {most} of {count} loads are drawn.", {"most": MOST_LOADS, "count": len(model.loads)}),)


def _answers(model: Model, kind: str) -> list[tuple[str, tuple[Remark, ...]]]:
    """What the loads do: inner forces and the deflected shape as SVGs, or why they can't be told."""
    if len(model.links) > MOST_MEMBERS:
        facts = {"count": len(model.links), "most": MOST_MEMBERS}
        return [("", (Remark("{count} members are more than the {most} of a readable diagram.", facts),))]
    try:
        solution = solve_model(model)
    except SightlineError as error:
        return [("", (Remark("The model can't be solved: {fault}", {"fault": error}),))]
    enlarged = (deflected(model, solution), (Remark("Displacements are enlarged until they can be seen."),))
    if kind == "bars":
        return [(bar_forces(model, solution), (Remark("Blue: tension. Orange: compression."),)), enlarged]
    return [(moments(model, solution), (Remark("Drawn on the side in tension."),)), enlarged]
