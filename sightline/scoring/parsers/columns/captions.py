"""Free text, such as a caption: anything with a visible character."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sightline.data.columns import Read, TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.normalize import strip_thinking_column
from sightline.scoring.parsers.columns.reasons import EMPTY, REASONS


class TextParser(ColumnParser, frozen=True, kw_only=True):
    """The text as it stands, without thinking; line breaks are folded where it is scored."""

    kind: ClassVar[str] = "texts"

    def read(self, texts: TextColumn) -> Read:
        """See `ColumnParser`."""
        texts, blank = strip_thinking_column(texts)
        stops = np.where(blank, texts.starts, texts.stops)
        return Read(TextColumn(texts.data, texts.starts, stops), np.where(blank, EMPTY, 0).astype(np.uint8), REASONS)

    def value(self, values: Any) -> Any:
        """The text without white space around it."""
        return values[0].strip()


TEXT = TextParser()
