"""Equality of two responses, or of two sets of loads, within a tolerance relative to the truth's peak values."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from sightline.suites.structural.physics.mapped_loads import (
    Carriers,
    LineLoad,
    LoadPosition,
    MappedLoads,
    find_attachments,
)
from sightline.suites.structural.physics.overlay import Floats, MappedModel, VertexPair
from sightline.suites.structural.physics.response import Response

NOTICEABLE = 0.01
"""Lower bound of a field's scale, relative to the largest force: secondary bending of a truss and axial shortening of a
beam are negligible beside the primary forces."""
PROBES = 2
_SEED = 20260101
_FORCE, _MOMENT = slice(0, 2), slice(2, 3)
_NOTHING = np.zeros(3)
_ROUNDING = 1e-9
"""Loads and differences below this share of the largest load at a place are rounding errors."""


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


def same_displacements(truth: Response, answer: Response, tolerance: float) -> bool:
    """Whether the joints move alike in each load case, relative to the largest displacement of that case."""
    if truth.joints != answer.joints:
        return False
    sizes = np.abs(truth.displacements).max(axis=(1, 2), initial=0.0)
    gaps = np.abs(truth.displacements - answer.displacements).max(axis=(1, 2), initial=0.0)
    return bool(np.all(gaps <= tolerance * sizes))


def probe_loads(truth: MappedModel, vertices: Floats) -> list[MappedLoads]:
    """Random probe loads on all joints and at the middle of all segments of the truth, for both models.

    The seed is fixed. Two structures with the same response to a few random loads respond alike to all, so no error is
    masked by the loads of the drawing.
    """
    rng = np.random.default_rng(_SEED)
    joints = sorted(
        {(vertex, tuple(sorted(carriers))) for (vertex, _), carriers in find_attachments(truth).translating.items()}
    )
    pairs = sorted(truth.count())
    cases = []
    for _ in range(PROBES):
        locations = [LoadPosition(vertex, carriers=frozenset(carriers)) for vertex, carriers in joints]
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
    """Where point loads differ: (location, distance along it, truth's sum, answer's sum)."""
    differences = []
    locations = sorted({position.location for position, _ in (*truth.point_loads, *answer.point_loads)}, key=str)
    for location in locations:
        truth_loads = [(position.at, vector) for position, vector in truth.point_loads if position.location == location]
        answer_loads = [
            (position.at, vector) for position, vector in answer.point_loads if position.location == location
        ]
        for at in distinct_values([a for a, _ in truth_loads] + [a for a, _ in answer_loads], snap_distance):
            expected, got = _near(truth_loads, at, snap_distance), _near(answer_loads, at, snap_distance)
            if not _same_vectors(expected, got, tolerance):
                differences.append((location, at, _sum(expected), _sum(got)))
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
        expected, got = _by_carriers(truth, vertex), _by_carriers(answer, vertex)
        wrong = [
            carriers
            for carriers in {**expected, **got}
            if not _same_vectors(expected.get(carriers, []), got.get(carriers, []), tolerance)
        ]
        if wrong and _same_vectors([*chain(*expected.values())], [*chain(*got.values())], tolerance):
            right, other = (next((b for b in wrong if b in vectors), frozenset()) for vectors in (expected, got))
            load = _sum(expected.get(right) or got.get(other, []))
            differences.append(MisattachedLoad(vertex, load, right, other))
    return differences


def _by_carriers(loads: MappedLoads, vertex: int) -> dict[Carriers, list[Floats]]:
    vectors: dict[Carriers, list[Floats]] = {}
    for position, vector in loads.point_loads:
        if position.location == vertex and position.carriers is not None:
            vectors.setdefault(position.carriers, []).append(vector)
    return vectors


def _sum(vectors: list[Floats]) -> Floats:
    return np.asarray(np.sum([_NOTHING, *vectors], axis=0))


def _same_vectors(truth: list[Floats], answer: list[Floats], tolerance: float) -> bool:
    """Whether forces and moments (fx, fy, m) at one place are the same, each within a tolerance of its own size.

    They may be written as other vectors with the same sum. Then the tolerance is relative to the smallest of them, so
    that none is lost beside a large one.
    """
    largest = max((float(np.abs(vector).max()) for vector in (*truth, *answer)), default=0.0)
    for part in (_FORCE, _MOMENT):
        expected, got = (
            [vector[part] for vector in vectors if np.abs(vector[part]).max() > _ROUNDING * largest]
            for vectors in (truth, answer)
        )
        if not _same_amounts(expected, got, [_norm(amount) for amount in expected], tolerance, _ROUNDING * largest):
            return False
    return True


def _same_amounts(
    truth: list[Floats], answer: list[Floats], truth_sizes: list[float], tolerance: float, rounding: float
) -> bool:
    """Whether two sets of vectors, or of pairs of intensities, have the same sum or are the same one by one."""
    if not truth and not answer:
        return True
    gap = _norm(np.sum([np.zeros_like((truth or answer)[0]), *truth, *(-amount for amount in answer)], axis=0))
    smallest = min(*truth_sizes, *map(_norm, answer), np.inf, np.inf)
    if gap <= tolerance * smallest + rounding:
        return True
    remaining = list(answer)
    for size, amount in sorted(zip(truth_sizes, truth, strict=True), key=lambda row: -row[0]):
        gaps = [_norm(amount - other) for other in remaining]
        if not gaps or min(gaps) > tolerance * size:
            return False
        remaining.pop(gaps.index(min(gaps)))
    return not remaining


def _norm(amount: Floats) -> float:
    """Length of a vector; the larger of the two for intensities at both ends."""
    return float(np.sqrt((amount * amount).sum(axis=-1)).max())


def distinct_values(values: list[float], tolerance: float) -> list[float]:
    """Sorted values without those that exceed the one before by no more than a tolerance."""
    distinct: list[float] = []
    for value in sorted(values):
        if not distinct or value - distinct[-1] > tolerance:
            distinct.append(value)
    return distinct


def _near(point_loads: list[tuple[float, Floats]], at: float, snap_distance: float) -> list[Floats]:
    return [vector for a, vector in point_loads if -1e-12 <= a - at <= snap_distance]


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
        for begin, end in pairwise(stops):
            expected, got = _intensities(truth_loads, begin, end), _intensities(answer_loads, begin, end)
            amounts = [amount for amount, _ in expected], [amount for amount, _ in got]
            rounding = _ROUNDING * max((peak for _, peak in (*expected, *got)), default=0.0)
            if not _same_amounts(*amounts, [peak for _, peak in expected], tolerance, rounding):
                sums = [np.asarray(np.sum([np.zeros((2, 2)), *loads], axis=0)) for loads in amounts]
                differences.append((pair, begin, end, sums[0], sums[1]))
    return differences


def _intensities(line_loads: list[LineLoad], begin: float, end: float) -> list[tuple[Floats, float]]:
    """Intensity of each distributed load at both ends of an interval, from inside (2, 2), and its peak."""
    middle = (begin + end) / 2
    found = []
    for line_load in line_loads:
        if line_load.begin <= middle <= line_load.end and line_load.peak > 0.0:
            at_begin, at_end = np.array(line_load.at_begin), np.array(line_load.at_end)
            slope = (at_end - at_begin) / (line_load.end - line_load.begin)
            ends = [at_begin + slope * (begin - line_load.begin), at_begin + slope * (end - line_load.begin)]
            found.append((np.array(ends), line_load.peak))
    return found
