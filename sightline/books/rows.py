"""What goes into a task's book and what comes out: texts in, states and values out, one entry a sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.columns import TextColumn
from sightline.records import State

STATES: tuple[State, ...] = ("ok", "unparsed", "empty", "invalid", "truncated", "refused", "failed")
OK, UNPARSED, EMPTY, INVALID, TRUNCATED, REFUSED, FAILED = range(7)
MISSING = "missing output"
"""The error of a sample that the model gave no output for: a wrong answer, as an empty one is."""


class TaskRows(Struct, frozen=True, kw_only=True):
    """Samples of one task as texts."""

    truth: TextColumn
    reply: TextColumn
    replied: NDArray[np.bool_]
    """Where there is an output at all."""
    clusters: NDArray[np.uint64]
    key: int = -1
    """The batch's number within the task."""
    sizes: NDArray[np.float64] | None = None
    """Width and height of each sample's picture, where coordinates must be converted."""
    weights: NDArray[np.float64] | None = None
    """Sample weights: how many samples of the data set each stands for; None: each for itself."""
    endings: NDArray[np.uint8] | None = None
    """Inference status, as places in `STATES`: `TRUNCATED`, `REFUSED` or `FAILED`, and `OK` for any other reply."""
    messages: tuple[str, ...] = ()
    """Of each sample why its request failed, where `endings` are given and requests may have."""

    def __len__(self) -> int:
        return len(self.clusters)


class Graded(Struct, frozen=True, kw_only=True):
    """What became of the samples."""

    states: NDArray[np.uint8]
    """Places in `STATES`."""
    scores: NDArray[np.float64]
    values: dict[str, NDArray[Any]]
    notes: NDArray[np.int64]
    """Why a sample is not ok: the place in `reasons`, of which the first is empty."""
    reasons: tuple[str, ...]
    mis_scaled: NDArray[np.bool_]
    """Where shapes lie so far out of range that another coordinate space was probably meant."""
