"""Parser of multiple-choice replies (option letter) without access to the option texts."""

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

_REASONS = ("", NO_OPTION, SEVERAL_OPTIONS, ONLY_NEGATED)


class OptionLetterParser(ColumnParser, frozen=True, kw_only=True):
    """Parses the single letter that a reply chooses: `B`, `(B)`, `B. ship`, `The answer is B.`"""

    kind: ClassVar[str] = "labels"

    def read(self, texts: TextColumn) -> ParsedColumn:
        """See `ColumnParser`."""
        choices = [find_named_option(text, [""] * len(LETTERS)) for text in texts]
        read = LABEL.read(
            TextColumn.of([option_letter(choice.index) if choice.index >= 0 else "" for choice in choices])
        )
        reasons = (*read.reasons, *_REASONS[1:])
        for row, choice in enumerate(choices):
            if choice.index < 0 and texts[row].strip():
                read.errors[row] = len(read.reasons) + _REASONS.index(_reason(choice)) - 1
        return ParsedColumn(read.values, read.errors, reasons)

    def value(self, values: Any) -> Any:
        """The letter, as labels are folded."""
        return LABEL.value(values)


def _reason(choice: NamedOption) -> str:
    return choice.reason if choice.reason in _REASONS else NO_OPTION


OPTION_LETTER = OptionLetterParser()
