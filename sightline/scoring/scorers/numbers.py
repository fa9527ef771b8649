"""Number extraction: all numbers in a text, and the one that is the answer."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Any

from msgspec import Struct

from sightline.scoring.scorers.chinese_numbers import find_chinese_numbers
from sightline.scoring.scorers.reply_text import extract_answer, find_prefixed_answers, fold, strip_punctuation

NO_NUMBER = "the reply holds no number"
SEVERAL_NUMBERS = "the reply holds several numbers"

_MAX_LENGTH = 400
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
_ALTERNATIVE = re.compile(r"^(?:\s?[^\s\d]{0,8})?\s*(?:\bor\b|\bto\b|\band\b|[-–~、/,]|或|和|至|到)\s*[-$€£¥]?\s*$")
_DIGIT = re.compile(r"\d")
_CONTEXT_LENGTH = 20
_MILLIONTH = 1e-6
_SEARCHED_LENGTH = 200_000
"""Only the last so many characters of a reply are searched."""
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_SPELLED = {word: number for number, word in enumerate(f"{_WORDS} seventeen eighteen nineteen twenty".split())}
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SPELLED |= {word: 10 * number for number, word in enumerate(_TENS.split(), 2)}


class Number(Struct, frozen=True):
    """A parsed number, whether it is a percentage, and its span in the text."""

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
    """The reason why no number could be read."""

    reason: str


def normalize_notation(text: str) -> str:
    """Normalize number notation: superscripts, fractions, LaTeX and thousands separators."""
    text = _POWER.sub(lambda power: f"^{power.group().translate(_SUPERSCRIPTS)}", text)
    text = _FRACTION_SIGN.sub(" ", _GAPS.sub("", text))
    text = unicodedata.normalize("NFKC", text.replace("\u2212", "-").replace("\\%", "%").replace("\\times", "×"))
    return _LATEX.sub(r"\1/\2", text.replace("\u2044", "/").replace("\\$", "$"))


def find_numbers(text: str) -> list[Number]:
    """Return all numbers of a normalized text; Chinese numerals only if the text has no digit."""
    numbers = [number for match in _NUMBER.finditer(text) if (number := _number_from_match(match)) is not None]
    if numbers or _DIGIT.search(text):
        return numbers
    return [Number(match.value, match.per_cent, match.start, match.end) for match in find_chinese_numbers(text)]


def _number_from_match(match: re.Match[str]) -> Number | None:
    if match.end() - match.start() > _MAX_LENGTH:
        return None
    value = float(match["value"].replace(",", ""))
    if match["power"] and (exponent := _EXPONENT.search(match["power"])):
        value = _scale_by_power(1.0 if match["power"][0] == "^" else value, int(exponent.group()))
    if match["below"]:
        below = float(match["below"])
        value = value / below if below else math.nan
    if match["upper"] and match["lower"]:
        value += int(match["upper"]) / int(match["lower"]) if int(match["lower"]) else math.nan
    value *= _RANKS[match["rank"].strip().lower()] if match["rank"] else 1
    if not math.isfinite(value):
        return None
    negative = match["sign"] == "-" or match["late"] == "-"
    return Number(-value if negative else value, bool(match["per"]), match.start(), match.end())


def _scale_by_power(value: float, exponent: int) -> float:
    """Multiply by a power of ten, rounded once where the value has no exponent."""
    digits = repr(value)
    return float(f"{digits}e{exponent}") if "e" not in digits else value * 10.0 ** max(-300, min(300, exponent))


def read_number(reply: str) -> Number | NoNumber:
    """Read the answer: the number after "Answer:", after a last "=", or the only one; several values are rejected."""
    text = normalize_notation(extract_answer(reply)[-_SEARCHED_LENGTH:])
    prefixed = [
        _leading_numbers(answer, numbers) for answer in find_prefixed_answers(text) if (numbers := find_numbers(answer))
    ]
    if prefixed:
        return _single_value([number for numbers in prefixed for number in numbers])
    candidates = find_numbers(text)
    if candidates and _follows_equals(text, candidates[-1]):
        return candidates[-1]
    return _single_value(candidates) if candidates else _read_number_word(text)


def _leading_numbers(answer: str, numbers: list[Number]) -> list[Number]:
    """Of the text after "Answer:", the number after a last "=", else the first, with a second one if an alternative."""
    if _follows_equals(answer, numbers[-1]):
        return numbers[-1:]
    several = len(numbers) > 1 and _ALTERNATIVE.search(
        answer[numbers[0].end : numbers[1].start + _indent(answer, numbers[1])]
    )
    return numbers[:2] if several else numbers[:1]


def _follows_equals(text: str, number: Number) -> bool:
    before = text[max(0, number.start - _CONTEXT_LENGTH) : number.start + _indent(text, number)]
    return _EQUALS.search(before) is not None


def _indent(text: str, number: Number) -> int:
    """Offset of the digits in the number's span: the length of its sign, currency and spaces."""
    inner = text[number.start : number.end]
    return len(inner) - len(inner.lstrip(" \t\n-+$€£¥"))


def _single_value(numbers: list[Number]) -> Number | NoNumber:
    first = numbers[0]
    same = all(math.isclose(number.value, first.value, rel_tol=1e-9) for number in numbers)
    return first if same else NoNumber(SEVERAL_NUMBERS)


def _read_number_word(text: str) -> Number | NoNumber:
    """Read a reply that consists of an English number word only."""
    for part in (text, *find_prefixed_answers(text)[-1:]):
        words = fold(strip_punctuation(part)).replace("-", " ").split()
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


def is_close(first: float, second: float) -> bool:
    """Whether two numbers are equal within 10⁻⁶, relative where they are larger than 1."""
    try:
        return first == second or abs(float(first) - float(second)) <= _MILLIONTH * max(1.0, abs(float(second)))
    except OverflowError:
        return False


def as_number(value: Any) -> Number | NoNumber:
    """Convert a number, or a text that contains one."""
    if isinstance(value, str):
        return read_number(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NoNumber(NO_NUMBER)
    try:
        number = float(value)
    except OverflowError:
        return NoNumber(NO_NUMBER)
    return Number(number) if math.isfinite(number) else NoNumber(NO_NUMBER)
