"""Yes/no parser that returns labels, so that accuracy, baselines and confusion matrix are those of labels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sightline.data.columns import Labels, Read, TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.label_hash import label_code
from sightline.scoring.parsers.columns.normalize import fold_text, normalize_texts
from sightline.scoring.parsers.columns.reasons import REASONS
from sightline.scoring.parsers.columns.word_kernels import read_words

_CHINESE = {"是": "yes", "有": "yes", "否": "no", "没有": "no"}
_YES, _NO = label_code("yes"), label_code("no")


def fold_yes_no(text: str) -> str:
    """Fold to ASCII, and translate the Chinese words for yes and no."""
    folded = fold_text(text).strip()
    return _CHINESE.get(folded.removesuffix(".").rstrip(), folded)


class YesNoParser(ColumnParser, frozen=True, kw_only=True):
    """`yes` or `no` in any case, `是` `有` or `否` `没有`, with one full stop after it; nothing else."""

    kind: ClassVar[str] = "labels"

    def read(self, texts: TextColumn) -> Read:
        """See `ColumnParser`."""
        texts = normalize_texts(texts, fold_yes_no)
        yes, errors = read_words(texts.data, texts.starts, texts.stops)
        known = errors == 0
        codes = np.where(yes, np.uint64(_YES), np.uint64(_NO))[known]
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(known)))
        return Read(Labels(offsets, codes, {_YES: "yes", _NO: "no"}), errors, REASONS)

    def value(self, values: Any) -> Any:
        """`yes` or `no`."""
        return values.names[int(values.codes[0])]


YES_NO = YesNoParser()
