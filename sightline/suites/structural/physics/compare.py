"""When two responses are the same: every reaction and every field within a share of the truth's own peak."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sightline.suites.structural.physics.applied import Applied, Spot, Stretch
from sightline.suites.structural.physics.bearing import Bearers
from sightline.suites.structural.physics.places import Floats, PlacePair
from sightline.suites.structural.physics.response import Response

NOTICEABLE = 0.01
"""A field that is smaller than this share of the largest force is measured against that share: secondary bending of a
truss and axial shortening of a beam are noise beside the forces that the drawing is about."""
PROBES = 2
_SEED = 20260101
_FORCE, _MOMENT = slice(0, 2), slice(2, 3)
_NOTHING = np.zeros(3)


def same(truth: Response, answer: Response, arm: float, tolerance: float) -> bool:
    """Whether all cases agree: reactions by place, axial and transverse forces and moments by piece."""
    if truth.pairs != answer.pairs:
        return False
    for number in range(len(truth.forces)):
        fields, reactions = truth.forces[number], truth.reactions[number]
        moment = max(np.abs(fields[:, [2, 5]]).max(initial=0.0), np.abs(reactions[:, 2]).max(initial=0.0))
        force = max(np.abs(fields[:, [0, 1, 3, 4]]).max(initial=0.0), np.abs(reactions[:, :2]).max(initial=0.0))
        force = max(force, moment / arm)  # under moments alone there may be no force at all, but rounding
        scales = [
            _scale(np.abs(fields[:, [0, 3]]).max(initial=0.0), force),
            _scale(np.abs(fields[:, [1, 4]]).max(initial=0.0), force),
            _scale(moment, force * arm),
        ]
        gap = np.abs(fields - answer.forces[number])
        allowed = tolerance * np.array([*scales, *scales])
        off = np.abs(reactions - answer.reactions[number])
        held = tolerance * np.array([_scale(np.abs(reactions[:, :2]).max(initial=0.0), force)] * 2 + [scales[2]])
        if np.any(gap > allowed) or np.any(off > held):
            return False
    return True


def _scale(peak: float, largest: float) -> float:
    return max(peak, NOTICEABLE * largest, np.finfo(float).tiny)


def same_shape(truth: Response, answer: Response, tolerance: float) -> bool:
    """Whether displacements agree up to one common factor, which a stiffness that no drawing shows may bring."""
    u, w = truth.displacements.ravel(), answer.displacements.ravel()
    size = float((w * w).sum())  # not by BLAS, whose last digits depend on the CPU
    factor = float((u * w).sum()) / size if size > 0 else 1.0
    return bool(np.abs(u - factor * w).max(initial=0.0) <= tolerance * np.abs(u).max(initial=0.0))


def probes(places: Floats, pairs: list[PlacePair]) -> list[Applied]:
    """Loads in all directions on all places and in the middle of all pieces, the same for both models.

    They are drawn at random once and for all: two structures that answer alike to a few random loads answer alike to
    all, so that nothing can hide behind the loads of the drawing.
    """
    rng = np.random.default_rng(_SEED)
    joined = sorted({place for pair in pairs for place in pair})
    cases = []
    for _ in range(PROBES):
        wheres = [Spot(place) for place in joined]
        wheres += [Spot(pair, float(np.hypot(*(places[pair[1]] - places[pair[0]]))) / 2) for pair in pairs]
        cases.append(Applied([(where, np.array([*rng.uniform(-1, 1, 2), 0.0])) for where in wheres], []))
    return cases


def same_loads(truth: Applied, answer: Applied, reach: float, tolerance: float) -> bool:
    """Whether the same forces act at the same places on the same parts, each within the tolerance of its own size."""
    return not (
        differing_spots(truth, answer, reach, tolerance)
        or misborne(truth, answer, tolerance)
        or differing_stretches(truth, answer, reach, tolerance)
    )


def differing_spots(
    truth: Applied, answer: Applied, reach: float, tolerance: float
) -> list[tuple[PlacePair | int, float, Floats, Floats]]:
    """Where the sums of point loads differ: (where, at, truth's vector, answer's vector)."""
    found = []
    wheres = sorted({spot.where for spot, _ in (*truth.spots, *answer.spots)}, key=str)
    for where in wheres:
        ours = [(spot.at, vector) for spot, vector in truth.spots if spot.where == where]
        theirs = [(spot.at, vector) for spot, vector in answer.spots if spot.where == where]
        for at in _groups([a for a, _ in ours] + [a for a, _ in theirs], reach):
            one, other = _sum_near(ours, at, reach), _sum_near(theirs, at, reach)
            if _differ(one, other, _sizes([one, other]), tolerance):
                found.append((where, at, one, other))
    return found


class Misborne(NamedTuple):
    """A load that is right but for the part that bears it: on the wrong side of a hinge, on the wrong one of two
    members that cross."""

    place: int
    load: Floats
    expected: Bearers
    found: Bearers


def misborne(truth: Applied, answer: Applied, tolerance: float) -> list[Misborne]:
    """Where all that acts at a place is the truth's, but parts of it are borne by something else."""
    found = []
    for place in sorted({spot.where for spot, _ in (*truth.spots, *answer.spots) if isinstance(spot.where, int)}):
        ours, theirs = _by_bearers(truth, place), _by_bearers(answer, place)
        gaps = {borne: ours.get(borne, _NOTHING) - theirs.get(borne, _NOTHING) for borne in {**ours, **theirs}}
        sizes = _sizes([*ours.values(), *theirs.values()])
        wrong = [borne for borne, gap in gaps.items() if _differ(gap, _NOTHING, sizes, tolerance)]
        if wrong and not _differ(np.sum(list(gaps.values()), axis=0), _NOTHING, sizes, tolerance):
            expected, got = (next((b for b in wrong if b in there), frozenset()) for there in (ours, theirs))
            found.append(Misborne(place, ours.get(expected, theirs.get(got, _NOTHING)), expected, got))
    return found


