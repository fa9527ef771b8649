"""The frame of parsers that read whole columns of texts; each also reads a single text, as every parser does."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from sightline.core.records import Parsed, Unparsed
from sightline.data.columns import ParsedColumn, TextColumn


class ColumnParser(Struct, frozen=True, kw_only=True):
    """Texts in, a column of values and the reasons why some could not be read out; never raises on any bytes."""

    kind: ClassVar[str]
    """The kind of column that it gives."""

    def read(self, texts: TextColumn) -> ParsedColumn:
        """Read every text."""
        raise NotImplementedError

    def value(self, values: Any) -> Any:
        """What a column of one sample holds, as plain Python."""
        raise NotImplementedError

    def __call__(self, text: str) -> Parsed | Unparsed:
        """Read one text."""
        read = self.read(TextColumn.of([text]))
        if read.errors[0]:
            return Unparsed(read.reasons[read.errors[0]])
        return Parsed(self.value(read.values), self.kind)
