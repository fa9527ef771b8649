"""Ordered indices, such as those of the pictures that were retrieved."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sightline.data.columns import Ranks, Read, TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.normalize import normalize_texts
from sightline.scoring.parsers.columns.reasons import REASONS
from sightline.scoring.parsers.columns.shape_reader import fold_shapes
from sightline.scoring.parsers.columns.word_kernels import read_indices


class IndexParser(ColumnParser, frozen=True, kw_only=True):
    """`1,2`: whole numbers from 0 to 10⁹ between commas, semicolons or 、, in the order given.

    `none`, `[]` and `无` are an empty list; one full stop at the end is forgiven.
    """

    kind: ClassVar[str] = "ranks"

    def read(self, texts: TextColumn) -> Read:
        """See `ColumnParser`."""
        texts = normalize_texts(texts, fold_shapes)
        out = np.empty(int(texts.lengths().sum()) // 2 + len(texts) + 1, np.int64)
        offsets, errors = read_indices(texts.data, texts.starts, texts.stops, out)
        return Read(Ranks(offsets, out[: offsets[-1]]), errors, REASONS)

    def value(self, values: Any) -> Any:
        """The indices as a list."""
        return values.indices.tolist()


INDICES = IndexParser()
