"""Plots: internal force diagrams of a solution, and the overlay of truth and answer of a diagnosis."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from sightline.core.errors import DataError, UsageError
from sightline.core.fonts import width_of
from sightline.suites.structural.drawing.canvas import Canvas, Drawing, Pen, Text
from sightline.suites.structural.drawing.png import to_png
from sightline.suites.structural.drawing.svg import to_svg
from sightline.suites.structural.drawing.vectors import XY, distance
from sightline.suites.structural.fem.solver import Solution
from sightline.suites.structural.figures.labels import LabelPlacer, format_load_value
from sightline.suites.structural.figures.sketch import Panel, draw_sketch, load_shapes
from sightline.suites.structural.framecalc.analysis import format_force, solve_model
from sightline.suites.structural.model import Model
from sightline.suites.structural.physics.diagnosis import Diagnosis
from sightline.suites.structural.physics.overlay import Floats

INK, SOFT, FILL, EDGE = "#1c2430", "#8a93a0", "#cfe0f3", "#2f6fb3"
TRUTH, ANSWER, WRONG = "#8a93a0", "#2f6fb3", "#d1342f"
_PANEL = (560.0, 380.0)
_REACH = 70.0
"""Pixels of the largest ordinate of a diagram."""
_LABEL = 40.0
"""Pixels for a value beyond it."""
_MERGE_DISTANCE = 40.0
"""Equal values closer together than this many pixels are written once."""
_GAP = 2 * (_REACH + _LABEL) + 40.0
"""Pixels between panels: two diagrams with their values, and a title."""


def plot_solution(model: Model, path: Path) -> None:
    """Plot structure, deflected shape, N, V and M; PNG or SVG by the file suffix."""
    _save(solution_drawing(model), path)


def solution_drawing(model: Model) -> Drawing:
    """Four panels: the structure with its loads and its deflected shape, N, V and M."""
    solution = solve_model(model)
    canvas = Canvas()
    titles = ("Structure and deflected shape", "N / kN (tension positive)", "V / kN", "M / kN·m (on the tension side)")
    size = _size(model)
    for number, title in enumerate(titles):
        corner = ((number % 2) * (size[0] + _GAP), (number // 2) * (size[1] + _GAP))
        panel = Panel((model,), corner, size)
        # the title is above the largest ordinate
        canvas.text(Text((corner[0] - 40.0, corner[1] - _REACH - _LABEL - 14.0), title, 22, INK, "l"))
        if number == 0:
            draw_sketch(canvas, replace(model, loads=()), panel, INK)
            draw_deflected(canvas, model, solution, panel)
            _loads(canvas, model, panel)
        else:
            draw_sketch(canvas, replace(model, loads=()), panel, SOFT, 2.0)
            draw_diagram(canvas, model, solution, panel, number - 1)
    return canvas.finish(30.0)[0]


def _size(model: Model) -> XY:
    """Panel size for the aspect ratio of the structure."""
    xs, ys = [point.x for point in model.points], [point.y for point in model.points]
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    return (_PANEL[0], max(1.0, min(_PANEL[1], _PANEL[0] * high / wide)) if wide > 0 else _PANEL[1])


def _loads(canvas: Canvas, model: Model, panel: Panel) -> None:
    """Draw all loads with their values."""
    drawn = [(load, load_shapes(model, load, panel, INK)) for load in model.loads]
    for _, shapes in drawn:
        canvas.shapes += shapes
    placer = LabelPlacer(canvas)
    for load, shapes in drawn:
        placer.place_beside(shapes, format_load_value(load), INK)


def draw_deflected(canvas: Canvas, model: Model, solution: Solution, panel: Panel) -> None:
    """Draw the deflected shape, scaled so that the largest displacement is 5 % of the structure's size."""
    points = {point.id: point for point in model.points}
    xs, ys = [p.x for p in model.points], [p.y for p in model.points]
    size = math.hypot(max(xs) - min(xs), max(ys) - min(ys))
    lines = []
    for number, link in enumerate(model.links):
        a, b = points[link.a], points[link.b]
        shares = np.linspace(0, 1, 25)
        moved = solution.deflection(number, shares * math.hypot(b.x - a.x, b.y - a.y))
        lines.append((np.stack([a.x + shares * (b.x - a.x), a.y + shares * (b.y - a.y)], axis=1), moved))
    largest = max(float(np.abs(moved).max()) for _, moved in lines)
    factor = 0.05 * size / largest if largest > 0 else 0.0
    for straight, moved in lines:
        canvas.line([panel.at(*map(float, xy)) for xy in straight + factor * moved], Pen(2.4, EDGE, 7.0))


def draw_diagram(canvas: Canvas, model: Model, solution: Solution, panel: Panel, field: int) -> None:
    """Draw the N, V or M diagram of all members, with its extreme values."""
    peak = solution.peak()[field]
    if peak <= 0:
        return
    points = {point.id: point for point in model.points}
    noise = 1e-6 * max(solution.peak())
    written: list[Text] = []
    for number, link in enumerate(model.links):
        a, b = points[link.a], points[link.b]
        start, end = panel.at(a.x, a.y), panel.at(b.x, b.y)
        s, values = _ordinates(solution, number, field)
        if np.abs(values).max() <= noise:
            continue
        # moments are drawn on the tension side: sagging below a member that runs to the right
        sign = -1.0 if field == 2 else 1.0
        foot = [(start[0] + k * (end[0] - start[0]), start[1] + k * (end[1] - start[1])) for k in s]
        top = [_offset_point(xy, start, end, sign * _REACH * v / peak) for xy, v in zip(foot, values, strict=True)]
        canvas.polygon([start, *top, end], FILL, Pen(1.4, EDGE))
        canvas.line((start, end), Pen(2.0, INK))
        _label(canvas, (foot, top), values, noise, written)


