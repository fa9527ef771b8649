"""A quotient of two sums over clusters, and how far it may be off: its error, and what that is worth."""

from __future__ import annotations

import math

from msgspec import Struct

from sightline.stats.student import Floats, worth


class Quotient(Struct, frozen=True):
    """Σ part / Σ whole with the error that the clusters' own deviations give it."""

    value: float
    error: float
    degrees: float
    clusters: int


def quotient(part: Floats, whole: Floats) -> Quotient | None:
    """The quotient by its linearisation: a cluster deviates by part − value · whole. None with fewer than two clusters.

    Clusters without weight tell nothing and don't count.
    """
    counted = whole > 0
    part, whole = part[counted], whole[counted]
    clusters, total = len(whole), float(whole.sum())
    if clusters < 2:
        return None
    value = float(part.sum()) / total
    residuals = part - value * whole
    variance = clusters / (clusters - 1) * float((residuals**2).sum()) / total**2
    return Quotient(value, math.sqrt(variance), worth(residuals), clusters)
