"""Numbers in sentences, and the one that is the answer."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Any

from msgspec import Struct

from sightline.scoring.scorers.chinese_numbers import chinese_numbers
from sightline.scoring.scorers.texts import fold, led_in, said, trimmed

NO_NUMBER = "the reply holds no number"
SEVERAL_NUMBERS = "the reply holds several numbers"

_LONGEST = 400
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_POWER = re.compile(r"(?<=10)[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]++")
_FRACTION_SIGN = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_LATEX = re.compile(r"\\[dt]?frac\{(-?\d{1,20})\}\{(\d{1,20})\}")
_GAPS = re.compile(r"(?<=\d)[\u00a0\u2009\u202f'’](?=\d{3}(?!\d))|(?<=\d)\{,\}(?=\d{3})")
_NUMBER = re.compile(
    r"""(?<![A-Za-z_\d±])(?<!±\s)(?<![A-Za-z\d][.])
    (?P<sign>(?<![\w)\]%])[-+])?\s?
    (?:[$€£¥]\s?(?P<late>-)?)?
    (?P<value>\d{1,3}(?:,\d{3}){1,12}+(?!\d)(?:\.\d++)?|\d++(?:\.\d++)?|(?<!\d)\.\d++)
    (?P<power>e[-+]?\d{1,4}(?!\d)|\s*[×x*·]\s*10\s*(?:\^|\*\*)?\s*(?:\{\s*)?[-+]?\d{1,4}\}?
      |(?<=\b10)\^(?:\{\s*)?[-+]?\d{1,3}\}?)?
    (?:\s?/\s?(?P<below>\d{1,20}(?:\.\d{1,20})?)(?![\d/])|\s(?P<upper>\d{1,4})\s?/\s?(?P<lower>\d{1,4})(?![\d/]))?
    (?P<rank>\s?(?:thousand|million|billion|trillion|万亿|万|亿)|k\b|千(?![克米瓦卡赫帕牛焦伏])|百(?![帕米]))?
    (?P<per>\s?(?:%|percent\b|per\s?cent\b))?
    (?!(?:st|nd|rd|th|d)\b)(?!\.?\d)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_RANKS = {"thousand": 1e3, "k": 1e3, "千": 1e3, "百": 1e2, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_RANKS |= {"万": 1e4, "亿": 1e8, "万亿": 1e12}
_EXPONENT = re.compile(r"[-+]?\d+(?=\}?$)")
_EQUALS = re.compile(r"(?:=|≈|等于|约为)[\s*_$€£¥(\\]*+$")
_OR = re.compile(r"^(?:\s?[^\s\d]{0,8})?\s*(?:\bor\b|\bto\b|\band\b|[-–~、/,]|或|和|至|到)\s*[-$€£¥]?\s*$")
_DIGIT = re.compile(r"\d")
_NEAR = 20
_MILLIONTH = 1e-6
_LOOKED_AT = 200_000
"""Of a longer reply only its end is searched for numbers."""
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_SPELLED = {word: number for number, word in enumerate(f"{_WORDS} seventeen eighteen nineteen twenty".split())}
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SPELLED |= {word: 10 * number for number, word in enumerate(_TENS.split(), 2)}


class Number(Struct, frozen=True):
    """A number that was read, and whether it was given in per cent."""

    value: float
    per_cent: bool = False
    start: int = 0
    end: int = 0

    def near(self, target: float, tolerance: float, absolute: float = 0.0) -> bool:
        """Whether it is the target within a share of it or within an absolute difference; 12 % is 12 and 0.12."""
        reach = max(tolerance * abs(target), absolute) * (1 + 1e-9)
        values = (self.value, self.value / 100) if self.per_cent else (self.value,)
        return any(abs(value - target) <= reach for value in values)


class NoNumber(Struct, frozen=True):
    """Why no number could be read."""

    why: str


def plain(text: str) -> str:
    """The text with signs of numbers that are easily read: superscripts, fractions and gaps between thousands."""
    text = _POWER.sub(lambda power: f"^{power.group().translate(_SUPERSCRIPTS)}", text)
    text = _FRACTION_SIGN.sub(" ", _GAPS.sub("", text))
    text = unicodedata.normalize("NFKC", text.replace("\u2212", "-").replace("\\%", "%").replace("\\times", "×"))
    return _LATEX.sub(r"\1/\2", text.replace("\u2044", "/").replace("\\$", "$"))


def numbers_in(text: str) -> list[Number]:
    """All numbers of a text as `plain` gives it; those in Chinese characters where there is no digit."""
    found = [number for one in _NUMBER.finditer(text) if (number := _number(one)) is not None]
    if found or _DIGIT.search(text):
        return found
    return [Number(one.value, one.per_cent, one.start, one.end) for one in chinese_numbers(text)]


def _number(one: re.Match[str]) -> Number | None:
    if one.end() - one.start() > _LONGEST:
        return None
    value = float(one["value"].replace(",", ""))
    if one["power"] and (exponent := _EXPONENT.search(one["power"])):
        value = _raised(1.0 if one["power"][0] == "^" else value, int(exponent.group()))
    if one["below"]:
        below = float(one["below"])
        value = value / below if below else math.nan
    if one["upper"] and one["lower"]:
        value += int(one["upper"]) / int(one["lower"]) if int(one["lower"]) else math.nan
    value *= _RANKS[one["rank"].strip().lower()] if one["rank"] else 1
    if not math.isfinite(value):
        return None
    negative = one["sign"] == "-" or one["late"] == "-"
    return Number(-value if negative else value, bool(one["per"]), one.start(), one.end())


def _raised(value: float, exponent: int) -> float:
    """Times a power of ten, rounded once where the value is written plainly."""
    written = repr(value)
    return float(f"{written}e{exponent}") if "e" not in written else value * 10.0 ** max(-300, min(300, exponent))


def read_number(reply: str) -> Number | NoNumber:
    """The number that is the answer: after "Answer:", in a last "= 12", or the only one; differing ones are none."""
    text = plain(said(reply)[-_LOOKED_AT:])
    marked = [_first(part, numbers) for part in led_in(text) if (numbers := numbers_in(part))]
    if marked:
        return _one([number for numbers in marked for number in numbers])
    found = numbers_in(text)
    if found and _follows_equals(text, found[-1]):
        return found[-1]
    return _one(found) if found else _spelled(text)


def _first(part: str, numbers: list[Number]) -> list[Number]:
    """Of what follows "Answer:" the number after a last "=", else the first, with a second that is an alternative."""
    if _follows_equals(part, numbers[-1]):
        return numbers[-1:]
    several = len(numbers) > 1 and _OR.search(part[numbers[0].end : numbers[1].start + _indent(part, numbers[1])])
    return numbers[:2] if several else numbers[:1]


def _follows_equals(text: str, number: Number) -> bool:
    before = text[max(0, number.start - _NEAR) : number.start + _indent(text, number)]
    return _EQUALS.search(before) is not None


def _indent(text: str, number: Number) -> int:
    """How far the digits stand from the start of the number's match: its sign, a currency and spaces."""
    inner = text[number.start : number.end]
    return len(inner) - len(inner.lstrip(" \t\n-+$€£¥"))


def _one(numbers: list[Number]) -> Number | NoNumber:
    first = numbers[0]
    same = all(math.isclose(one.value, first.value, rel_tol=1e-9) for one in numbers)
    return first if same else NoNumber(SEVERAL_NUMBERS)


def _spelled(text: str) -> Number | NoNumber:
    """A reply that is nothing but an English number word."""
    for part in (text, *led_in(text)[-1:]):
        words = fold(trimmed(part)).replace("-", " ").split()
        values = [_SPELLED.get(word) for word in words[:3]]
        if len(values) == 1 and values[0] is not None:
            return Number(float(values[0]))
        if (
            len(values) == 2
            and values[0] is not None
            and values[1] is not None
            and values[0] >= 20 > 10 > values[1] > 0
        ):
            return Number(float(values[0] + values[1]))
    return NoNumber(NO_NUMBER)


def close(one: float, other: float) -> bool:
    """Whether two numbers differ by less than a millionth, of themselves where they are large."""
    try:
        return one == other or abs(float(one) - float(other)) <= _MILLIONTH * max(1.0, abs(float(other)))
    except OverflowError:
        return False


def as_number(value: Any) -> Number | NoNumber:
    """A number, or a text that holds one, as a number."""
    if isinstance(value, str):
        return read_number(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NoNumber(NO_NUMBER)
    try:
        number = float(value)
    except OverflowError:
        return NoNumber(NO_NUMBER)
    return Number(number) if math.isfinite(number) else NoNumber(NO_NUMBER)
