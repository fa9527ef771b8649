"""Compiled kernels for precision-recall curves: one pass up the ranking, without arrays of its size."""

from __future__ import annotations

import numpy as np

from sightline.scoring.geometry.arrays import Floats, Ints
from sightline.scoring.geometry.compiled_kernels import compiled
from sightline.scoring.metrics.detection.matching_kernels import Bits

POINTS = 101
"""COCO reads precision at the recalls 0, 0.01 … 1."""


@compiled
def interpolated(scores: Floats, bits: Bits, level: int, truths: int) -> tuple[Floats, float]:
    """Precision at COCO's recalls, and the area under every step as VOC has it, of a ranking with rising scores.

    Detections of one score are one step: whichever came first in a file changes nothing. There must be truths.
    """
    recalls, read = np.linspace(0.0, 1.0, POINTS), np.zeros(POINTS)
    said, hits = len(scores), 0
    for i in range(len(scores)):
        hits += (bits[i] >> level) & 1
    point, best, area, last, at = POINTS - 1, 0.0, 0.0, 0.0, 0
    while said > 0:  # from the worst detections up
        step_hits, step_said, score = 0, 0, scores[at]
        while at < len(scores) and scores[at] == score:
            step_hits += (bits[at] >> level) & 1
            step_said += 1
            at += 1
        recall = hits / truths
        while point >= 0 and recalls[point] > recall:
            read[point] = best
            point -= 1
        area += (last - recall) * best
        best, last = max(best, hits / said), recall
        hits -= step_hits
        said -= step_said
    read[: point + 1] = best
    return read, area + last * best


@compiled
def image_curves(at: Ints, scores: Floats, bits: Bits, level: int, truths: Ints) -> Floats:
    """AP by COCO and by VOC (columns) of each image alone, whose scores fall; NaN without truths."""
    found = np.full((len(at) - 1, 2), np.nan)
    for image in range(len(at) - 1):
        if truths[image] == 0:
            continue
        low, high = at[image], at[image + 1]
        rising, their_bits = scores[low:high][::-1].copy(), bits[low:high][::-1].copy()
        read, found[image, 1] = interpolated(rising, their_bits, level, truths[image])
        found[image, 0] = read.sum() / POINTS
    return found
