"""Alignment: the translation that best matches an answer's points, members and supports to the truth's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sightline.suites.structural.model import Model

Floats = NDArray[np.float64]
_MAX_CANDIDATES = 32
"""How many of the most frequent point-to-point shifts are evaluated in full."""
_GRID_STEP = 2.0
"""Grid step for counting equal shifts, as a multiple of the snap distance."""


def best_shift(truth: Model, answer: Model, default_shift: Floats, snap_distance: float) -> Floats:
    """The shift that matches most points, members and supports of the answer to the truth's.

    Ties are resolved in favour of the shift nearest to the default one.
    """
    at_truth, at_answer = _points(truth), _points(answer)
    candidates = [default_shift, *_candidates(at_truth, at_answer, snap_distance)]
    gains = [
        _count_matches(truth, answer, _match_points(at_truth, at_answer + shift, snap_distance)) for shift in candidates
    ]
    best = [shift for shift, gain in zip(candidates, gains, strict=True) if gain == max(gains)]
    return min(
        best, key=lambda shift: (round(float(np.hypot(*(shift - default_shift))) / snap_distance), *map(float, shift))
    )


def _points(model: Model) -> Floats:
    return np.array([(point.x, point.y) for point in model.points])


def _candidates(at_truth: Floats, at_answer: Floats, snap_distance: float) -> Floats:
    """The most frequent shifts from a point of the answer to a point of the truth."""
    shifts = (at_truth[:, None, :] - at_answer[None, :, :]).reshape(-1, 2)
    _, first, count = np.unique(
        np.round(shifts / (_GRID_STEP * snap_distance)), axis=0, return_index=True, return_counts=True
    )
    most = np.argsort(-count, kind="stable")[:_MAX_CANDIDATES]
    return np.asarray(shifts[first[most]])


def _match_points(at_truth: Floats, at_answer: Floats, snap_distance: float) -> list[int]:
    """For each point of the answer, the index of the truth's point within the snap distance, or −1."""
    distances = np.hypot(*(at_answer[:, None, :] - at_truth[None, :, :]).transpose(2, 0, 1))
    nearest = distances.argmin(axis=1)
    return [int(k) if gap <= snap_distance else -1 for k, gap in zip(nearest, distances.min(axis=1), strict=True)]


def _count_matches(truth: Model, answer: Model, matches: list[int]) -> int:
    """How many points, members and supports coincide with one of the truth's."""
    truth_index = {point.id: number for number, point in enumerate(truth.points)}
    answer_index = {point.id: number for point, number in zip(answer.points, matches, strict=True) if number >= 0}
    truth_members = {frozenset((truth_index[link.a], truth_index[link.b])) for link in truth.links}
    answer_members = {frozenset((answer_index.get(link.a, -1), answer_index.get(link.b, -1))) for link in answer.links}
    truth_supports = {(truth_index[support.point], support.kind) for support in truth.supports}
    answer_supports = {(answer_index.get(support.point, -1), support.kind) for support in answer.supports}
    return len(set(answer_index.values())) + len(truth_members & answer_members) + len(truth_supports & answer_supports)