def _by_bearers(loads: Applied, place: int) -> dict[Bearers, Floats]:
    sums: dict[Bearers, Floats] = {}
    for spot, vector in loads.spots:
        if spot.where == place and spot.borne is not None:
            sums[spot.borne] = sums.get(spot.borne, _NOTHING) + vector
    return sums


def _sizes(vectors: list[Floats]) -> Floats:
    """The largest force, twice, and the largest moment: each is measured against its own kind."""
    force, moment = (max(float(np.abs(vector[part]).max()) for vector in vectors) for part in (_FORCE, _MOMENT))
    return np.array([force, force, moment])


def _differ(one: Floats, other: Floats, sizes: Floats, tolerance: float) -> bool:
    """Whether a force or a moment is off by more than the tolerance; what rounding leaves of a sum is nothing."""
    rounding = 1e-12 * sizes.max()
    return bool(np.any(np.abs(one - other) > tolerance * sizes + rounding))


def _groups(positions: list[float], reach: float) -> list[float]:
    """Positions that are apart by more than the reach."""
    kept: list[float] = []
    for at in sorted(positions):
        if not kept or at - kept[-1] > reach:
            kept.append(at)
    return kept


def _sum_near(spots: list[tuple[float, Floats]], at: float, reach: float) -> Floats:
    near = [vector for a, vector in spots if -1e-12 <= a - at <= reach]
    return np.asarray(np.sum([np.zeros(3), *near], axis=0))


def differing_stretches(
    truth: Applied, answer: Applied, reach: float, tolerance: float
) -> list[tuple[PlacePair, float, float, Floats, Floats]]:
    """Where loads per metre differ: (piece, begin, end, truth's and answer's intensities at both ends)."""
    found = []
    for pair in sorted({stretch.between for stretch in (*truth.stretches, *answer.stretches)}):
        ours = [stretch for stretch in truth.stretches if stretch.between == pair]
        theirs = [stretch for stretch in answer.stretches if stretch.between == pair]
        stops = _groups([at for stretch in (*ours, *theirs) for at in (stretch.begin, stretch.end)], reach)
        one = [_intensities(ours, a, b) for a, b in pairwise(stops)]
        other = [_intensities(theirs, a, b) for a, b in pairwise(stops)]
        size = max((np.abs(value).max() for value in (*one, *other)), default=0.0)
        for k in range(len(one)):
            if np.abs(one[k] - other[k]).max() > tolerance * size:
                found.append((pair, stops[k], stops[k + 1], one[k], other[k]))
    return found


def _intensities(stretches: list[Stretch], begin: float, end: float) -> Floats:
    """Sum of the loads per metre at both ends of an interval, seen from inside: (2, 2)."""
    middle = (begin + end) / 2
    total = np.zeros((2, 2))
    for stretch in stretches:
        if stretch.begin <= middle <= stretch.end:
            at_begin, at_end = np.array(stretch.at_begin), np.array(stretch.at_end)
            slope = (at_end - at_begin) / (stretch.end - stretch.begin)
            total += [at_begin + slope * (begin - stretch.begin), at_begin + slope * (end - stretch.begin)]
    return total
