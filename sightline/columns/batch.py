"""What goes from the parsers to the tallies: truth and replies of one task, read."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


class Read(Struct, frozen=True):
    """A column read from texts, and which texts could not be read and why."""

    values: Any
    """A `Column` of the parser's kind."""
    errors: NDArray[np.uint8]
    """0 where the text was read, else the place of the reason in `reasons`."""
    reasons: tuple[str, ...]
    """Error types such as "empty output"; the one at place 0 is empty."""


class Batch(Struct, frozen=True):
    """Samples of one task whose truth is sound; every column has the same length."""

    truth: Any
    reply: Any
    """A reply that is missing or could not be read is an empty row: no shape, no label, no number, no text."""
    answered: NDArray[np.bool_]
    """Where the reply could be read."""
    clusters: NDArray[np.uint64]
    """A hash of what the sample shares with others (its picture): the unit of independence."""
    key: int = -1
    """The batch's number within its task, by which a survey finds again what it learnt of these truths; −1: none."""
    weights: NDArray[np.float64] | None = None
    """How many samples of the data set each stands for; None: each for itself."""

    def __len__(self) -> int:
        return len(self.clusters)
