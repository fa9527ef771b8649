"""Replies to questions with options A, B…, where the options themselves are not at hand."""

from __future__ import annotations

from typing import Any, ClassVar

from sightline.data.columns import ParsedColumn, TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.labels import LABEL
from sightline.scoring.scorers.option_replies import DENIED, NONE, SEVERAL, Named, named_option
from sightline.scoring.scorers.options import LETTERS, option_letter

_WHY = ("", NONE, SEVERAL, DENIED)


class OptionLetterParser(ColumnParser, frozen=True, kw_only=True):
    """The only letter that a reply chooses: `B`, `(B)`, `B. ship`, `The answer is B.`"""

    kind: ClassVar[str] = "labels"

    def read(self, texts: TextColumn) -> ParsedColumn:
        """See `ColumnParser`."""
        named = [named_option(text, [""] * len(LETTERS)) for text in texts]
        read = LABEL.read(TextColumn.of([option_letter(one.place) if one.place >= 0 else "" for one in named]))
        reasons = (*read.reasons, *_WHY[1:])
        for row, one in enumerate(named):
            if one.place < 0 and texts[row].strip():
                read.errors[row] = len(read.reasons) + _WHY.index(_why(one)) - 1
        return ParsedColumn(read.values, read.errors, reasons)

    def value(self, values: Any) -> Any:
        """The letter, as labels are folded."""
        return LABEL.value(values)


def _why(one: Named) -> str:
    return one.why if one.why in _WHY else NONE


OPTION_LETTER = OptionLetterParser()
