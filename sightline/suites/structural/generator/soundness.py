"""Acceptance test for generated models: stable, noticeably stressed, and without loads or arms that do not matter."""

from __future__ import annotations

from collections import Counter

from sightline.suites.structural.fem.mechanism import MechanismError
from sightline.suites.structural.fem.structure import Structure
from sightline.suites.structural.framecalc.convert import to_frame
from sightline.suites.structural.model import DistributedLoad, Model

_LEAST = 1.0
"""kN or kN·m: the largest axial force or moment of a model worth drawing."""
_SHARE = 0.03
"""Of the model's largest axial force or moment that each load must bring about alone."""


def is_sound(model: Model) -> bool:
    """Whether a model is stable, stressed, and without irrelevant loads or unloaded arms."""
    if _has_idle_arm(model):
        return False
    try:
        structure = Structure(to_frame(model))
        cases = [structure.frame.loads, *([load] for load in structure.frame.loads)]
        peaks = [solution.peak() for solution in structure.solve_many(cases)]
    except MechanismError:
        return False
    whole, *alone = peaks
    scale = max(whole.n, whole.m)
    return scale >= _LEAST and all(max(peak.n, peak.m) > _SHARE * scale for peak in alone)


def _has_idle_arm(model: Model) -> bool:
    """Whether a cantilever arm has no load on it or at its tip, so that it would be unstressed."""
    ends = Counter(end for link in model.links for end in (link.a, link.b))
    busy = {support.point for support in model.supports} | {load.link for load in model.loads}
    busy |= {load.point for load in model.loads if not isinstance(load, DistributedLoad)}
    return any(
        ends[tip] == 1 and tip not in busy and link.id not in busy for link in model.links for tip in (link.a, link.b)
    )
