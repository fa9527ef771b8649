"""Equality of two responses, or of two sets of loads, within a tolerance relative to the truth's peak values."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sightline.suites.structural.physics.mapped_loads import Carriers, LineLoad, LoadPosition, MappedLoads
from sightline.suites.structural.physics.overlay import Floats, VertexPair
from sightline.suites.structural.physics.response import Response

NOTICEABLE = 0.01
"""Lower bound of a field's scale, relative to the largest force: secondary bending of a truss and axial shortening of a
beam are negligible beside the primary forces."""
PROBES = 2
_SEED = 20260101
_FORCE, _MOMENT = slice(0, 2), slice(2, 3)
_NOTHING = np.zeros(3)


def same_response(truth: Response, answer: Response, lever_arm: float, tolerance: float) -> bool:
    """Whether all load cases agree: reactions by vertex; axial forces, shear forces and moments by segment."""
    if truth.pairs != answer.pairs:
        return False
    for number in range(len(truth.forces)):
        fields, reactions = truth.forces[number], truth.reactions[number]
        moment = max(np.abs(fields[:, [2, 5]]).max(initial=0.0), np.abs(reactions[:, 2]).max(initial=0.0))
        force = max(np.abs(fields[:, [0, 1, 3, 4]]).max(initial=0.0), np.abs(reactions[:, :2]).max(initial=0.0))
        force = max(force, moment / lever_arm)  # under moments alone there may be no force at all, but rounding
        scales = [
            _scale(np.abs(fields[:, [0, 3]]).max(initial=0.0), force),
            _scale(np.abs(fields[:, [1, 4]]).max(initial=0.0), force),
            _scale(moment, force * lever_arm),
        ]
        gap = np.abs(fields - answer.forces[number])
        allowed_forces = tolerance * np.array([*scales, *scales])
        off = np.abs(reactions - answer.reactions[number])
        allowed_reactions = tolerance * np.array(
            [_scale(np.abs(reactions[:, :2]).max(initial=0.0), force)] * 2 + [scales[2]]
        )
        if np.any(gap > allowed_forces) or np.any(off > allowed_reactions):
            return False
    return True


def _scale(peak: float, largest: float) -> float:
    return max(peak, NOTICEABLE * largest, np.finfo(float).tiny)


def same_deflected_shape(truth: Response, answer: Response, tolerance: float) -> bool:
    """Whether displacements agree up to a common factor, since a drawing does not show the absolute stiffness."""
    u, w = truth.displacements.ravel(), answer.displacements.ravel()
    size = float((w * w).sum())  # not by BLAS, whose last digits depend on the CPU
    factor = float((u * w).sum()) / size if size > 0 else 1.0
    return bool(np.abs(u - factor * w).max(initial=0.0) <= tolerance * np.abs(u).max(initial=0.0))


def probe_loads(vertices: Floats, pairs: list[VertexPair]) -> list[MappedLoads]:
    """Random probe loads on all vertices and at the middle of all segments, the same for both models.

    The seed is fixed. Two structures with the same response to a few random loads respond alike to all, so no error is
    masked by the loads of the drawing.
    """
    rng = np.random.default_rng(_SEED)
    joined = sorted({vertex for pair in pairs for vertex in pair})
    cases = []
    for _ in range(PROBES):
        locations = [LoadPosition(vertex) for vertex in joined]
        locations += [
            LoadPosition(pair, float(np.hypot(*(vertices[pair[1]] - vertices[pair[0]]))) / 2) for pair in pairs
        ]
        cases.append(MappedLoads([(location, np.array([*rng.uniform(-1, 1, 2), 0.0])) for location in locations], []))
    return cases


def same_loads(truth: MappedLoads, answer: MappedLoads, snap_distance: float, tolerance: float) -> bool:
    """Whether the same loads act at the same positions on the same parts, each within a relative tolerance."""
    return not (
        differing_point_loads(truth, answer, snap_distance, tolerance)
        or find_misattached_loads(truth, answer, tolerance)
        or differing_line_loads(truth, answer, snap_distance, tolerance)
    )


def differing_point_loads(
    truth: MappedLoads, answer: MappedLoads, snap_distance: float, tolerance: float
) -> list[tuple[VertexPair | int, float, Floats, Floats]]:
    """Where the sums of point loads differ: (location, distance along it, truth's vector, answer's vector)."""
    differences = []
    locations = sorted({position.location for position, _ in (*truth.point_loads, *answer.point_loads)}, key=str)
    for location in locations:
        truth_loads = [(position.at, vector) for position, vector in truth.point_loads if position.location == location]
        answer_loads = [
            (position.at, vector) for position, vector in answer.point_loads if position.location == location
        ]
        for at in distinct_values([a for a, _ in truth_loads] + [a for a, _ in answer_loads], snap_distance):
            expected, got = _sum_near(truth_loads, at, snap_distance), _sum_near(answer_loads, at, snap_distance)
            if _differ(expected, got, _sizes([expected, got]), tolerance):
                differences.append((location, at, expected, got))
    return differences


class MisattachedLoad(NamedTuple):
    """A correct load on the wrong part: the wrong side of a hinge, or the wrong one of two crossing members."""

    vertex: int
    load: Floats
    expected: Carriers
    found: Carriers


def find_misattached_loads(truth: MappedLoads, answer: MappedLoads, tolerance: float) -> list[MisattachedLoad]:
    """Vertices where the total load is the truth's, but part of it acts on other segments."""
    differences = []
    for vertex in sorted(
        {
            position.location
            for position, _ in (*truth.point_loads, *answer.point_loads)
            if isinstance(position.location, int)
        }
    ):
        truth_sums, answer_sums = _sums_by_carriers(truth, vertex), _sums_by_carriers(answer, vertex)
        gaps = {
            carriers: truth_sums.get(carriers, _NOTHING) - answer_sums.get(carriers, _NOTHING)
            for carriers in {**truth_sums, **answer_sums}
        }
        sizes = _sizes([*truth_sums.values(), *answer_sums.values()])
        wrong = [carriers for carriers, gap in gaps.items() if _differ(gap, _NOTHING, sizes, tolerance)]
        if wrong and not _differ(np.sum(list(gaps.values()), axis=0), _NOTHING, sizes, tolerance):
            expected, got = (next((b for b in wrong if b in sums), frozenset()) for sums in (truth_sums, answer_sums))
            differences.append(
                MisattachedLoad(vertex, truth_sums.get(expected, answer_sums.get(got, _NOTHING)), expected, got)
            )
    return differences


