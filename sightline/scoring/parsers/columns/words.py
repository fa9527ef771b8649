"""Yes or no, as labels: so that accuracy, controls and the confusion matrix are those of every other class."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sightline.data.columns import Labels, ParsedColumn, TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.label_hash import label_code
from sightline.scoring.parsers.columns.plain import folded, plain
from sightline.scoring.parsers.columns.reasons import REASONS
from sightline.scoring.parsers.columns.word_kernels import read_words

_CHINESE = {"是": "yes", "有": "yes", "否": "no", "没有": "no"}
_YES, _NO = label_code("yes"), label_code("no")


def folded_word(text: str) -> str:
    """Folded to ASCII; the Chinese words for yes and no become those."""
    known = folded(text).strip()
    return _CHINESE.get(known.removesuffix(".").rstrip(), known)


class YesNoParser(ColumnParser, frozen=True, kw_only=True):
    """`yes` or `no` in any case, `是` `有` or `否` `没有`, with one full stop after it; nothing else."""

    kind: ClassVar[str] = "labels"

    def read(self, texts: TextColumn) -> ParsedColumn:
        """See `ColumnParser`."""
        texts = plain(texts, folded_word)
        yes, errors = read_words(texts.data, texts.starts, texts.stops)
        known = errors == 0
        codes = np.where(yes, np.uint64(_YES), np.uint64(_NO))[known]
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(known)))
        return ParsedColumn(Labels(offsets, codes, {_YES: "yes", _NO: "no"}), errors, REASONS)

    def value(self, values: Any) -> Any:
        """`yes` or `no`."""
        return values.names[int(values.codes[0])]


YES_NO = YesNoParser()
