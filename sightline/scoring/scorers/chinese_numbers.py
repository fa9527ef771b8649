"""Parser for numbers written in Chinese characters."""

from __future__ import annotations

import re

from msgspec import Struct

_DIGITS = {character: index for index, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "亿": 10**8}
_MAX_LENGTH = 40
_MAX_VALUE = 10**300

_NUMERAL = "[零〇一二两三四五六七八九十百千万亿]"
_NON_NUMBERS = re.compile(
    "第[零〇一二两三四五六七八九十百千]+|一[共些般样起定下直致旦边侧方同时]|[统唯万]一(?![百千万亿])|之一(?!点)|十分(?!之)|[张幅]图"
)
"""Where a numeral is part of a word, or an ordinal."""
_NUMBER = re.compile(
    rf"(?P<sign>负)?(?:(?P<per>百分之)|(?P<whole>{_NUMERAL}++)分之)?(?P<value>{_NUMERAL}++(?:点[零〇一二两三四五六七八九]++)?)"
)


class ChineseNumber(Struct, frozen=True):
    """A parsed number: its value, whether it is a percentage, and its span in the text."""

    value: float
    per_cent: bool
    start: int
    end: int


def parse_chinese_number(text: str) -> float | None:
    """Parse a numeral such as 三十六, 两千零五, 三万五, 二零二四 or 三点五; None where it is not a number."""
    whole, _, decimals = text.partition("点")
    if not whole or len(text) > _MAX_LENGTH or any(character not in _DIGITS for character in decimals):
        return None
    value = _parse_digits(whole) if all(character in _DIGITS for character in whole) else _parse_ranked(whole)
    if value is None or value > _MAX_VALUE:
        return None
    return float(f"{value}.{_parse_digits(decimals) if decimals else 0:0{max(len(decimals), 1)}d}")


def _parse_digits(text: str) -> int:
    return int("".join(str(_DIGITS[character]) for character in text))


def _parse_ranked(text: str) -> int | None:
    """Parse digits with ranks; a last digit after a rank stands for the next lower rank (三万五 is 35,000)."""
    total = section = digit = 0
    rank, has_digit, has_zero = 1, False, False
    for character in text:
        if character in _DIGITS:
            if has_digit and digit:
                return None
            digit, has_digit, has_zero = _DIGITS[character], True, has_zero or _DIGITS[character] == 0
        elif character in _TENS:
            rank = _TENS[character]
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


def find_chinese_numbers(text: str) -> list[ChineseNumber]:
    """Return all numbers in a text, except numerals that belong to words (一共, 统一, 第三)."""
    masked = _NON_NUMBERS.sub(lambda word: "＿" * len(word.group()), text)
    numbers = []
    for match in _NUMBER.finditer(masked):
        value = parse_chinese_number(match["value"])
        if value is not None and match["whole"]:
            denominator = parse_chinese_number(match["whole"])
            value = value / denominator if denominator else None
        if value is not None:
            signed = -value if match["sign"] else value
            numbers.append(ChineseNumber(signed, bool(match["per"]), match.start(), match.end()))
    return numbers
