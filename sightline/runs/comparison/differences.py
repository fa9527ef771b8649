"""How far one run lies above another, how sure that is, and which runs are surely better among many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from msgspec import Struct

from sightline.core.records import Estimate
from sightline.runs.comparison.records import SURE
from sightline.stats.corrections import holm
from sightline.stats.intervals import LEVEL, Floats
from sightline.stats.paired import mcnemar, paired_difference

Lead = tuple[float, float | None]
"""How far a run lies above another, and how likely such a lead were if they were equally good."""
_QUANTILE = NormalDist().inv_cdf(0.5 + LEVEL / 2)


class Tally(Struct, frozen=True):
    """What a run earned, cluster by cluster, and which samples that were."""

    samples: tuple[int, int]
    """Their number, and the sum of their hashes."""
    earned: Floats
    weight: Floats


def paired_lead(first: Tally, second: Tally) -> Lead:
    """On the very same samples: McNemar's exact test where each is right or wrong by itself, else Student's t."""
    moved = first.earned - second.earned
    if first.samples[0] == len(moved) and (first.weight == 1).all() and np.isin(moved, (-1, 0, 1)).all():
        return float(moved.mean()), mcnemar(int((moved < 0).sum()), int((moved > 0).sum()))
    spread = paired_difference(moved, first.weight)
    return spread.value or 0.0, spread.p


def separate_lead(first: Estimate, second: Estimate) -> Lead:
    """By both intervals alone, as if the samples were others: cautious, since what is hard for both does not cancel.

    The distance from each value to the end of its interval that faces the other stands for its error (Zou and Donner
    2008, "the method of variance estimates recovery").
    """
    ends = (first.value, first.low, first.high, second.value, second.low, second.high)
    if None in ends:
        return 0.0, None
    value, low, high, other, other_low, other_high = (float(end or 0.0) for end in ends)
    lead = value - other
    reach = math.hypot(value - low, other_high - other) if lead > 0 else math.hypot(high - value, other - other_low)
    if reach <= 0:
        return lead, None
    return lead, math.erfc(abs(lead) / reach * _QUANTILE / math.sqrt(2))


def surely_better(pairs: Sequence[tuple[int, int]], leads: Sequence[Lead], sign: int = 1) -> set[tuple[int, int]]:
    """Pairs of places where the first is surely better than the second.

    The p-values are corrected for all pairs (Holm): with 95 % no pair at all is told apart in the wrong order, so that
    all ranges of ranks hold together (Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for Ranks").
    """
    found = set()
    for (i, j), (lead, _), p in zip(pairs, leads, holm([p for _, p in leads]), strict=True):
        if p is not None and p < SURE and lead:
            found.add((i, j) if sign * lead > 0 else (j, i))
    return found
