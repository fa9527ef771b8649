"""Labels: how they are spelt, split, mapped and coded."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from sightline.core.records import Parsed, Unparsed
from sightline.data.columns import TextColumn
from sightline.scoring.parsers.columns.labels import LABEL, LABELS, fold_label, label_code


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        (" 'Storage  Tank'. ", "storage tank"),
        ("storage_tank", "storage tank"),
        ("Storage-Tank", "storage tank"),
        ("car;", "car"),
        ("car; CAR", "car"),
        ("“Ｃａｒ”。", "car"),
        ("储罐。", "储罐"),
        ("STRAẞE", "strasse"),
        ("e\u0301cole", "école"),
        ("\ufeffca\u200br", "car"),
        ("<think>bus</think>car", "car"),
    ],
)
def test_one_label(reply: str, label: str) -> None:
    assert LABEL(reply) == Parsed(label, "labels")
    assert fold_label(label) == label


def test_several_labels() -> None:
    expected = Parsed(["bus", "car", "storage tank"], "labels")
    for reply in (
        "car;Bus;storage tank",
        "Bus， CAR、storage_tank.",
        "car\nbus\r\n\nstorage-tank;car",
        "bus；car；storage\u3000tank",
    ):
        assert LABELS(reply) == expected


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("car;truck", "more than one label"),
        (";;", "empty output"),
        (" '.' ", "empty output"),
        ("x" * 1001, "label too long"),
        ("é" * 1001, "label too long"),
        (";".join(map(str, range(1001))), "too many labels"),
    ],
)
def test_why_it_is_not_read(reply: str, reason: str) -> None:
    assert LABEL(reply) == Unparsed(reason)


def test_mapping_and_declared_labels() -> None:
    known = replace(
        LABELS, mapping={"Car": "Vehicle", "truck": "vehicle"}, allowed=frozenset({"vehicle", "Storage_tank"})
    )
    read = known.read(TextColumn.of(["car;TRUCK", "boat", "storage tank;car", "vehicle;boat"]))
    assert [read.reasons[error] for error in read.errors] == ["", "unknown label", "", ""]
    assert read.values.offsets.tolist() == [0, 1, 1, 3, 5]
    named = [read.values.names[code] for code in read.values.codes.tolist()]
    assert named[0] == "vehicle" and set(named[1:3]) == {"vehicle", "storage tank"}
    assert set(named[3:]) == {"vehicle", "boat"}
    assert replace(LABEL, mapping={"car": "vehicle"})("car, Vehicle") == Parsed("vehicle", "labels")


def reference_labels(text: str) -> set[str]:
    """Written anew with expressions; for text without signs that nobody sees."""
    text = unicodedata.normalize("NFKC", text.replace("、", ","))
    pieces = [re.sub(r"[\s_-]+", " ", piece.casefold()) for piece in re.split(r"[;,\n\r]", text)]
    return {bare for piece in pieces if (bare := re.sub(r"^[ '\"`]+|[ '\"`.]+$", "", piece))}


words = st.text("abZ É汽_- ;,，；、\n.'\"`ｘ", max_size=20)


@settings(max_examples=400, deadline=None)
@given(texts=st.lists(words, max_size=6))
def test_labels_equal_the_reference(texts: list[str]) -> None:
    read = LABELS.read(TextColumn.of(texts))
    for row, text in enumerate(texts):
        codes = read.values.codes[read.values.offsets[row] : read.values.offsets[row + 1]].tolist()
        expected = reference_labels(text)
        assert {read.values.names[code] for code in codes} == expected
        assert codes == sorted(map(label_code, expected))
        assert bool(read.errors[row]) == (not expected)


def test_codes_are_the_same_in_every_process() -> None:
    assert label_code("car") == LABEL.read(TextColumn.of(["Car."])).values.codes[0]
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "from sightline.scoring.parsers.columns.labels import label_code as c; print(c('car'), c('汽车'))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == [str(label_code("car")), str(label_code("汽车"))]
