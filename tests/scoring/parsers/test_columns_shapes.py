"""Boxes, quads and polygons in tags; coordinate spaces."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.core.records import Parsed, Unparsed
from sightline.core.reply_formats import SPACES
from sightline.data.columns import Polygons, Shapes, TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.coordinates import find_mis_scaled, scale_factors
from sightline.scoring.parsers.columns.shapes import BOXES, DOTS, ONE_BOX, POLYGONS, QUADS
from tests.scoring.parsers.columns import near

BOX = "<box><1><2><3><4></box>"
QUAD = "<quad><1><2><3><4><5><6><7><8></quad>"
ONE = [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("parser", "reply", "count", "shapes"),
    [
        (BOXES, BOX, None, [ONE]),
        (BOXES, f"28 {BOX}\n{BOX.upper()}", 28, [ONE, ONE]),
        (BOXES, f"2.{BOX}, {BOX};", 2, [ONE, ONE]),
        (BOXES, "<box>1,2,3,4</box>", None, [ONE]),
        (BOXES, "<box>1 2\n3 4</box>", None, [ONE]),
        (BOXES, "<box>(1,2),(3,4)</box>", None, [ONE]),
        (BOXES, "<box>[1, 2, 3, 4]</box>", None, [ONE]),
        (BOXES, "<box><1,2,3,4></box>", None, [ONE]),
        (BOXES, "１ ＜box＞＜1＞＜2＞＜3＞＜４＞＜/box＞", 1, [ONE]),
        (BOXES, "< box > < -2.5 > <.5>< +1e2 ><5e-05> </ box >", None, [[-2.5, 0.5, 100.0, 5e-05]]),
        (BOXES, "0", 0, []),
        (BOXES, "7", 7, []),
        (BOXES, "None.", 0, []),
        (BOXES, "[]", 0, []),
        (BOXES, "无", 0, []),
        (ONE_BOX, f"1 {BOX}", 1, [ONE]),
        (QUADS, f"1{QUAD}", 1, [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]),
        (POLYGONS, "<poly><0><0><1><0><1><1></poly>", None, [[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]]),
        (DOTS, "<dot>0 0 1 0 1 1</dot>", None, [[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]]),
    ],
)
def test_what_is_read(parser: ColumnParser, reply: str, count: int | None, shapes: Any) -> None:
    assert parser(reply) == Parsed({"count": count, "shapes": shapes}, parser.kind)


@pytest.mark.parametrize(
    ("parser", "reply", "reason"),
    [
        (BOXES, "cars", "no box"),
        (BOXES, ",", "no box"),
        (BOXES, QUAD, "no box"),
        (BOXES, "<box><1><2><3></box>", "box lacks a coordinate"),
        (BOXES, "<box></box>", "box lacks a coordinate"),
        (BOXES, "<box><1><2><3><4><5><6></box>", "box has too many coordinates"),
        (BOXES, "<box><1><2><3><4><5></box><score>1</score>", "box has too many coordinates"),
        (BOXES, "<box><1><2><3><four></box>", "not a number"),
        (BOXES, "<box><1><2><3><></box>", "not a number"),
        (BOXES, "<box>1,,2,3,4</box>", "not a number"),
        (BOXES, "<box>(1,2),(3,4</box>", "not a number"),
        (BOXES, "<box>1-2,3,4,5</box>", "not a number"),
        (BOXES, "<box><1><2><3><nan></box>", "number out of range"),
        (BOXES, "<box><1><2><3><1e999></box>", "number out of range"),
        (BOXES, f"99999999999999 {BOX}", "number out of range"),
        (BOXES, "<box><1><2><3><4>", "unclosed tag"),
        (BOXES, "<box><1><2><3><4</box>", "unclosed tag"),
        (BOXES, "<box><1><2><box>", "unclosed tag"),
        (BOXES, f"{BOX}<score>0.5", "unclosed tag"),
        (BOXES, f"Here: {BOX}", "text outside the tags"),
        (BOXES, f"{BOX} and more", "text outside the tags"),
        (BOXES, f"2.5 {BOX}", "text outside the tags"),
        (BOXES, "<box>1 2 3 4</box>" * 100_001, "too many shapes"),
        (ONE_BOX, BOX + BOX, "more than one box"),
        (ONE_BOX, "0", "no box"),
        (QUADS, "<quad><1><2><3><4></quad>", "quad lacks a coordinate"),
        (QUADS, QUAD.replace("<8>", "<8><9><10>"), "quad has too many coordinates"),
        (QUADS, BOX, "no quad"),
        (POLYGONS, "<poly><1><2><3><4></poly>", "polygon has fewer than three points"),
        (POLYGONS, "<poly><1><2><3><4><5><6><7></poly>", "odd number of coordinates"),
        (DOTS, "a dot", "no polygon"),
    ],
)
def test_why_it_is_not_read(parser: ColumnParser, reply: str, reason: str) -> None:
    assert parser(reply) == Unparsed(reason)


def test_scores_count_only_where_every_shape_has_one() -> None:
    texts = [f"{BOX}<score>0.87</score>", "<box>1 2 3 4 .5</box>", f"{BOX}{BOX}<score>1</score>", BOX, "x"]
    scores = BOXES.read(TextColumn.of(texts)).values.scores
    assert np.array_equal(scores, [0.87, 0.5, np.nan, np.nan, np.nan], equal_nan=True)
    assert BOXES.read(TextColumn.of(texts[2:])).values.scores is None
    long = BOXES.read(TextColumn.of(["<box>1 2 3 4 0.1234567890123456789012</box>" + BOX.replace("<4>", "<4><1>")]))
    assert long.values.scores.tolist() == [0.1234567890123456789012, 1.0]
    assert POLYGONS.read(TextColumn.of(["<poly>0 0 1 0 1 1</poly><score>0.25</score>"])).values.scores == [0.25]


numbers = (
    st.integers(-5, 2000).map(str)
    | st.floats(-1e6, 1e6).map(repr)
    | st.floats(0, 1).map(lambda x: f"{x:.25f}")
    | st.decimals(0, 1000, places=2).map(str)
)
spaces = st.sampled_from(["", " ", "\n", "\t "])


@st.composite
def replies(draw: st.DrawFn, tag: str, size: int) -> tuple[str, list[list[str]]]:
    """A reply in one of the forms, and the numbers that stand in it."""
    shapes = draw(st.lists(st.lists(numbers, min_size=size, max_size=size), min_size=1, max_size=4))
    text = draw(st.sampled_from(["", "3 ", "12", " 0 "]))
    for shape in shapes:
        gap, form = draw(spaces), draw(st.integers(0, 3))
        inner = f"{gap},{gap}".join(shape) if form == 1 else f" {gap}".join(shape)
        if form == 0:
            inner = gap.join(f"<{gap}{one}{gap}>" for one in shape)
        elif form == 3:
            pairs = zip(shape[::2], shape[1::2], strict=True)
            inner = f",{gap}".join(f"({x},{y})" for x, y in pairs)
        name = draw(st.sampled_from([tag, tag.upper(), f" {tag}"]))
        text += f"<{name}>{inner}{gap}</{tag}>{gap}" + draw(st.sampled_from(["", ",", ";", "."]))
    return text, shapes


@pytest.mark.parametrize(("parser", "tag", "size"), [(BOXES, "box", 4), (QUADS, "quad", 8), (POLYGONS, "poly", 6)])
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_coordinates_have_the_bits_of_float(parser: ColumnParser, tag: str, size: int, data: st.DataObject) -> None:
    made = data.draw(st.lists(replies(tag, size), min_size=1, max_size=4))
    read = parser.read(TextColumn.of([text for text, _ in made]))
    assert not read.errors.any()
    expected = np.array([float(one) for _, shapes in made for shape in shapes for one in shape])
    found = read.values.coords if parser.kind == "shapes" else read.values.points
    assert found.tobytes() == expected.tobytes()
    assert np.diff(read.values.offsets).tolist() == [len(shapes) for _, shapes in made]


_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_PLAIN = re.compile(rf"\s*[0-9]{{0,9}}\s*(?:<box>(?:<{_NUMBER}>){{4}}</box>[\s,;.]*)+")
_BODY = re.compile(r"<\s*(box|score)\s*>(.*?)<\s*/\s*(?:box|score)\s*>", re.DOTALL | re.IGNORECASE)


@settings(max_examples=500, deadline=None)
@given(text=near)
def test_what_was_read_stands_there(text: str) -> None:
    """The plain form is always read; and nothing is read but numbers that an expression finds inside the tags."""
    if "think" in text:
        return
    read = BOXES.read(TextColumn.of([text]))
    if _PLAIN.fullmatch(text):
        assert read.errors[0] == 0
    if read.errors[0] == 0 and text.isascii():
        bodies = [re.findall(_NUMBER, body) for tag, body in _BODY.findall(text) if tag.lower() == "box"]
        assert read.values.coords.tolist() == [[float(one) for one in body[:4]] for body in bodies]


def shapes_of(*rows: list[list[float]]) -> Shapes:
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    flat = np.array([shape for row in rows for shape in row], np.float64).reshape(-1, 4)
    return Shapes(offsets, flat, np.full(len(rows), np.nan))


def test_factors_go_there_and_back() -> None:
    sizes = np.array([[200.0, 100.0], [50.0, 400.0]])
    for source in SPACES:
        for target in SPACES:
            there, back = scale_factors(source, target, sizes), scale_factors(target, source, sizes)
            assert there is not None and back is not None
            assert np.allclose(there * back, 1)
    assert np.array_equal(scale_factors("0-1", "pixels", sizes), sizes)
    assert np.array_equal(scale_factors("0-1000", "0-1", None), [[0.001, 0.001]])
    assert scale_factors("pixels", "0-1", None) is None
    assert np.array_equal(scale_factors("pixels", "pixels", None), [[1, 1]])


def test_replies_in_another_space_are_told() -> None:
    unit, wide, pixel = [0.1, 0.1, 0.9, 0.9], [10.0, 10.0, 1400.0, 900.0], [30.0, 30.0, 300.0, 200.0]
    reply = shapes_of([unit], [wide], [pixel], [], [pixel, unit], [[-0.2, 0.0, 1.2, 1.0]])
    truth = shapes_of([pixel], [pixel], [pixel], [pixel], [pixel], [pixel])
    assert find_mis_scaled(reply, "0-1", None, truth).tolist() == [False, True, True, False, True, False]
    assert find_mis_scaled(reply, "0-1000", None, truth).tolist() == [False] * 6
    assert find_mis_scaled(reply, "0-100", None, truth).tolist() == [False, True, True, False, True, False]
    sizes = np.full((6, 2), 400.0)
    assert find_mis_scaled(reply, "pixels", sizes, truth).tolist() == [True, True, False, False, False, True]
    assert find_mis_scaled(reply, "pixels", None, truth).tolist() == [True, True, False, False, False, True]
    sizes[0], sizes[1] = (16, 16), np.nan
    assert find_mis_scaled(reply, "pixels", sizes, truth).tolist() == [False, True, False, False, False, True]
    assert find_mis_scaled(shapes_of([]), "0-1", None, shapes_of([])).tolist() == [False]


def test_polygons_are_told_as_well() -> None:
    ring = Polygons(np.array([0, 1, 1]), np.array([0, 3]), np.array([[0.0, 0], [2, 0], [2, 2]]), np.full(2, np.nan))
    assert find_mis_scaled(ring, "0-1", None, ring).tolist() == [True, False]
    assert find_mis_scaled(ring, "0-100", None, ring).tolist() == [False, False]