def _ordinates(solution: Solution, member: int, field: int) -> tuple[list[float], Floats]:
    """Relative positions and values; both limits at every break, so that jumps are vertical."""
    diagram = solution.diagram(member)
    breaks = np.asarray(diagram.breaks, dtype=float)
    length = float(breaks[-1])
    extrema = [extreme.s for extreme in diagram.extremes()["nvm"[field]]]
    positions = np.unique(np.concatenate([np.linspace(0, length, 41), breaks, extrema]))
    s: list[float] = []
    values: list[float] = []
    for position in positions:
        if position < length:
            after = float(np.asarray(diagram.at(position, side="right")[field]))
        if position > 0:
            before = float(np.asarray(diagram.at(position, side="left")[field]))
        limits = [before] if position >= length else [after] if position <= 0 else [before, after]
        s += [float(position) / length] * len(limits)
        values += limits
    return s, np.array(values)


def _offset_point(xy: XY, start: XY, end: XY, distance: float) -> XY:
    """A point at a distance from a member, on the side of its local y (up for a member that runs to the right)."""
    length = math.hypot(end[0] - start[0], end[1] - start[1]) or 1.0
    dx, dy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    return (xy[0] + distance * dy, xy[1] - distance * dx)


def _label(canvas: Canvas, line: tuple[list[XY], list[XY]], values: Floats, noise: float, written: list[Text]) -> None:
    """Label the values at both ends, and the extreme values between them where they are distinct."""
    foot, top = line
    ends = {0, len(values) - 1}
    stands_out = 0.02 * np.abs(values).max()
    for middle, beyond in ((int(values.argmax()), 1.0), (int(values.argmin()), -1.0)):
        if beyond * values[middle] > max(beyond * values[0], beyond * values[-1]) + stands_out:
            ends.add(middle)
    if np.ptp(values) <= 1e-6 * np.abs(values).max():
        ends = {len(values) // 2}
    for k in sorted(ends):
        if abs(values[k]) > max(noise, 0.005 * np.abs(values).max()):
            _write(canvas, format_force(values[k]), foot[k], top[k], written)


def _write(canvas: Canvas, words: str, foot: XY, top: XY, written: list[Text]) -> None:
    """Write a value at the tip of its ordinate, preferably outside the diagram; equal neighbouring values once."""
    if any(label.words == words and distance(label.at, top) < _MERGE_DISTANCE for label in written):
        return
    aside = width_of(words, 15) / 2 + 7.0
    offsets = [(0.0, -12.0), (0.0, 12.0), (aside, 0.0), (-aside, 0.0)]
    offsets.sort(
        key=lambda offset: -((top[0] - foot[0]) * offset[0] + (top[1] - foot[1]) * offset[1]) / math.hypot(*offset)
    )
    for dx, dy in (*offsets, (0.0, -28.0), (0.0, 28.0)):
        text = Text((top[0] + dx, top[1] + dy), words, 15, INK, "m", 0.0, "#ffffff")
        if not any(text.box.overlaps(label.box) for label in written):
            written.append(canvas.text(text))
            return


def plot_diagnosis(diagnosis: Diagnosis, path: Path) -> None:
    """Plot the truth in grey, the answer in blue and numbered problems in red; PNG or SVG by the file suffix."""
    if diagnosis.overlay is None:
        raise DataError("There is nothing to draw.")
    overlay = diagnosis.overlay
    canvas = Canvas()
    size = (900.0, 560.0)
    truth, answer = overlay.truth.model, overlay.answer.model
    both = (truth, translate_model(answer, overlay.answer.shift))
    panel = Panel(both, (120.0, 120.0), size)
    draw_sketch(canvas, truth, panel, TRUTH, 7.0)
    draw_sketch(canvas, both[1], panel, ANSWER, 2.4)
    canvas.text(Text((60.0, 30.0), f"score {diagnosis.score:g}: {diagnosis.stage}", 26, INK, "l"))
    canvas.text(Text((60.0, 62.0), "grey: truth   blue: answer   red: wrong", 17, SOFT, "l"))
    below = 120.0 + size[1] + 90.0
    label_positions: list[XY] = []
    for number, problem in enumerate(diagnosis.problems, 1):
        pixels = [panel.at(*xy) for xy in problem.at[: 1 if problem.part == "hinge" else 2]]
        middle = (sum(x for x, _ in pixels) / len(pixels) + 26.0, sum(y for _, y in pixels) / len(pixels) - 26.0)
        while any(math.hypot(middle[0] - x, middle[1] - y) < 32.0 for x, y in label_positions):
            middle = (middle[0] + 34.0, middle[1])
        label_positions.append(middle)
        if len(pixels) == 2:
            canvas.line(pixels, Pen(3.0, WRONG, 9.0))
        canvas.circle(middle, 15.0, Pen(2.4, WRONG), "#ffffff")
        canvas.text(Text(middle, str(number), 17, WRONG))
        canvas.text(Text((60.0, below + 26.0 * number), f"{number}  {problem.remark}", 17, WRONG, "l"))
    _save(canvas.finish(30.0)[0], path)


def translate_model(model: Model, shift: XY) -> Model:
    """The model translated by a shift."""
    points = tuple(replace(p, x=p.x + shift[0], y=p.y + shift[1]) for p in model.points)
    return replace(model, points=points)


def _save(drawing: Drawing, path: Path) -> None:
    match path.suffix.lower():
        case ".png":
            content = to_png(drawing)
        case ".svg":
            content = to_svg(drawing).encode()
        case _:
            raise UsageError("{path}: a plot ends in .png or .svg.", path=path)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UsageError("Cannot write {path}: {why}", path=path, why=error.strerror) from None
