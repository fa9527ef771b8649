"""How far a number may be from the truth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from sightline.scoring.scorers.numbers import NoNumber, Number, as_number
from sightline.scoring.scorers.texts import as_text, fold, trimmed

RELATIVE = 0.05
BAD_TOLERANCE = "the tolerance is no number"


class Tolerance(Struct, frozen=True):
    """A share of the truth, and a difference that is always allowed."""

    relative: float = RELATIVE
    absolute: float = 0.0

    def takes(self, number: Number, target: Number) -> bool:
        """Whether a number is near enough; a target in per cent is met by its value and by its hundredth."""
        if number.near(target.value, self.relative, self.absolute):
            return True
        return target.per_cent and number.near(target.value / 100, self.relative, self.absolute / 100)

    def same(self, said: Any, truth: Any) -> bool:
        """Whether a value is the truth: as a number where the truth is one, else as folded text."""
        if isinstance(truth, int | float) and not isinstance(truth, bool):
            number, target = as_number(said), as_number(truth)
            return isinstance(number, Number) and isinstance(target, Number) and self.takes(number, target)
        said, truth = as_text(said), as_text(truth)
        return said is not None and truth is not None and fold(trimmed(said)) == fold(trimmed(truth))


def tolerance(facts: Mapping[str, Any]) -> Tolerance | None:
    """What a question's facts allow (`tolerance`, `absolute`); None where they say something else than numbers."""
    sizes = [as_number(facts.get("tolerance", RELATIVE)), as_number(facts.get("absolute", 0.0))]
    found = [size.value for size in sizes if not isinstance(size, NoNumber) and size.value >= 0]
    return Tolerance(*found) if len(found) == len(sizes) and all(map(math.isfinite, found)) else None
