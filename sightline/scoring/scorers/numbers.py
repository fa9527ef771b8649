"""Number extraction from replies, Chinese numerals included, and numeric accuracy within a tolerance."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from msgspec import Struct

from sightline.core.records import Score
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.reply_text import (
    EMPTY_REPLY,
    as_text,
    extract_answer,
    find_prefixed_answers,
    fold,
    invalid_score,
    strip_punctuation,
    unparsed_score,
)

_CHINESE_DIGITS = {character: index for index, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CHINESE_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "亿": 10**8}
_MAX_NUMERAL_LENGTH = 40
_MAX_NUMERAL_VALUE = 10**300

_NUMERAL = "[零〇一二两三四五六七八九十百千万亿]"
_NON_NUMBERS = re.compile(
    "第[零〇一二两三四五六七八九十百千]+|一[共些般样起定下直致旦边侧方同时]|[统唯万]一(?![百千万亿])|之一(?!点)|十分(?!之)|[张幅]图"
)
"""Where a numeral is part of a word, or an ordinal."""
_CHINESE_NUMBER = re.compile(
    rf"(?P<sign>负)?(?:(?P<per>百分之)|(?P<whole>{_NUMERAL}++)分之)?(?P<value>{_NUMERAL}++(?:点[零〇一二两三四五六七八九]++)?)"
)


def parse_chinese_number(text: str) -> float | None:
    """Parse a numeral such as 三十六, 两千零五, 三万五, 二零二四 or 三点五; None where it is not a number."""
    whole, _, decimals = text.partition("点")
    if not whole or len(text) > _MAX_NUMERAL_LENGTH or any(character not in _CHINESE_DIGITS for character in decimals):
        return None
    value = _parse_digits(whole) if all(character in _CHINESE_DIGITS for character in whole) else _parse_ranked(whole)
    if value is None or value > _MAX_NUMERAL_VALUE:
        return None
    return float(f"{value}.{_parse_digits(decimals) if decimals else 0:0{max(len(decimals), 1)}d}")


def _parse_digits(text: str) -> int:
    return int("".join(str(_CHINESE_DIGITS[character]) for character in text))


def _parse_ranked(text: str) -> int | None:
    """Parse digits with ranks; a last digit after a rank stands for the next lower rank (三万五 is 35,000)."""
    total = section = digit = 0
    rank, has_digit, has_zero = 1, False, False
    for character in text:
        if character in _CHINESE_DIGITS:
            if has_digit and digit:
                return None
            digit, has_digit, has_zero = _CHINESE_DIGITS[character], True, has_zero or _CHINESE_DIGITS[character] == 0
        elif character in _CHINESE_TENS:
            rank = _CHINESE_TENS[character]
            section += (digit if has_digit else 1) * rank
            digit, has_digit, has_zero = 0, False, False
        else:
            rank = _MYRIADS[character]
            total, section = _apply_myriad(total, section + digit, rank)
            digit, has_digit, has_zero = 0, False, False
    lower = rank // 10 if has_digit and digit and rank > 10 and not has_zero else 1
    return total + section + digit * lower


def _apply_myriad(total: int, section: int, rank: int) -> tuple[int, int]:
    """Update total and section after a myriad: 亿 multiplies everything before it, 万 only its own section."""
    if rank == _MYRIADS["亿"]:
        return (total + section or 1) * rank, 0
    return total + (section or 1) * rank, 0


def find_chinese_numbers(text: str) -> list[Number]:
    """Return all numbers in a text, except numerals that belong to words (一共, 统一, 第三)."""
    masked = _NON_NUMBERS.sub(lambda word: "＿" * len(word.group()), text)
    numbers = []
    for match in _CHINESE_NUMBER.finditer(masked):
        value = parse_chinese_number(match["value"])
        if value is not None and match["whole"]:
            denominator = parse_chinese_number(match["whole"])
            value = value / denominator if denominator else None
        if value is not None:
            signed = -value if match["sign"] else value
            numbers.append(Number(signed, bool(match["per"]), match.start(), match.end()))
    return numbers


NO_NUMBER = "the reply contains no number"
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
_MAX_DEPTH = 64
"""Values nested deeper than this never match."""
_SEARCHED_LENGTH = 200_000
"""Number of characters at the end of a reply that are searched."""
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
    return numbers if numbers or _DIGIT.search(text) else find_chinese_numbers(text)


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
        if len(values) == 2:
            tens, ones = (value or 0 for value in values)
            if tens >= 20 > 10 > ones > 0:
                return Number(float(tens + ones))
    return NoNumber(NO_NUMBER)


def is_close(first: float, second: float) -> bool:
    """Whether two numbers are equal within 10⁻⁶, relative where they are larger than 1."""
    try:
        return first == second or abs(float(first) - float(second)) <= _MILLIONTH * max(1.0, abs(float(second)))
    except OverflowError:
        return False


def match_deep(first: Any, second: Any, leaves_match: Callable[[Any, Any], bool], depth: int = 0) -> bool:
    """Deep comparison of JSON values: objects by key, lists in order; `leaves_match` compares numbers and texts."""
    if depth > _MAX_DEPTH:
        return False
    if isinstance(first, bool) or isinstance(second, bool) or first is None or second is None:
        return first is second
    if isinstance(first, dict) and isinstance(second, dict):
        pairs = [(first[key], second.get(key)) for key in first]
        return first.keys() == second.keys() and all(match_deep(*pair, leaves_match, depth + 1) for pair in pairs)
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        pairs = list(zip(first, second, strict=False))
        return len(first) == len(second) and all(match_deep(*pair, leaves_match, depth + 1) for pair in pairs)
    return leaves_match(first, second)


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


DEFAULT_RELATIVE_TOLERANCE = 0.05
BAD_TOLERANCE = "the tolerance is not a number"


class Tolerance(Struct, frozen=True):
    """A relative tolerance, and an absolute difference that is always allowed."""

    relative: float = DEFAULT_RELATIVE_TOLERANCE
    absolute: float = 0.0

    def allows(self, number: Number, target: Number) -> bool:
        """Whether a number is within tolerance; a percentage target is met by its value and by its hundredth."""
        if number.near(target.value, self.relative, self.absolute):
            return True
        return target.per_cent and number.near(target.value / 100, self.relative, self.absolute / 100)

    def matches(self, answer: Any, target_value: Any) -> bool:
        """Whether a value matches the target: numerically if the target is a number, else as folded text."""
        if isinstance(target_value, int | float) and not isinstance(target_value, bool):
            number, target = as_number(answer), as_number(target_value)
            return isinstance(number, Number) and isinstance(target, Number) and self.allows(number, target)
        answer, target_value = as_text(answer), as_text(target_value)
        return (
            answer is not None
            and target_value is not None
            and fold(strip_punctuation(answer)) == fold(strip_punctuation(target_value))
        )


def read_tolerance(facts: Mapping[str, Any]) -> Tolerance | None:
    """Read `tolerance` and `absolute` from a question's facts; None if they are not valid numbers."""
    limits = [as_number(facts.get("tolerance", DEFAULT_RELATIVE_TOLERANCE)), as_number(facts.get("absolute", 0.0))]
    values = [limit.value for limit in limits if not isinstance(limit, NoNumber) and limit.value >= 0]
    return Tolerance(*values) if len(values) == len(limits) and all(map(math.isfinite, values)) else None


