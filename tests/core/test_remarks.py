"""Remarks: templates with arguments, also from folders of somebody else."""

from __future__ import annotations

import pytest

from sightline.core.remarks import MAX_REMARK_LENGTH, Remark, format_remark, join_remarks
from sightline.i18n import use_language
from sightline.scoring.grades.messages import encode_remark, row_message


def test_arguments_may_be_remarks_and_are_translated() -> None:
    inner = Remark("no JSON object")
    with use_language("zh"):
        assert str(inner) in str(Remark("bad gt: {why}", {"why": inner})) and "JSON" in str(inner)
        assert "no JSON object" not in str(Remark("bad gt: {why}", {"why": inner}))


@pytest.mark.parametrize(
    "template", ["{a.__class__}", "{a:>999999999}", "{a[0]}", "{a!r}", "{}", "{missing}", "{", "}}"]
)
def test_a_field_is_a_name_and_nothing_else(template: str) -> None:
    assert str(Remark(template, {"a": "x"})) == template


def test_a_remark_that_repeats_itself_is_bounded() -> None:
    remark = Remark("x")
    for _ in range(60):
        remark = Remark("{a}{a}{a}{a}", {"a": remark})
    assert len(str(remark)) <= MAX_REMARK_LENGTH
    assert len(str(Remark("{a}", {"a": "x" * 10**7}))) <= MAX_REMARK_LENGTH


@pytest.mark.parametrize("remark", [None, "", "{", "[1]", 5, b"\xff", ["a"], '{"text": 3}'])
def test_any_value_in_a_row_is_a_message(remark: object) -> None:
    assert row_message({"message": "no JSON object", "remark": remark}) == "no JSON object"


def test_a_saved_remark_is_the_remark() -> None:
    remark = join_remarks([Remark("bad gt: {why}", {"why": Remark("no JSON object")}), "missing output"])
    row = {"message": "?", "remark": encode_remark(remark)}
    for language in ("en", "zh"):
        with use_language(language):
            assert row_message(row) == format_remark(remark)
