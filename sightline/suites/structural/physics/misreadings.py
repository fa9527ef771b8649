"""Misread dimensions: the few lengths, points or signs that explain many differences at once.

A bay that is too long moves everything beyond it, and each member there would be reported by itself. So the answer is
redrawn with its dimensions corrected in a number of ways; the way that leaves the fewest problems names the cause.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise, permutations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.remarks import Remark
from sightline.suites.structural.model import DistributedLoad, Link, Load, Model, Moment, Point, find_crossing_points
from sightline.suites.structural.physics.compare import distinct_values
from sightline.suites.structural.physics.descriptions import format_number, format_point
from sightline.suites.structural.physics.overlay import Floats, Overlay, mean_length, overlay_models
from sightline.suites.structural.physics.problems import Problem, find_common_load_factor, find_problems

MAX_MOVED_POINTS = 3
"""How many points may be misread one by one."""
MAX_MEMBERS = 6
"""How many wrong members are named one by one."""
_MAX_LEVELS = 60


class _Correction(Struct, frozen=True):
    """The answer with dimensions corrected, and what was wrong with them."""

    answer: Model
    problems: list[Problem]


def find_causes(overlay: Overlay, differences: list[Problem], tolerance: float, is_pinned: bool) -> list[Problem]:
    """The differences, or fewer problems that explain them: misread dimensions or a mirrored drawing, cause first."""
    if len(differences) < 2 and not any(problem.part == "member" for problem in differences):
        return differences
    uncorrected = best = _join_loads(overlay, differences, tolerance)
    for correction in _corrections(overlay, tolerance, differences):
        corrected = overlay_models(overlay.truth.model, correction.answer, tolerance)
        if corrected.same_segments:
            rest = find_problems(corrected, tolerance, is_pinned, exactly=False)
            found = [*correction.problems, *_join_loads(corrected, rest, tolerance)]
            if len(found) < len(best) or (best is uncorrected and len(found) == len(best)):
                best = found
    return _join_members(best)


def _join_loads(overlay: Overlay, problems: list[Problem], tolerance: float) -> list[Problem]:
    """The problems, with one instead of many where all loads are wrong alike."""
    loads = [problem for problem in problems if problem.part == "load"]
    if len(loads) > 1 and (common := find_common_load_factor(overlay, tolerance)):
        return [*(problem for problem in problems if problem.part != "load"), common]
    return problems


def _join_members(problems: list[Problem]) -> list[Problem]:
    """The problems, or a single one where so many members are elsewhere that nothing on them can be told."""
    members = [problem for problem in problems if problem.part == "member"]
    if len(members) <= MAX_MEMBERS:
        return problems
    missing = sum(problem.found == "nothing" for problem in members)
    facts = {"missing": missing, "more": len(members) - missing}
    remark = Remark("{missing} members of the drawing are missing, and {more} are not in the drawing", facts)
    return [Problem("member", [], str(missing), str(facts["more"]), remark)]


def _corrections(overlay: Overlay, tolerance: float, differences: list[Problem]) -> Iterator[_Correction]:
    truth, answer = overlay.truth.model, overlay.answer.model
    if any(problem.part in ("member", "joint") for problem in differences):
        points = [*_moved_points(overlay)]
        levels = [*_moved_levels(truth, answer, tolerance)]
        for coordinates, problems in [*levels, *points] if _is_straight(truth) else [*points, *levels]:
            for stretched in (True, False):
                yield _Correction(_redraw(answer, coordinates, stretched), problems)
    parts = {problem.part for problem in differences}
    if "member" in parts or len(differences) > 2:
        remark = Remark("the whole structure is mirrored left to right")
        yield _Correction(mirror(answer), [Problem("dimension", [], "drawing", "mirror image", remark)])


def mirror(model: Model) -> Model:
    """The model mirrored left to right, with its supports and loads."""

    def mirror_load(load: Load) -> Load:
        return replace(load, value=-load.value) if isinstance(load, Moment) else replace(load, angle=180.0 - load.angle)

    return Model(
        points=tuple(replace(point, x=-point.x) for point in model.points),
        links=model.links,
        supports=tuple(
            replace(support, angle=(0.0 if support.kind == "roller" else 180.0) - support.angle)
            for support in model.supports
        ),
        loads=tuple(mirror_load(load) for load in model.loads),
    )


def _redraw(model: Model, coordinates: dict[str, tuple[float, float]], stretched: bool) -> Model:
    """The model with other coordinates; offsets of loads on links are stretched along with the links, or kept."""
    points = tuple(Point(point.id, *coordinates[point.id]) for point in model.points)
    old, new = ({point.id: point for point in model.points}, {point.id: point for point in points})
    links = {link.id: link for link in model.links}

    def redraw_load(load: Load) -> Load:
        if not load.link:
            return load
        before, after = (_length(links[load.link], at) for at in (old, new))
        factor = after / before if stretched else 1.0
        if isinstance(load, DistributedLoad):
            # what reached to the end of the link still does
            end = after if load.end >= before * (1 - 1e-9) else min(load.end * factor, after)
            return replace(load, begin=min(load.begin * factor, end), end=end)
        return replace(load, offset=min(load.offset * factor, after))

    return replace(model, points=points, loads=tuple(map(redraw_load, model.loads)))


def _length(link: Link, at: dict[str, Point]) -> float:
    return math.hypot(at[link.b].x - at[link.a].x, at[link.b].y - at[link.a].y)


# --- single points


def _moved_points(overlay: Overlay) -> Iterator[tuple[dict[str, tuple[float, float]], list[Problem]]]:
    """The answer with up to three of its points moved to points of the truth that have no counterpart."""
    truth, answer = overlay.truth, overlay.answer
    shift = np.array(answer.shift)
    at = {point.id: np.array([point.x, point.y]) + shift for point in answer.model.points}
    for essential in (False, True):
        of_truth, of_answer = (
            [point for point in mapped.model.points if not essential or point.id in _essential_points(mapped.model)]
            for mapped in (truth, answer)
        )
        taken = {answer.vertex_of[point.id] for point in answer.model.points}
        known = {truth.vertex_of[point.id] for point in truth.model.points}
        missing = [np.array([p.x, p.y]) for p in of_truth if truth.vertex_of[p.id] not in taken]
        moved = [p.id for p in of_answer if answer.vertex_of[p.id] not in known]
        if len(missing) != len(moved) or not 0 < len(moved) <= MAX_MOVED_POINTS:
            continue
        order = min(
            permutations(missing),
            key=lambda places: sum(float(np.hypot(*(at[p] - xy))) for p, xy in zip(moved, places, strict=True)),
        )
        target = dict(zip(moved, order, strict=True))
        problems = [_moved_point(at[point], xy) for point, xy in target.items()]
        yield {point: _pair(target.get(point, xy)) for point, xy in at.items()}, problems


def _moved_point(found: Floats, expected: Floats) -> Problem:
    wrong, right = format_point(found), format_point(expected)
    remark = Remark("the point at {wrong} should be at {right}", {"wrong": wrong, "right": right})
    return Problem("point", [_pair(expected), _pair(found)], right, wrong, remark)


def find_displaced_points(overlay: Overlay) -> list[Problem]:
    """The points of the answer that lie farthest from their vertex, though within the snap distance."""
    shift = np.array(overlay.answer.shift)
    gaps = {
        point.id: (np.array([point.x, point.y]) + shift, overlay.vertices[overlay.answer.vertex_of[point.id]])
        for point in overlay.answer.model.points
    }
    sizes = {point: float(np.hypot(*(found - expected))) for point, (found, expected) in gaps.items()}
    farthest = sorted((point for point in sizes if sizes[point] > max(sizes.values()) / 2), key=lambda p: -sizes[p])
    return [_moved_point(*gaps[point]) for point in farthest[:MAX_MOVED_POINTS]]


def _pair(xy: Floats) -> tuple[float, float]:
    return float(xy[0]), float(xy[1])


# --- distances along the axes


def _essential_points(model: Model) -> set[str]:
    """The points that decide the shape: with supports or hinges, and all that do not merely split a straight member."""
    at = {point.id: point for point in model.points}
    straight = find_crossing_points(([point] for point in model.points), at, model.links)
    straight -= {support.point for support in model.supports}
    straight -= {link.a for link in model.links if link.hinge_a} | {link.b for link in model.links if link.hinge_b}
    return set(at) - straight


def _levels(model: Model, axis: str, distance: float) -> list[float]:
    essential = _essential_points(model)
    return distinct_values([getattr(point, axis) for point in model.points if point.id in essential], distance)


def _is_straight(model: Model) -> bool:
    distance = 1e-6 * mean_length(model)
    return min(len(_levels(model, axis, distance)) for axis in "xy") == 1


def _moved_levels(
    truth: Model, answer: Model, tolerance: float
) -> Iterator[tuple[dict[str, tuple[float, float]], list[Problem]]]:
    """The answer with its distinct x and y set to the truth's, in their order."""
    new: dict[str, dict[str, float]] = {}
    gaps: list[tuple[str, float, float, float]] = []
    for axis in "xy":
        expected = _levels(truth, axis, tolerance * mean_length(truth))
        found = _levels(answer, axis, tolerance * mean_length(answer))
        if len(expected) != len(found) or len(found) > _MAX_LEVELS:
            return
        new[axis] = {point.id: _interpolate(getattr(point, axis), found, expected) for point in answer.points}
        gaps += [(axis, *ends, b - a) for ends, (a, b) in zip(pairwise(expected), pairwise(found), strict=True)]
    yield (
        {point.id: (new["x"][point.id], new["y"][point.id]) for point in answer.points},
        _describe_gaps(gaps, tolerance, tolerance * mean_length(truth)),
    )


