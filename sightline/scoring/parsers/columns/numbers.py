"""One plain number."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sightline.data.columns import Numbers, Read, TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.normalize import WHITE, normalize_texts
from sightline.scoring.parsers.columns.number_kernels import HARD, read_numbers
from sightline.scoring.parsers.columns.reasons import OUT_OF_RANGE, REASONS

LARGEST = 1e12


class NumberParser(ColumnParser, frozen=True, kw_only=True):
    """`36`, `-2`, `+3`, `36.5`, `.5`, `1,234`, `３６`, each with white space around and one full stop after it.

    No exponents, no units, no words; at most 10¹² either way.
    """

    kind: ClassVar[str] = "numbers"

    def read(self, texts: TextColumn) -> Read:
        """See `ColumnParser`."""
        texts = normalize_texts(texts)
        values, statuses = read_numbers(texts.data, texts.starts, texts.stops)
        for row in np.flatnonzero(statuses == HARD).tolist():
            value = float(texts[row].strip(WHITE).replace(",", "").rstrip("."))
            statuses[row] = 0 if abs(value) <= LARGEST else OUT_OF_RANGE
            values[row] = value if abs(value) <= LARGEST else np.nan
        return Read(Numbers(values), statuses, REASONS)

    def value(self, values: Any) -> Any:
        """The number; a whole one as `int`."""
        number = float(values.values[0])
        return int(number) if number.is_integer() else number


NUMBER = NumberParser()
