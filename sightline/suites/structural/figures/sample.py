"""Drawings of a sample: the true model and the reply's with wrong parts in red, each with its response to the loads."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import SightlineError
from sightline.core.interfaces import Drawing
from sightline.core.records import Sample, Unparsed
from sightline.core.remarks import Remark
from sightline.scoring.parsers.json_object import read_json_object
from sightline.suites.structural.drawing.canvas import Canvas, Pen, Shape, Text
from sightline.suites.structural.drawing.svg import to_svg
from sightline.suites.structural.drawing.vectors import XY, interpolate
from sightline.suites.structural.fem.solver import Solution
from sightline.suites.structural.figures.faults import Faults, missing_parts, wrong_parts
from sightline.suites.structural.figures.labels import LabelPlacer, draw_dimensions, format_load_value
from sightline.suites.structural.figures.plots import INK, SOFT, WRONG, draw_deflected, draw_diagram, translate_model
from sightline.suites.structural.figures.sketch import (
    Panel,
    dashed,
    draw_sketch,
    hinge_shapes,
    load_shapes,
    released_ends,
    support_shapes,
)
from sightline.suites.structural.framecalc.analysis import format_force, solve_model
from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.model import Load, Model, category_of
from sightline.suites.structural.physics.diagnosis import Diagnosis, UnreadableModel, diagnose_raw

SIZE = (560.0, 340.0)
MARGIN = 18.0
_GHOST_DASH = 9.0
MAX_LOADS = 200
"""Maximum number of loads drawn per model."""
_NO_FAULTS = Faults()


class Missing(Struct, frozen=True):
    """A truth, and which of its parts another model lacks."""

    truth: Model
    parts: Faults


def draw_model_figure(model: Model, wrong: Faults = _NO_FAULTS, missing: Missing | None = None) -> str:
    """Members, hinges, supports, loads with their sizes, and dimensions, as SVG.

    The model is in the coordinates of the truth, so that missing parts appear at their positions.
    """
    lacks = missing is not None and missing.parts != _NO_FAULTS
    panel = Panel((model, missing.truth) if missing and lacks else (model,), (0.0, 0.0), SIZE)
    canvas = Canvas()
    at = {point.id: panel.at(point.x, point.y) for point in model.points}
    for link in model.links:
        canvas.line((at[link.a], at[link.b]), Pen(3.0, INK))
    _lines(canvas, wrong.members, panel, Pen(4.0, WRONG))
    if missing:
        _lines(canvas, missing.parts.members, panel, Pen(2.6, WRONG, _GHOST_DASH))
    ends = released_ends(model)
    canvas.shapes += hinge_shapes(model, ends - wrong.hinges, panel, INK)
    canvas.shapes += hinge_shapes(model, ends & wrong.hinges, panel, WRONG)
    for support in model.supports:
        canvas.shapes += support_shapes(model, support, panel, WRONG if support.id in wrong.supports else INK)
    drawn_loads = [(load, load_shapes(model, load, panel, _colour(load, wrong))) for load in model.loads[:MAX_LOADS]]
    labelled = [(shapes, format_load_value(load), _colour(load, wrong)) for load, shapes in drawn_loads]
    if missing:
        labelled += _ghosts(canvas, missing, panel)
    for shapes, _, _ in labelled:
        canvas.shapes += shapes
    placer = LabelPlacer(canvas)
    for shapes, words, colour in labelled:
        placer.place_beside(shapes, words, colour)
    draw_dimensions(canvas, model, panel)
    return to_svg(canvas.finish(MARGIN)[0])


def _colour(load: Load, wrong: Faults) -> str:
    return WRONG if load.id in wrong.loads else INK


def _lines(canvas: Canvas, members: tuple[tuple[XY, XY], ...], panel: Panel, pen: Pen) -> None:
    for start, end in members:
        canvas.line((panel.at(*start), panel.at(*end)), pen)


def _ghosts(canvas: Canvas, missing: Missing, panel: Panel) -> list[tuple[list[Shape], str, str]]:
    """Missing hinges and supports are drawn; missing loads come back with their sizes."""
    truth, parts = missing.truth, missing.parts
    canvas.shapes += dashed(hinge_shapes(truth, parts.hinges, panel, WRONG))
    for support in truth.supports:
        if support.id in parts.supports:
            canvas.shapes += dashed(support_shapes(truth, support, panel, WRONG))
    return [
        (dashed(load_shapes(truth, load, panel, WRONG)), format_load_value(load), WRONG)
        for load in truth.loads[:MAX_LOADS]
        if load.id in parts.loads
    ]


TENSION, COMPRESSION = "#2f6fb3", "#c2571a"
_MOMENT = 2
_NOTHING = 1e-6
"""Share of the largest force below which a force counts as zero."""


def draw_moments(model: Model, solution: Solution) -> str:
    """M along all members, on the tension side, as SVG."""
    canvas, panel = _draw_unloaded(model)
    draw_diagram(canvas, model, solution, panel, _MOMENT)
    return to_svg(canvas.finish(MARGIN)[0])


def draw_bar_forces(model: Model, solution: Solution) -> str:
    """N of every bar: blue in tension, orange in compression, the wider the larger, as SVG."""
    canvas, panel = _draw_unloaded(model)
    at = {point.id: panel.at(point.x, point.y) for point in model.points}
    forces = [-float(ends[0]) for ends in solution.end_forces]
    peak = max(map(abs, forces))
    for link, force in zip(model.links, forces, strict=True):
        if abs(force) > _NOTHING * peak:
            colour = TENSION if force > 0 else COMPRESSION
            canvas.line((at[link.a], at[link.b]), Pen(2.0 + 5.0 * abs(force) / peak, colour))
        else:
            force = 0.0
        middle = interpolate(at[link.a], at[link.b])
        canvas.text(Text(middle, format_force(force), 14, INK, "m", 0.0, "#ffffff"))
    return to_svg(canvas.finish(MARGIN)[0])


def draw_deflected_shape(model: Model, solution: Solution) -> str:
    """The shape under load, much enlarged, as SVG."""
    canvas, panel = _draw_unloaded(model)
    draw_deflected(canvas, model, solution, panel)
    return to_svg(canvas.finish(MARGIN)[0])


def _draw_unloaded(model: Model) -> tuple[Canvas, Panel]:
    canvas, panel = Canvas(), Panel((model,), (0.0, 0.0), SIZE)
    draw_sketch(canvas, replace(model, loads=()), panel, SOFT, 2.0)
    return canvas, panel


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
        return Remark("Cannot solve the reply's model: {fault}", {"fault": error})
    if isinstance(diagnosis, UnreadableModel):
        return Remark("No model can be read from the reply: {fault}", {"fault": diagnosis.reason})
    return diagnosis


def _draw_reply(diagnosis: Diagnosis, truth: Model, answer: Model) -> Drawing:
    assert diagnosis.overlay is not None
    wrong = wrong_parts(diagnosis.differences, diagnosis.overlay)
    missing = Missing(truth, missing_parts(diagnosis.differences, diagnosis.overlay))
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
        return [("", (Remark("Cannot solve the model: {fault}", {"fault": error}),))]
    enlarged = (draw_deflected_shape(model, solution), (Remark("Displacements are enlarged until they can be seen."),))
    if kind == "bars":
        return [(draw_bar_forces(model, solution), (Remark("Blue: tension. Orange: compression."),)), enlarged]
    return [(draw_moments(model, solution), (Remark("Drawn on the side in tension."),)), enlarged]