def _interpolate(value: float, found: list[float], expected: list[float]) -> float:
    """A coordinate moved along with the levels around it."""
    if len(found) == 1:
        return value - found[0] + expected[0]
    k = min(max(int(np.searchsorted(found, value)) - 1, 0), len(found) - 2)
    return expected[k] + (value - found[k]) / (found[k + 1] - found[k]) * (expected[k + 1] - expected[k])


def _describe_gaps(gaps: list[tuple[str, float, float, float]], tolerance: float, distance: float) -> list[Problem]:
    """One problem for a common factor on all lengths, or on those along an axis; else one for each wrong distance."""
    problems = []
    factors = {axis: [found / (end - begin) for a, begin, end, found in gaps if a == axis] for axis in "xy"}
    if factor := _common_factor([*factors["x"], *factors["y"]], tolerance):
        return [_describe_factor(factor)] if abs(factor - 1.0) > tolerance else []
    for axis, values in factors.items():
        if factor := _common_factor(values, tolerance):
            if abs(factor - 1.0) > tolerance:
                facts = {"factor": format_number(factor)}
                if axis == "x":
                    remark = Remark("all horizontal lengths are {factor} times what they should be", facts)
                else:
                    remark = Remark("all vertical lengths are {factor} times what they should be", facts)
                problems.append(Problem("dimension", [], "1", facts["factor"], remark))
            continue
        for name, begin, end, found in gaps:
            if name == axis and abs(found - (end - begin)) > distance:
                facts = {"begin": format_number(begin), "end": format_number(end)}
                facts |= {"axis": axis, "wrong": format_number(found), "right": format_number(end - begin)}
                remark = Remark(
                    "the distance from {axis} = {begin} to {axis} = {end} is {wrong} m and should be {right} m", facts
                )
                problems.append(Problem("dimension", [], facts["right"], facts["wrong"], remark))
    return problems


def _describe_factor(factor: float) -> Problem:
    facts = {"factor": format_number(factor)}
    if math.isclose(factor, 1000.0, rel_tol=0.02):
        remark = Remark("all lengths are {factor} times what they should be: millimetres instead of metres?", facts)
    elif math.isclose(factor, 100.0, rel_tol=0.02):
        remark = Remark("all lengths are {factor} times what they should be: centimetres instead of metres?", facts)
    else:
        remark = Remark("all lengths are {factor} times what they should be", facts)
    return Problem("dimension", [], "1", facts["factor"], remark)


def _common_factor(values: list[float], tolerance: float) -> float:
    """The factor that at least two values have in common; 0 where there is none."""
    if len(values) < 2 or min(values) <= 0.0 or max(values) > (1.0 + tolerance) * min(values):
        return 0.0
    return values[0]
