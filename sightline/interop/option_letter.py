"""Replies to questions with options A, B…, where the options themselves are not at hand."""

from __future__ import annotations

from typing import Any, ClassVar

from sightline.data.columns import ParsedColumn, TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.labels import LABEL
from sightline.scoring.scorers.option_replies import (
    NO_OPTION,
    ONLY_NEGATED,
    SEVERAL_OPTIONS,
    NamedOption,
    find_named_option,
)
from sightline.scoring.scorers.options import LETTERS, option_letter

_WHY = ("", NO_OPTION, SEVERAL_OPTIONS, ONLY_NEGATED)


class OptionLetterParser(ColumnParser, frozen=True, kw_only=True):
    """The only letter that a reply chooses: `B`, `(B)`, `B. ship`, `The answer is B.`"""

    kind: ClassVar[str] = "labels"

    def read(self, texts: TextColumn) -> ParsedColumn:
        """See `ColumnParser`."""
        named = [find_named_option(text, [""] * len(LETTERS)) for text in texts]
        read = LABEL.read(TextColumn.of([option_letter(one.index) if one.index >= 0 else "" for one in named]))
        reasons = (*read.reasons, *_WHY[1:])
        for row, one in enumerate(named):
            if one.index < 0 and texts[row].strip():
                read.errors[row] = len(read.reasons) + _WHY.index(_why(one)) - 1
        return ParsedColumn(read.values, read.errors, reasons)

    def value(self, values: Any) -> Any:
        """The letter, as labels are folded."""
        return LABEL.value(values)


def _why(one: NamedOption) -> str:
    return one.reason if one.reason in _WHY else NO_OPTION


OPTION_LETTER = OptionLetterParser()
