"""List of differences between an answer and the truth, part by part, for reports, feedback and drawings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from msgspec import Struct

from sightline.core.remarks import Remark, english_text
from sightline.suites.structural.framecalc.analysis import to_support
from sightline.suites.structural.model import PointSupport
from sightline.suites.structural.physics.compare import (
    MisattachedLoad,
    differing_line_loads,
    differing_point_loads,
    find_misattached_loads,
)
from sightline.suites.structural.physics.descriptions import (
    format_line_load,
    format_load,
    format_number,
    format_point,
    format_supports,
)
from sightline.suites.structural.physics.mapped_loads import GROUND, Carriers, MappedLoads, map_loads
from sightline.suites.structural.physics.overlay import Floats, MappedModel, Overlay, VertexPair
from sightline.suites.structural.physics.response import Restraints, restraints_by_vertex, same_restraints
from sightline.suites.structural.physics.sections import compare_sections

Part = Literal["dimension", "point", "member", "joint", "support", "hinge", "stiffness", "load", "model"]
_EXACT = 1e-9


class Problem(Struct, frozen=True):
    """A wrong part of an answer: what was expected, what was found, and where, in the coordinates of the truth."""

    part: Part
    at: list[tuple[float, float]]
    """One place, or the two ends of a member; empty for what concerns the whole model."""
    expected: str
    found: str
    remark: Remark

    def to_dict(self) -> dict[str, Any]:
        """As JSON-serializable data, including the translated sentence."""
        return {
            "part": self.part,
            "at": [list(xy) for xy in self.at],
            "expected": self.expected,
            "found": self.found,
            "text": str(self.remark),
        }


def find_problems(
    overlay: Overlay, tolerance: float = 0.01, is_pinned: bool = False, exactly: bool = True
) -> list[Problem]:
    """All differences, part by part. Where none is noticeable, the comparison is repeated with exact tolerances."""
    problems = _problems(overlay, tolerance, is_pinned)
    return problems if problems or not exactly else _problems(overlay, min(tolerance, _EXACT), is_pinned)


def _problems(overlay: Overlay, tolerance: float, is_pinned: bool) -> list[Problem]:
    truth, answer = (map_loads(mapped, overlay.snap_distance) for mapped in (overlay.truth, overlay.answer))
    exact = tolerance <= _EXACT
    built = [*_members(overlay), *_joints(overlay), *_supports(overlay, tolerance), *_hinges(overlay, exact)]
    blamed = {xy for problem in built for xy in problem.at}
    misattached_loads = find_misattached_loads(truth, answer, tolerance)
    point_loads = differing_point_loads(truth, answer, overlay.snap_distance, tolerance)
    line_loads = differing_line_loads(truth, answer, overlay.snap_distance, tolerance)
    common = overlay.truth.count().keys() & overlay.answer.count().keys()
    reached = {vertex for pair in common for vertex in pair}
    return [
        *built,
        *_stiffnesses(overlay, tolerance, is_pinned, all_areas=exact),
        # a load on a member that is missing, or is not in the drawing, is wrong for that reason
        *_describe_point_loads(overlay, [row for row in point_loads if row[0] in common or row[0] in reached]),
        *_describe_line_loads(overlay, [row for row in line_loads if row[0] in common]),
        # where the joint is wrong, the carriers of a load there are wrong for that reason
        *_describe_misattached_loads(overlay, [m for m in misattached_loads if _xy(overlay, m.vertex) not in blamed]),
    ]


def _pair(xy: Floats) -> tuple[float, float]:
    return (float(xy[0]), float(xy[1]))


def _xy(overlay: Overlay, vertex: int) -> tuple[float, float]:
    return _pair(overlay.vertices[vertex])


def _ends(overlay: Overlay, pair: VertexPair) -> tuple[list[tuple[float, float]], dict[str, str]]:
    """Coordinates of both ends of a member, and the same as facts of a message."""
    start, end = overlay.vertices[pair[0]], overlay.vertices[pair[1]]
    return [_pair(start), _pair(end)], {"one": format_point(start), "other": format_point(end)}


def _members(overlay: Overlay) -> Iterator[Problem]:
    truth, answer = overlay.truth.count(), overlay.answer.count()
    missing, additional = (
        _whole_members(overlay.truth, truth - answer),
        _whole_members(overlay.answer, answer - truth),
    )
    for pair in missing:
        at, facts = _ends(overlay, pair)
        yield Problem("member", at, "member", "nothing", Remark("member {one}–{other} is missing", facts))
    for pair in additional:
        at, facts = _ends(overlay, pair)
        remark = Remark("there is no member {one}–{other} in the drawing", facts)
        yield Problem("member", at, "nothing", "member", remark)


def _whole_members(mapped: MappedModel, missing: Counter[VertexPair]) -> list[VertexPair]:
    """The end vertices of whole members where all their segments are missing, else those of single segments."""
    remaining, result = Counter(missing), []
    for link in mapped.model.links:
        segments = [segment for segment in mapped.segments if segment.link.id == link.id]
        pairs = Counter(segment.vertex_pair for segment in segments)
        if segments and all(remaining[pair] >= count for pair, count in pairs.items()):
            remaining -= pairs
            result.append((segments[0].begin, segments[-1].end))
    return result + sorted(remaining.elements())


def _joints(overlay: Overlay) -> Iterator[Problem]:
    """Vertices where the same segments end but are connected differently."""
    truth, answer = overlay.truth.joined(), overlay.answer.joined()
    for vertex in sorted(truth.keys() & answer.keys()):
        truth_groups, answer_groups = truth[vertex], answer[vertex]
        if truth_groups == answer_groups or sorted(chain(*truth_groups)) != sorted(chain(*answer_groups)):
            continue
        facts = {"place": format_point(overlay.vertices[vertex])}
        if len(truth_groups) > len(answer_groups):
            remark = Remark("point {place}: members are joined here that only cross in the drawing", facts)
            expected, got = "crossing", "joint"
        elif len(truth_groups) < len(answer_groups):
            remark = Remark("point {place}: members only cross here that are joined in the drawing", facts)
            expected, got = "joint", "crossing"
        else:
            remark = Remark("point {place}: other members are joined here than in the drawing", facts)
            expected, got = "joint", "another joint"
        yield Problem("joint", [_xy(overlay, vertex)], expected, got, remark)


def _supports(overlay: Overlay, tolerance: float) -> Iterator[Problem]:
    truth, answer = _supports_by_vertex(overlay.truth), _supports_by_vertex(overlay.answer)
    reached = {vertex for pair in overlay.truth.count() for vertex in pair}
    reached &= {vertex for pair in overlay.answer.count() for vertex in pair}
    # where one of the models has no member at all, the member is the problem
    for vertex in sorted((truth.keys() | answer.keys()) & reached):
        expected, got = truth.get(vertex, []), answer.get(vertex, [])
        if same_restraints(_restraints(expected), _restraints(got), tolerance):
            continue
        right, wrong = format_supports(expected), format_supports(got)
        facts = {"place": format_point(overlay.vertices[vertex]), "right": right, "wrong": wrong}
        if not got:
            remark = Remark("point {place}: a {right} is missing", facts)
        elif not expected:
            remark = Remark("point {place}: there is no support here in the drawing, but a {wrong}", facts)
        else:
            remark = Remark("point {place}: {wrong} should be a {right}", facts)
        names = english_text(right) or "nothing", english_text(wrong) or "nothing"
        yield Problem("support", [_xy(overlay, vertex)], *names, remark)


def _restraints(supports: list[PointSupport]) -> Restraints:
    return tuple(direction for support in supports for direction in to_support(support).held)


def _supports_by_vertex(mapped: MappedModel) -> dict[int, list[PointSupport]]:
    result: dict[int, list[PointSupport]] = {}
    for support in mapped.model.supports:
        result.setdefault(mapped.vertex_of[support.point], []).append(support)
    return result


def _hinges(overlay: Overlay, exact: bool) -> Iterator[Problem]:
    truth, answer = _written_releases(overlay.truth), _written_releases(overlay.answer)
    common = set(overlay.truth.count()) & set(overlay.answer.count())
    vertices = {vertex for vertex, _ in _released(overlay.truth) ^ _released(overlay.answer)}
    for vertex, pair in sorted(truth ^ answer):
        if pair not in common or (vertex not in vertices and not exact):
            continue
        at, facts = _ends(overlay, pair)
        facts = {**facts, "place": format_point(overlay.vertices[vertex])}
        if (vertex, pair) not in answer:
            remark = Remark("member {one}–{other}: hinge missing at its end {place}", facts)
            expected, got = "hinge", "rigid"
        else:
            remark = Remark("member {one}–{other}: there is no hinge at its end {place} in the drawing", facts)
            expected, got = "rigid", "hinge"
        yield Problem("hinge", [_xy(overlay, vertex), *at], expected, got, remark)


def _written_releases(mapped: MappedModel) -> set[tuple[int, VertexPair]]:
    """Released member ends as (vertex, segment), as written in the model."""
    starts = {(p.begin, p.vertex_pair) for p in mapped.segments if p.first and p.link.hinge_a}
    return starts | {(p.end, p.vertex_pair) for p in mapped.segments if p.last and p.link.hinge_b}


def _released(mapped: MappedModel) -> set[tuple[int, VertexPair]]:
    """Released ends as (vertex, segment). Where at most one end at a joint is rigid, it does not matter which it is."""
    ends: dict[int, list[tuple[VertexPair, bool]]] = {}
    for segment in mapped.segments:
        for vertex, at_end, hinge in (
            (segment.begin, segment.first, segment.link.hinge_a),
            (segment.end, segment.last, segment.link.hinge_b),
        ):
            ends.setdefault(vertex, []).append((segment.vertex_pair, at_end and hinge))
    clamped = {
        vertex
        for vertex, restraints in restraints_by_vertex(mapped).items()
        if any(direction[2] for direction in restraints)
    }
    result = set()
    for vertex, member_ends in ends.items():
        free = sum(not hinge for _, hinge in member_ends) <= 1 and len(member_ends) > 1 and vertex not in clamped
        any_hinge = any(hinge for _, hinge in member_ends)
        result |= {(vertex, pair) for pair, hinge in member_ends if hinge or (free and any_hinge)}
    return result


def _stiffnesses(overlay: Overlay, tolerance: float, is_pinned: bool, *, all_areas: bool) -> Iterator[Problem]:
    """Members whose relative stiffness differs from the truth's.

    EI of a bar has no influence, nor has EI of any member of a pin-jointed truss; EA of a member that bends hardly any.
    """
    for row in compare_sections(overlay, tolerance).ratios:
        bar = row.is_bar or is_pinned
        bends = not bar and any(abs(ratio - 1.0) > tolerance for ratio in row.bending)
        if not (bends or bar or all_areas):
            continue
        ratios = row.bending if bends else row.stretching
        whole = (overlay.truth.vertex_of[row.link.a], overlay.truth.vertex_of[row.link.b])
        alike = max(ratios) <= (1.0 + tolerance) * min(ratios)
        for pair, ratio in [(whole, ratios[0])] if alike else zip(row.segments, ratios, strict=True):
            if abs(ratio - 1.0) > tolerance:
                at, facts = _ends(overlay, pair)
                facts["factor"] = format_number(ratio)
                remark = (
                    Remark("member {one}–{other}: {factor} times as stiff as it should be beside the others", facts)
                    if bends
                    else Remark(
                        "member {one}–{other}: its EA is {factor} times what it should be beside the others", facts
                    )
                )
                yield Problem("stiffness", at, "1", facts["factor"], remark)


def _describe_misattached_loads(overlay: Overlay, wrong: list[MisattachedLoad]) -> Iterator[Problem]:
    for vertex, load, expected, got in wrong:
        right_members, wrong_members = _members_named(overlay, expected), _members_named(overlay, got)
        place = format_point(overlay.vertices[vertex])
        facts = {"right": format_load(load), "place": place, "members": right_members}
        if right_members:
            remark = Remark("load {right} at {place} must act on the side of member {members}", facts)
        else:
            remark = Remark("load {right} at {place} is borne by another part in the drawing", facts)
        at = [_xy(overlay, vertex)]
        yield Problem("load", at, right_members or "support", wrong_members or "no member", remark)


def _members_named(overlay: Overlay, carriers: Carriers) -> str:
    ends = (_ends(overlay, pair)[1] for pair in sorted(carriers - {GROUND}))
    return ", ".join(f"{facts['one']}–{facts['other']}" for facts in ends)


def _describe_point_loads(
    overlay: Overlay, differing: list[tuple[VertexPair | int, float, Floats, Floats]]
) -> Iterator[Problem]:
    for location, at, expected, got in differing:
        xy = _point_at(overlay, location, at)
        right, wrong = format_load(expected), format_load(got)
        facts = {"place": format_point(xy), "right": right, "wrong": wrong}
        if not np.any(got):
            remark = Remark("load {right} at {place} is missing", facts)
        elif not np.any(expected):
            remark = Remark("there is no load at {place} in the drawing, but {wrong}", facts)
        else:
            remark = Remark("load {wrong} at {place} should be {right}", facts)
        yield Problem("load", [_pair(xy)], english_text(right), english_text(wrong), remark)


def _point_at(overlay: Overlay, location: VertexPair | int, at: float) -> Floats:
    if isinstance(location, int):
        return np.asarray(overlay.vertices[location])
    start, end = overlay.vertices[location[0]], overlay.vertices[location[1]]
    return np.asarray(start + (end - start) * at / np.hypot(*(end - start)))


def _describe_line_loads(
    overlay: Overlay, differing: list[tuple[VertexPair, float, float, Floats, Floats]]
) -> Iterator[Problem]:
    stretches = [
        _Stretch(_point_at(overlay, pair, begin), _point_at(overlay, pair, end), expected, got)
        for pair, begin, end, expected, got in differing
    ]
    for stretch in _join_stretches(stretches, overlay.snap_distance):
        first, last = stretch.begin, stretch.end
        right, wrong = format_line_load(stretch.expected), format_line_load(stretch.found)
        facts = {"one": format_point(first), "other": format_point(last), "right": right, "wrong": wrong}
        if not np.any(stretch.found):
            remark = Remark("load {right} from {one} to {other} is missing", facts)
        elif not np.any(stretch.expected):
            remark = Remark("there is no load from {one} to {other} in the drawing, but {wrong}", facts)
        else:
            remark = Remark("load {wrong} from {one} to {other} should be {right}", facts)
        yield Problem("load", [_pair(first), _pair(last)], english_text(right), english_text(wrong), remark)


class _Stretch(NamedTuple):
    """A straight line along which distributed loads differ, with the intensities at both ends."""

    begin: Floats
    end: Floats
    expected: Floats
    found: Floats

    def reverse(self) -> _Stretch:
        return _Stretch(self.end, self.begin, self.expected[::-1], self.found[::-1])


def _join_stretches(stretches: list[_Stretch], distance: float) -> list[_Stretch]:
    """The stretches, those joined along which the same loads continue on a straight line."""
    joined: list[_Stretch] = []
    for stretch in stretches:
        candidate = stretch
        k = 0
        while k < len(joined):
            other, backwards = joined[k], candidate.reverse()
            ways = ((other, candidate), (candidate, other), (other, backwards), (backwards, other))
            whole = next((w for way in ways if (w := _continue_stretch(*way, distance)) is not None), None)
            if whole is None:
                k += 1
            else:
                del joined[k]
                candidate, k = whole, 0
        joined.append(candidate)
    return joined


def _continue_stretch(first: _Stretch, second: _Stretch, distance: float) -> _Stretch | None:
    """Both as one, if the second begins where the first ends, in its direction and with its loads going on."""
    if np.hypot(*(first.end - second.begin)) > distance:
        return None
    whole = _Stretch(
        first.begin,
        second.end,
        np.array([first.expected[0], second.expected[1]]),
        np.array([first.found[0], second.found[1]]),
    )
    lengths = [float(np.hypot(*(part.end - part.begin))) for part in (first, second, whole)]
    if lengths[2] < lengths[0] + lengths[1] - distance:
        return None
    for ends, before, after in (
        (whole.expected, first.expected, second.expected),
        (whole.found, first.found, second.found),
    ):
        middle = ends[0] + (ends[1] - ends[0]) * lengths[0] / (lengths[0] + lengths[1])
        allowed = 1e-3 * max(float(np.abs(before).max()), float(np.abs(after).max()))
        if max(float(np.abs(middle - before[1]).max()), float(np.abs(middle - after[0]).max())) > allowed:
            return None
    return whole


def find_common_load_factor(overlay: Overlay, tolerance: float) -> Problem | None:
    """A problem if all loads, and at least two, are wrong by the same factor."""
    truth, answer = (map_loads(mapped, overlay.snap_distance) for mapped in (overlay.truth, overlay.answer))
    rows: list[tuple[Floats, Floats]] = []
    for find, places in ((differing_point_loads, truth.point_loads), (differing_line_loads, truth.line_loads)):
        different = find(truth, answer, overlay.snap_distance, tolerance)
        if len(different) != len(find(truth, MappedLoads([], []), overlay.snap_distance, tolerance)) and places:
            return None
        rows += [(row[-2], row[-1]) for row in different]
    sizes = [float((expected * expected).sum()) for expected, _ in rows]
    if len(rows) < 2 or min(sizes) == 0.0:
        return None
    factor = float((rows[0][0] * rows[0][1]).sum()) / sizes[0]
    for (expected, got), size in zip(rows, sizes, strict=True):
        if factor == 0.0 or float(np.abs(got - factor * expected).max()) > tolerance * abs(factor) * size**0.5:
            return None
    facts = {"factor": format_number(factor)}
    if abs(factor + 1.0) <= tolerance:
        remark = Remark("all loads act in the opposite direction")
    elif abs(factor / 1000.0 - 1.0) <= tolerance:
        remark = Remark("all loads are {factor} times what they should be: N instead of kN?", facts)
    else:
        remark = Remark("all loads are {factor} times what they should be", facts)
    return Problem("load", [], "1", facts["factor"], remark)