INVALID_TARGET_NUMBER = "the truth is not a number"


class Numeric:
    """1 for a number within the tolerance, else 0.

    `tolerance` is a share of the target (0.05 unless told), `absolute` a difference that is always allowed; a target of
    0 is met by 0 alone unless `absolute` says more. The answer is the number after "Answer:", that of a last "= 12", or
    the only one of the reply; several different ones can't be marked. Units, currencies and thousands separators are
    passed over; fractions, powers of ten, million or 万, Chinese numerals are read, and 12 % meets both 12 and 0.12.
    """

    title: ClassVar[str] = "Number within tolerance"
    accepts: ClassVar[Examples] = (
        (12.5, "12.5 kN"),
        (1250, "The total is $1,250.00"),
        (0.75, "3/4"),
        (36, "共有三十六个"),
        (12, "3 × 4 = 12"),
        (3.2e5, "3.2 × 10^5 Pa"),
        (0.125, "12.5 %"),
        (Question(target=0, metadata={"absolute": 0.1}), "0.05"),
    )
    refuses: ClassVar[Examples] = ((12.5, "14"), (12, "3 or 12"), (0, "0.01"), (12, "-12"))

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        target, allowed = as_number(question.target), read_tolerance(question.metadata)
        if isinstance(target, NoNumber):
            return invalid_score(INVALID_TARGET_NUMBER)
        if allowed is None:
            return invalid_score(BAD_TOLERANCE)
        if not extract_answer(reply):
            return unparsed_score(EMPTY_REPLY)
        number = read_number(reply)
        if isinstance(number, NoNumber):
            return unparsed_score(number.reason)
        return Score(value=float(allowed.allows(number, target)), details={"read": number.value})
