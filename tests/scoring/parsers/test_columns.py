"""Parsers over columns: what is read, why the rest is not, and nothing that a reply can do against it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sightline.core.records import Parsed, Unparsed
from sightline.data.columns import TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.indices import INDICES
from sightline.scoring.parsers.columns.labels import YES_NO
from sightline.scoring.parsers.columns.numbers import NUMBER
from sightline.scoring.parsers.columns.reasons import REASONS
from sightline.scoring.parsers.columns.texts import TEXT
from tests.scoring.parsers.columns import PARSERS, near, raw


@pytest.mark.parametrize(
    ("parser", "reply", "value"),
    [
        (NUMBER, " 36 \n", 36),
        (NUMBER, "36.0", 36),
        (NUMBER, "36.", 36),
        (NUMBER, "1,234", 1234),
        (NUMBER, "-1,234,567.25", -1234567.25),
        (NUMBER, "+3", 3),
        (NUMBER, "３６。", 36),
        (NUMBER, "\ufeff−2\u00a0", -2),
        (NUMBER, "007", 7),
        (NUMBER, "1000000000000", 10**12),
        (NUMBER, "0" * 400 + "5", 5),
        (NUMBER, "<think>4 or 5?</think>5", 5),
        (YES_NO, " YES. ", "yes"),
        (YES_NO, "ｎｏ", "no"),
        (YES_NO, "是", "yes"),
        (YES_NO, "没有。", "no"),
        (YES_NO, "\u200b有", "yes"),
        (INDICES, "1, 2 ,10", [1, 2, 10]),
        (INDICES, "2，1。", [2, 1]),
        (INDICES, "3、3;0", [3, 3, 0]),
        (INDICES, "None.", []),
        (INDICES, "[ ]", []),
        (TEXT, " Two cars\n on a road. ", "Two cars\n on a road."),
        (TEXT, "<think>hm</think>两辆车", "两辆车"),
    ],
)
def test_what_is_read(parser: ColumnParser, reply: str, value: Any) -> None:
    assert parser(reply) == Parsed(value, parser.kind)


@pytest.mark.parametrize(
    ("parser", "reply", "reason"),
    [
        (NUMBER, "36 cars", "not a number"),
        (NUMBER, "36..", "not a number"),
        (NUMBER, "1e5", "not a number"),
        (NUMBER, "three", "not a number"),
        (NUMBER, "1,23", "not a number"),
        (NUMBER, "0,123", "not a number"),
        (NUMBER, "٣", "not a number"),
        (NUMBER, "²", "not a number"),
        (NUMBER, "information", "not a number"),
        (NUMBER, "1000000000000.5", "number out of range"),
        (NUMBER, "9" * 5000, "number out of range"),
        (NUMBER, "9,999,999,999,999", "number out of range"),
        (NUMBER, "-Infinity", "number out of range"),
        (NUMBER, "nan", "number out of range"),
        (YES_NO, "y", "not yes or no"),
        (YES_NO, "true", "not yes or no"),
        (YES_NO, "yes and no", "not yes or no"),
        (INDICES, "1,,2", "not a number"),
        (INDICES, "1,b", "not a number"),
        (INDICES, "1 2", "not a number"),
        (INDICES, "1.5", "not a whole number"),
        (INDICES, "-1", "index out of range"),
        (INDICES, "99999999999", "index out of range"),
        (INDICES, "1," * 100_001 + "1", "too many indices"),
    ],
)
def test_why_it_is_not_read(parser: ColumnParser, reply: str, reason: str) -> None:
    assert parser(reply) == Unparsed(reason)
    assert reason in REASONS


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("reply", ["", " \n", "<think>Yes 3 car", "\u2028\u200b", "\ufeff\u3000", "\x00"])
def test_nothing_is_an_empty_output(parser: ColumnParser, reply: str) -> None:
    assert parser(reply) == Unparsed("empty output")


_GROUPED = re.compile(r"[-+]?(?:[0-9]+|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.[0-9]*)?|[-+]?\.[0-9]+")


def reference_number(text: str) -> float | None:
    """By an expression and `float`."""
    bare = text.strip()
    if bare.endswith(".") and not bare.endswith(".."):
        bare = bare[:-1]
    if not _GROUPED.fullmatch(bare):
        return None
    value = float(bare.replace(",", ""))
    return value if abs(value) <= 1e12 else None


digits = st.text("0123456789", min_size=1, max_size=25)
decimals = st.builds(lambda a, b: f"{a}.{b}", digits, digits)
written = st.floats(-1e12, 1e12).map(lambda x: f"{x:.17f}") | st.floats(-1e6, 1e6).map(repr) | st.integers().map(str)


@settings(max_examples=400, deadline=None)
@given(
    text=digits
    | decimals
    | written
    | st.integers(0, 10**13).map(lambda n: f"{n:,}")
    | st.text("0123.,-+e ", max_size=9)
)
@example(text="9007199254740993")
@example(text="0.1000000000000000055511151231257827")
@example(text="0.500000000000000166533453693773481063544750213623046875")
def test_numbers_have_the_bits_of_float(text: str) -> None:
    expected = reference_number(text)
    found = NUMBER.read(TextColumn.of([text]))
    assert (found.errors[0] == 0) == (expected is not None)
    if expected is not None:
        assert found.values.values.tobytes() == np.float64(expected).tobytes()


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: repr(parser)[:40])
@settings(max_examples=60, deadline=None)
@given(rows=st.lists(near.map(str.encode) | st.binary(max_size=30), max_size=6))
@example(rows=["\ud800".encode("utf-8", "surrogatepass"), b"\xff\xfe", b"<box>\xc2", b"1"])
def test_no_bytes_raise_and_no_text_changes_another(parser: ColumnParser, rows: list[bytes]) -> None:
    """Each row reads the same alone and among others; a row that was not read holds nothing."""
    read = parser.read(raw(rows))
    assert len(read.values) == len(rows) == len(read.errors)
    for row, text in enumerate(rows):
        alone = parser(text.decode("utf-8", "replace"))
        if read.errors[row]:
            assert alone == Unparsed(read.reasons[read.errors[row]])
            assert _is_nothing(read.values, row)
        else:
            assert alone == Parsed(parser.value(read.values.take(np.array([row]))), parser.kind)


def _is_nothing(values: Any, row: int) -> bool:
    one = values.take(np.array([row]))
    if values.kind == "numbers":
        return bool(np.isnan(one.values[0]))
    if values.kind == "texts":
        return bool(one[0] == "")
    return bool(one.offsets[-1] == 0)


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: repr(parser)[:40])
@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<box>",
        "<1",
        "9",
        "1,",
        "a;",
        " ",
        "</think>",
        "<box",
        '"',
        "\n",
        "-",
        "<box><1><2><3><4></box>",
        "é\u0327",
    ],
)
def test_hostile_megabytes_are_read_or_refused(parser: ColumnParser, piece: str) -> None:
    """Anything that takes more than linear time would not come back here."""
    text = (piece * 300_000)[:300_000]
    read = parser.read(TextColumn.of([text, "<box>" + text, text + "x", "1"]))
    assert len(read.errors) == 4


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: repr(parser)[:40])
def test_no_texts_at_all(parser: ColumnParser) -> None:
    read = parser.read(TextColumn.of([]))
    assert len(read.values) == len(read.errors) == 0
