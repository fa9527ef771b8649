"""Hits by size of the shapes and by their number in an image: whole numbers, so that no order shows."""

from __future__ import annotations

import numpy as np

from sightline.scoring.geometry.arrays import Floats, Ints
from sightline.scoring.metrics.detection.matching import Matched
from sightline.scoring.metrics.state import Breakdown

SIZES = ("small", "medium", "large")
EDGES = (32.0**2, 96.0**2)
"""COCO's areas: below the first is small, below the second medium."""
CROWDS = ("0", "1", "2–5", "6–20", "21–100", ">100")
CROWD_EDGES = np.array([1, 2, 6, 21, 101])


class SizeTable:
    """True and predicted shapes by their own area, and how many of them were matched."""

    def __init__(self) -> None:
        self.counts: Ints = np.zeros((len(SIZES), 4), np.int64)
        """Columns: true, found, predicted, right."""

    def add(self, matched: Matched, level: int) -> None:
        """Take a batch, matched at the threshold of this place."""
        for column, areas, bits in (
            (0, matched.true_area, matched.true_bits),
            (2, matched.predicted_area, matched.predicted_bits),
        ):
            self.counts[:, column] += _sizes(areas)
            self.counts[:, column + 1] += _sizes(areas[bits & np.uint16(1 << level) > 0])

    def breakdown(self) -> Breakdown:
        """Recall by the size of true shapes, precision by that of predicted ones."""
        rows = tuple(
            (name, true, found, share(found, true), predicted, right, share(right, predicted))
            for name, (true, found, predicted, right) in zip(SIZES, self.counts.tolist(), strict=True)
        )
        head = ("size", "true", "found", "recall", "predicted", "right", "precision")
        return Breakdown(name="by_size", head=head, rows=rows)


class CrowdTable:
    """Hits by the number of true shapes in a sample."""

    def __init__(self) -> None:
        self.counts: Ints = np.zeros((len(CROWDS), 4), np.int64)
        """Columns: samples, hits, predicted, true."""

    def add(self, hits: Ints, predicted: Ints, true: Ints) -> None:
        """Take a batch of samples."""
        band = np.searchsorted(CROWD_EDGES, true, side="right")
        for column, values in enumerate((np.ones(len(true), np.int64), hits, predicted, true)):
            np.add.at(self.counts[:, column], band, values)

    def breakdown(self) -> Breakdown:
        """Precision, recall and F1 by the number of true shapes."""
        rows = tuple(
            (name, samples, share(hits, predicted), share(hits, true), share(2 * hits, predicted + true))
            for name, (samples, hits, predicted, true) in zip(CROWDS, self.counts.tolist(), strict=True)
        )
        return Breakdown(name="by_count", head=("true shapes", "samples", "precision", "recall", "f1"), rows=rows)


def share(part: int, whole: int) -> float | None:
    """The quotient; None where there is nothing to share."""
    return part / whole if whole else None


def _sizes(areas: Floats) -> Ints:
    below = [np.count_nonzero(areas < edge) for edge in EDGES]
    return np.diff([0, *below, len(areas)])