def _sums_by_carriers(loads: MappedLoads, vertex: int) -> dict[Carriers, Floats]:
    sums: dict[Carriers, Floats] = {}
    for position, vector in loads.point_loads:
        if position.location == vertex and position.carriers is not None:
            sums[position.carriers] = sums.get(position.carriers, _NOTHING) + vector
    return sums


def _sizes(vectors: list[Floats]) -> Floats:
    """Scales of (fx, fy, m): the largest force for both components, and the largest moment."""
    force, moment = (max(float(np.abs(vector[part]).max()) for vector in vectors) for part in (_FORCE, _MOMENT))
    return np.array([force, force, moment])


def _differ(first: Floats, second: Floats, sizes: Floats, tolerance: float) -> bool:
    """Whether a force or a moment differs by more than the tolerance plus rounding errors."""
    rounding = 1e-12 * sizes.max()
    return bool(np.any(np.abs(first - second) > tolerance * sizes + rounding))


def distinct_values(values: list[float], tolerance: float) -> list[float]:
    """Sorted values without those that exceed the one before by no more than a tolerance."""
    distinct: list[float] = []
    for value in sorted(values):
        if not distinct or value - distinct[-1] > tolerance:
            distinct.append(value)
    return distinct


def _sum_near(point_loads: list[tuple[float, Floats]], at: float, snap_distance: float) -> Floats:
    near = [vector for a, vector in point_loads if -1e-12 <= a - at <= snap_distance]
    return np.asarray(np.sum([np.zeros(3), *near], axis=0))


def differing_line_loads(
    truth: MappedLoads, answer: MappedLoads, snap_distance: float, tolerance: float
) -> list[tuple[VertexPair, float, float, Floats, Floats]]:
    """Where distributed loads differ: (segment, begin, end, truth's and answer's intensities at both ends)."""
    differences = []
    for pair in sorted({line_load.vertex_pair for line_load in (*truth.line_loads, *answer.line_loads)}):
        truth_loads = [line_load for line_load in truth.line_loads if line_load.vertex_pair == pair]
        answer_loads = [line_load for line_load in answer.line_loads if line_load.vertex_pair == pair]
        stops = distinct_values(
            [at for line_load in (*truth_loads, *answer_loads) for at in (line_load.begin, line_load.end)],
            snap_distance,
        )
        expected = [_intensities(truth_loads, a, b) for a, b in pairwise(stops)]
        got = [_intensities(answer_loads, a, b) for a, b in pairwise(stops)]
        size = max((np.abs(value).max() for value in (*expected, *got)), default=0.0)
        for k in range(len(expected)):
            if np.abs(expected[k] - got[k]).max() > tolerance * size:
                differences.append((pair, stops[k], stops[k + 1], expected[k], got[k]))
    return differences


def _intensities(line_loads: list[LineLoad], begin: float, end: float) -> Floats:
    """Total intensity of the distributed loads at both ends of an interval, from inside: (2, 2)."""
    middle = (begin + end) / 2
    total = np.zeros((2, 2))
    for line_load in line_loads:
        if line_load.begin <= middle <= line_load.end:
            at_begin, at_end = np.array(line_load.at_begin), np.array(line_load.at_end)
            slope = (at_end - at_begin) / (line_load.end - line_load.begin)
            total += [at_begin + slope * (begin - line_load.begin), at_begin + slope * (end - line_load.begin)]
    return total
