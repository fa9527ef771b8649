"""Figures of the totals of classes: hits, predictions and truths of each, then the number of samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sightline.stats.intervals import Floats


def _parts(totals: Floats) -> tuple[Floats, Floats, Floats]:
    size = totals.shape[-1] // 3
    return totals[..., :size], totals[..., size : 2 * size], totals[..., 2 * size : 3 * size]


def _quotient(upper: Floats, lower: Any) -> Floats:
    """0 where there is nothing to divide by."""
    return np.where(lower > 0, upper / np.where(lower > 0, lower, 1), 0.0)


def precisions(totals: Floats) -> Floats:
    """Hits among the predictions of each class."""
    hit, given, _ = _parts(totals)
    return _quotient(hit, given)


def recalls(totals: Floats) -> Floats:
    """Hits among the truths of each class."""
    hit, _, true = _parts(totals)
    return _quotient(hit, true)


def f1s(totals: Floats) -> Floats:
    """F1 of each class."""
    hit, given, true = _parts(totals)
    return _quotient(2 * hit, given + true)


def macro(of_class: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """The mean over the classes that have a truth; a draw of the bootstrap may lack some."""

    def mean(totals: Floats) -> Floats:
        present = _parts(totals)[2] > 0
        result: Floats = (of_class(totals) * present).sum(axis=-1) / present.sum(axis=-1)
        return result

    return mean


def micro_f1(totals: Floats) -> Floats:
    """F1 of all classes' counts together."""
    hit, given, true = (part.sum(axis=-1) for part in _parts(totals))
    return np.where(true > 0, _quotient(2 * hit, given + true), np.nan)


def kappa(totals: Floats) -> Floats:
    """Cohen's kappa: agreement beyond what the same answers would reach by chance."""
    hit, given, true = _parts(totals)
    n = totals[..., -1]
    agreed, chance = hit.sum(axis=-1) / n, (given * true).sum(axis=-1) / (n * n)
    return np.where(chance < 1, (agreed - chance) / np.where(chance < 1, 1 - chance, 1), np.nan)
