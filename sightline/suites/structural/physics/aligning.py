"""Where an answer that is not quite the truth lies best on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sightline.suites.structural.model import Model

Floats = NDArray[np.float64]
_TRIED = 32
"""So many of the shifts that bring most points together are looked at closely."""
_COARSE = 2.0
"""Differences between points are gathered on a grid of so many reaches."""


def best_shift(truth: Model, answer: Model, usual: Floats, reach: float) -> Floats:
    """The shift that brings most points, members and supports of the answer onto the truth's.

    Of several that bring as much, the one nearest to the usual one.
    """
    at_truth, at_answer = _points(truth), _points(answer)
    tried = [usual, *_candidates(at_truth, at_answer, reach)]
    gains = [_gain(truth, answer, _found(at_truth, at_answer + shift, reach)) for shift in tried]
    best = [shift for shift, gain in zip(tried, gains, strict=True) if gain == max(gains)]
    return min(best, key=lambda shift: (round(float(np.hypot(*(shift - usual))) / reach), *map(float, shift)))


def _points(model: Model) -> Floats:
    return np.array([(point.x, point.y) for point in model.points])


def _candidates(at_truth: Floats, at_answer: Floats, reach: float) -> Floats:
    """Shifts from a point of the answer to one of the truth: those that many pairs of points share."""
    shifts = (at_truth[:, None, :] - at_answer[None, :, :]).reshape(-1, 2)
    _, first, count = np.unique(np.round(shifts / (_COARSE * reach)), axis=0, return_index=True, return_counts=True)
    most = np.argsort(-count, kind="stable")[:_TRIED]
    return np.asarray(shifts[first[most]])


def _found(at_truth: Floats, at_answer: Floats, reach: float) -> list[int]:
    """For each point of the answer the truth's at its place, or −1."""
    apart = np.hypot(*(at_answer[:, None, :] - at_truth[None, :, :]).transpose(2, 0, 1))
    nearest = apart.argmin(axis=1)
    return [int(k) if gap <= reach else -1 for k, gap in zip(nearest, apart.min(axis=1), strict=True)]


def _gain(truth: Model, answer: Model, found: list[int]) -> int:
    """How many points, members and supports fall on one of the truth's."""
    ours = {point.id: number for number, point in enumerate(truth.points)}
    theirs = {point.id: number for point, number in zip(answer.points, found, strict=True) if number >= 0}
    members = {frozenset((ours[link.a], ours[link.b])) for link in truth.links}
    there = {frozenset((theirs.get(link.a, -1), theirs.get(link.b, -1))) for link in answer.links}
    supports = {(ours[support.point], support.kind) for support in truth.supports}
    standing = {(theirs.get(support.point, -1), support.kind) for support in answer.supports}
    return len(set(theirs.values())) + len(members & there) + len(supports & standing)
