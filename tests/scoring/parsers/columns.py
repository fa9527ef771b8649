"""All column parsers, and hostile texts for them."""

from __future__ import annotations

from hypothesis import strategies as st

from sightline.data.columns import TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.indices import INDICES
from sightline.scoring.parsers.columns.labels import LABEL, LABELS, YES_NO
from sightline.scoring.parsers.columns.numbers import NUMBER
from sightline.scoring.parsers.columns.shapes import BOXES, DOTS, ONE_BOX, POLYGONS, QUADS
from sightline.scoring.parsers.columns.texts import TEXT

PARSERS: list[ColumnParser] = [
    NUMBER, YES_NO, LABEL, LABELS, INDICES, BOXES, ONE_BOX, QUADS, POLYGONS, DOTS, TEXT,
]  # fmt: skip

PIECES = [
    "<box>", "</box>", "<quad>", "</quad>", "<poly>", "</poly>", "<dot>", "</dot>", "<score>", "</score>", "<", ">",
    "/", "<1>", "<-2.5>", "<x>", "3", "36", " ", "\n", ";", ",", "，", ".", "。", "\u2003", "\u200b", "\ufeff", "yes",
    "No", "car", "_", "-", "(", ")", "[", "]", "e5", "1e-3", "０", "无", "none", "<think>", "</think>", "\x00", "é",
    "<box><1><2><3><4></box>", "<box>1,2,3,4</box>", "<box><1><2><3><4><0.5></box>", "<score>0.5</score>",
]  # fmt: skip
near = st.lists(st.sampled_from(PIECES) | st.text(max_size=2), max_size=14).map("".join)


def raw(rows: list[bytes]) -> TextColumn:
    """A column of any bytes, with others between them that no parser may look at."""
    import numpy as np

    gap = b"<box>7,\xff"
    data = gap + gap.join(rows) + gap
    sizes = np.array([len(row) for row in rows], np.int64)
    starts = len(gap) * np.arange(1, len(rows) + 1) + np.cumsum(sizes) - sizes
    return TextColumn(np.frombuffer(data, np.uint8), starts.astype(np.int64), (starts + sizes).astype(np.int64))
