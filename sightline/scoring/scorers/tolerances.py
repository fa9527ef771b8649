"""Relative and absolute tolerances of numeric comparisons."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from sightline.scoring.scorers.numbers import NoNumber, Number, as_number
from sightline.scoring.scorers.reply_text import as_text, fold, strip_punctuation

DEFAULT_RELATIVE_TOLERANCE = 0.05
BAD_TOLERANCE = "the tolerance is no number"


class Tolerance(Struct, frozen=True):
    """A relative tolerance, and an absolute difference that is always allowed."""

    relative: float = DEFAULT_RELATIVE_TOLERANCE
    absolute: float = 0.0

    def allows(self, number: Number, target: Number) -> bool:
        """Whether a number is within tolerance; a percentage target is met by its value and by its hundredth."""
        if number.near(target.value, self.relative, self.absolute):
            return True
        return target.per_cent and number.near(target.value / 100, self.relative, self.absolute / 100)

    def matches(self, answer: Any, target_value: Any) -> bool:
        """Whether a value matches the target: numerically if the target is a number, else as folded text."""
        if isinstance(target_value, int | float) and not isinstance(target_value, bool):
            number, target = as_number(answer), as_number(target_value)
            return isinstance(number, Number) and isinstance(target, Number) and self.allows(number, target)
        answer, target_value = as_text(answer), as_text(target_value)
        return (
            answer is not None
            and target_value is not None
            and fold(strip_punctuation(answer)) == fold(strip_punctuation(target_value))
        )


def read_tolerance(facts: Mapping[str, Any]) -> Tolerance | None:
    """Read `tolerance` and `absolute` from a question's facts; None if they are not valid numbers."""
    limits = [as_number(facts.get("tolerance", DEFAULT_RELATIVE_TOLERANCE)), as_number(facts.get("absolute", 0.0))]
    values = [limit.value for limit in limits if not isinstance(limit, NoNumber) and limit.value >= 0]
    return Tolerance(*values) if len(values) == len(limits) and all(map(math.isfinite, values)) else None
