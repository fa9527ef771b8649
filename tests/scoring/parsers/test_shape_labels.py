"""Labels of shapes are read beside them, and texts without labels are read as before."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.data.columns import TextColumn
from sightline.scoring.parsers.columns.shapes import BOXES, POLYGONS, QUADS

BOX = "<box><1><2><3><4></box>"


def labels(text: str) -> list[str | None] | None:
    value = BOXES(text)
    return value.value.get("labels") if hasattr(value, "value") else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"2 {BOX}<label>Ship</label>{BOX}<label>storage_tank</label>", ["ship", "storage tank"]),
        (f"{BOX}<label>港口</label>", ["港口"]),
        (f"{BOX}<score>0.5</score><label>a</label>, {BOX}<LABEL> b </LABEL><score>1</score>", ["a", "b"]),
        (f"{BOX}{BOX}<label>b</label>", [None, "b"]),
        (f"{BOX}", None),
        (f"<label>a</label>{BOX}", None),
        (f"{BOX}<label>a", None),
        (f"{BOX}<label>a</label><label>b</label>", None),
    ],
)
def test_labels_belong_to_the_shape_before_them(text: str, expected: list[str | None] | None) -> None:
    assert labels(text) == expected


def test_scores_and_errors_are_those_of_the_text_without_labels() -> None:
    texts = [f"{BOX}<label>a</label><score>0.5</score>", "<label>a</label>", f"{BOX}<label>a</label> ship", ""]
    read = BOXES.read(TextColumn.of(texts))
    assert [read.reasons[error] for error in read.errors] == ["", "no box", "text outside the tags", "empty output"]
    assert read.values.scores is not None and read.values.scores.tolist() == [0.5]
    assert QUADS("<quad>0 0 1 0 1 1 0 1</quad><label>a</label>").value["labels"] == ["a"]  # type: ignore[union-attr]
    assert POLYGONS("<poly>0 0 1 0 1 1</poly><label>a</label>").value["labels"] == ["a"]  # type: ignore[union-attr]


pieces = st.sampled_from([BOX, "<label>a</label>", "<label>车</label>", " ", "<label>", "</label>", "<box>", "x", "3 "])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(pieces, max_size=6).map("".join), min_size=1, max_size=5))
def test_a_column_is_read_as_by_an_expression(texts: list[str]) -> None:
    """A label directly after a shape is its label; what is left is read as without labels."""
    read = BOXES.read(TextColumn.of(texts))
    found = re.compile(r"(?<=</box>)(\s*)<label>([^<]*)</label>")
    bare = [found.sub(r"\1", text) for text in texts]
    plain = BOXES.read(TextColumn.of(bare))
    for row, text in enumerate(texts):
        if "<label>" not in text:
            assert read.errors[row] == plain.errors[row]
        if plain.errors[row] == 0 and "label" not in bare[row]:
            assert read.errors[row] == 0
            span = slice(read.values.offsets[row], read.values.offsets[row + 1])
            expected = [match.group(2) for match in found.finditer(text)]
            codes = [] if read.values.labels is None else read.values.labels[span].tolist()
            assert [read.values.label_names[code] for code in codes if code] == [one for one in expected if one]
    assert np.array_equal(read.values.coords, plain.values.coords) or any("label" in text for text in bare)
