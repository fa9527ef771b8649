"""Texts in one buffer: what their hash depends on, and what not."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sightline.data.columns import TextColumn

texts = st.lists(st.text(max_size=6), max_size=12)


def scattered(texts: list[str], order: list[int], gaps: list[int]) -> TextColumn:
    """The same texts, laid into the buffer in another order and with other bytes between them."""
    data, starts, stops = bytearray(), np.zeros(len(texts), np.int64), np.zeros(len(texts), np.int64)
    for row, gap in zip(order, gaps, strict=True):
        data += b"?" * gap
        starts[row] = len(data)
        data += texts[row].encode()
        stops[row] = len(data)
    return TextColumn(np.frombuffer(bytes(data), np.uint8), starts, stops)


@given(texts, st.data())
def test_the_hash_does_not_depend_on_where_the_texts_lie(texts: list[str], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(texts))))
    gaps = data.draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts)))
    column = scattered(texts, order, gaps)
    assert list(column) == texts
    assert column.digest() == TextColumn.of(texts).digest()


@given(texts, texts)
def test_other_texts_have_another_hash(some: list[str], others: list[str]) -> None:
    assert (TextColumn.of(some).digest() == TextColumn.of(others).digest()) == (some == others)


def test_where_one_text_ends_counts() -> None:
    assert TextColumn.of(["ab", "c"]).digest() != TextColumn.of(["a", "bc"]).digest()
