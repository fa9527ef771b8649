"""Truths and replies of one task as parsed columns: what scorers and metrics work on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

T = TypeVar("T")


class ParsedColumn(Struct, frozen=True):
    """A column parsed from texts, and which texts could not be parsed and why."""

    values: Any
    """A `Column` of the parser's kind."""
    errors: NDArray[np.uint8]
    """0 where the text was parsed, else the index of the reason in `reasons`."""
    reasons: tuple[str, ...]
    """Error types such as "empty output"; the first is empty."""


class Batch(Struct, frozen=True):
    """Samples of one task whose truth is valid and whose request did not fail; all columns have the same length."""

    truth: Any
    reply: Any
    """A reply that is missing or could not be parsed is an empty row: no shape, no label, no number, no text."""
    answered: NDArray[np.bool_]
    """Where the reply could be parsed."""
    clusters: NDArray[np.uint64]
    """A hash of what the sample shares with others (its image): the unit of independence."""
    key: int = -1
    """The number of the batch within its task, by which fitted state about its truths is found again; −1: none."""
    weights: NDArray[np.float64] | None = None
    """The number of samples of the dataset that each one represents (sampling weight); None: 1 each."""
    results: dict[str, Any] = field(default_factory=dict)
    """Results that the scorer and the metrics share, by name; see `compute_once`."""

    def __len__(self) -> int:
        return len(self.clusters)

    def compute_once(self, name: str, compute: Callable[[], T]) -> T:
        """The result of a computation that several users of the batch need, such as the matching of boxes."""
        if name not in self.results:
            self.results[name] = compute()
        result: T = self.results[name]
        return result
