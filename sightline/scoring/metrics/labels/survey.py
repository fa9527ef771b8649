"""The classes of all truths, which must be known before a reply can be judged."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from sightline.data.columns import Hashes
from sightline.scoring.metrics.state import Survey
from sightline.stats.state_checks import checked, require


class LabelSurvey(Survey):
    """Code and name of every class that a truth has."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}

    def add(self, truth: Any, key: int) -> None:
        """See `Survey`."""
        for code in np.unique(truth.codes).tolist():
            self.names.setdefault(code, truth.names[code])

    def merge(self, other: Self) -> None:
        """See `Survey`."""
        self.names.update(other.names)

    def state_dict(self) -> dict[str, Any]:
        """The classes as values."""
        return {"names": self.names}

    def load_state_dict(self, state: Any) -> None:
        """Take the classes of others. Raises `ValueError` where they are no classes."""
        names = checked(state, {"names": {}})["names"]
        for code, name in names.items():
            require(type(code) is int and 0 <= code < 2**64, type(name) is str)
        self.names = names

    def codes(self) -> Hashes:
        """The codes of all classes, ascending."""
        return np.array(sorted(self.names), np.uint64)
