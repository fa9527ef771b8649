"""Numbers in sentences, in figures and in Chinese, and how near they must be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.scoring.scorers.numbers import (
    NO_NUMBER,
    SEVERAL_NUMBERS,
    NoNumber,
    Number,
    parse_chinese_number,
    read_number,
)
from tests.scoring.scorers.cases import score_reply

READ = {
    "12": 12,
    "-3.5": -3.5,
    "−3.5": -3.5,
    "$1,250": 1250,
    "-$5": -5,
    "$-5": -5,
    "1.5e3": 1500,
    "2.5×10³": 2500,
    "2.5 × 10^{-3} m": 0.0025,
    "1 3/4": 1.75,
    "1¾": 1.75,
    "½": 0.5,
    "\\frac{3}{4}": 0.75,
    "45 %": 45,
    "4 x 10^5": 4e5,
    "3.5 million": 3.5e6,
    "5万": 5e4,
    "5千克": 5,
    "5千": 5000,
    "2k": 2000,
    "5km": 5,
    "25 m²": 25,
    "about 12.": 12,
    "Answer: 12": 12,
    "x1 = 12": 12,
    "3+4=7": 7,
    "12 and 12.0": 12,
    "1'234'567": 1234567,
    "1,000,000": 1e6,
    "12 ± 0.5": 12,
    "the 3rd one is 12": 12,
    "¥3,000元": 3000,
    "答案是：12个": 12,
    "\\boxed{12}": 12,
    "**12**": 12,
    "≈ 12.3": 12.3,
    "F = 5 kN, so M = 10 kN·m": 10,
    ".5": 0.5,
    "value:12": 12,
    "（12）": 12,
    "1.": 1,
    "x=-12": -12,
    "5-3=2": 2,
    "12kN/m": 12,
    "Answer: $\\frac{1}{2}$": 0.5,
    "= **12**": 12,
    "10^5": 1e5,
    "１２": 12,
    "1\u202f250": 1250,
    "Answer: 12 m (from 12.4)": 12,
    "Answer: 2 × 3 = 6": 6,
    "Answer: 12, because there are 3 rows": 12,
    "一共有三十六个": 36,
    "两千": 2000,
    "百分之五十": 50,
    "三分之二": 2 / 3,
    "负三": -3,
    "有两只猫": 2,
    "seven": 7,
    "twenty-five": 25,
    "Answer: Seven": 7,
}
SEVERAL = ["10-20", "between 3 and 4", "1,2", "3/4/2020", "Answer: 3 or 12", "Answer: 3-4", "Answer: 12\nAnswer: 13"]
NONE = [
    "no number",
    "R12",
    "第三",
    "统一",
    "1e400",
    "9" * 500,
    "5/0",
    "3.14.15",
    "3D",
    "half",
    "one of them",
    "亿" * 40,
]
CHINESE = {
    "三十六": 36,
    "两千": 2000,
    "两千零五": 2005,
    "三万五": 35000,
    "二零二四": 2024,
    "三点五": 3.5,
    "十": 10,
    "十二": 12,
    "一百二": 120,
    "一百零二": 102,
    "两万三千": 23000,
    "一亿两千万": 120000000,
    "一百二十万": 1200000,
    "三点零五": 3.05,
    "两千五": 2500,
    "一千零五十": 1050,
    "零": 0,
    "三百二十一": 321,
    "一万零三百": 10300,
    "一百万亿": 1e14,
}


@pytest.mark.parametrize(("text", "value"), READ.items())
def test_the_one_number_is_read(text: str, value: float) -> None:
    found = read_number(text)
    assert isinstance(found, Number) and found.value == pytest.approx(value, rel=1e-12), found


@pytest.mark.parametrize("text", SEVERAL)
def test_several_numbers_are_none(text: str) -> None:
    assert read_number(text) == NoNumber(SEVERAL_NUMBERS)


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_number(text: str) -> None:
    assert read_number(text) == NoNumber(NO_NUMBER)


@pytest.mark.parametrize(("text", "value"), CHINESE.items())
def test_chinese_numerals(text: str, value: float) -> None:
    assert parse_chinese_number(text) == value


def spelled(number: int) -> str:
    """A number below 10,000 in Chinese, by the rules of writing."""
    digits, ranks = "零一二三四五六七八九", ["", "十", "百", "千"]
    text = ""
    for place, digit in enumerate(reversed(str(number))):
        text = (digits[int(digit)] + ranks[place] if digit != "0" else "零") + text
    while "零零" in text:
        text = text.replace("零零", "零")
    return text.rstrip("零") or "零"


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 9999), st.integers(1, 9999))
def test_chinese_numerals_by_the_rules_of_writing(low: int, high: int) -> None:
    assert parse_chinese_number(spelled(low)) == low
    link = "" if low >= 1000 or not low else "零"
    written = f"{spelled(high)}万{link}{spelled(low) if low else ''}"
    assert parse_chinese_number(written) == high * 10_000 + low


@settings(max_examples=200, deadline=None)
@given(st.floats(-1e9, 1e9).filter(lambda value: abs(value) > 1e-3))
def test_written_numbers_are_read_again(value: float) -> None:
    for text in (f"{value!r}", f"{value:,.6f}", f"{value:.9e} kN", f"The value is {value:.6f} m."):
        found = read_number(text)
        assert isinstance(found, Number) and found.value == pytest.approx(value, rel=1e-6, abs=1e-6), text


@pytest.mark.parametrize(
    ("target", "reply", "facts", "score"),
    [
        (100, "105", {}, 1),
        (100, "95", {}, 1),
        (100, "105.01", {}, 0),
        (100, "100.5", {"tolerance": 0.001}, 0),
        (100, "100.5", {"tolerance": 0.001, "absolute": 1}, 1),
        (-100, "-103", {}, 1),
        (0, "0", {}, 1),
        (0, "0.0001", {}, 0),
        (0, "0.05", {"absolute": 0.1}, 1),
        (0.5, "50 %", {}, 1),
        (50, "50%", {}, 1),
        ("50%", "0.5", {}, 1),
        ("12.5 kN", "12.5", {}, 1),
        (0.5, "50", {}, 0),
    ],
)
def test_tolerances(target: object, reply: str, facts: dict[str, float], score: int) -> None:
    assert score_reply("numeric", target, reply, **facts).value == score


def test_bad_truths_and_tolerances_are_invalid() -> None:
    for target in (None, True, [1], "none", float("nan"), 10**500):
        assert score_reply("numeric", target, "1").status == "invalid"
    for bad in (-1, "x", float("inf"), None):
        assert score_reply("numeric", 1, "1", tolerance=bad).status == "invalid"
