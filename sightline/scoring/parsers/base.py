"""Base class of column parsers, which parse batches of texts; each is also a parser of single texts."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from sightline.core.records import Parsed, Unparsed
from sightline.data.columns import Read, TextColumn


class ColumnParser(Struct, frozen=True, kw_only=True):
    """Parses a column of texts into a column of values and error reasons; never raises, whatever the bytes."""

    kind: ClassVar[str]
    """The kind of column that it returns."""

    def read(self, texts: TextColumn) -> Read:
        """Parse every text."""
        raise NotImplementedError

    def value(self, values: Any) -> Any:
        """The value of a column with one sample, as built-in Python types."""
        raise NotImplementedError

    def __call__(self, text: str) -> Parsed | Unparsed:
        """Parse a single text."""
        read = self.read(TextColumn.of([text]))
        if read.errors[0]:
            return Unparsed(read.reasons[read.errors[0]])
        return Parsed(self.value(read.values), self.kind)
