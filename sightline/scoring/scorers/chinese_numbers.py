"""Numbers written in Chinese characters."""

from __future__ import annotations

import re

from msgspec import Struct

_DIGITS = {character: place for place, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "亿": 10**8}
_LONGEST = 40
_LARGEST = 10**300

_NUMERAL = "[零〇一二两三四五六七八九十百千万亿]"
_WORDS = re.compile(
    "第[零〇一二两三四五六七八九十百千]+|一[共些般样起定下直致旦边侧方同时]|[统唯万]一(?![百千万亿])|之一(?!点)|十分(?!之)|[张幅]图"
)
"""Where a numeral is part of a word, or an ordinal."""
_NUMBER = re.compile(
    rf"(?P<sign>负)?(?:(?P<per>百分之)|(?P<whole>{_NUMERAL}++)分之)?(?P<value>{_NUMERAL}++(?:点[零〇一二两三四五六七八九]++)?)"
)


class Written(Struct, frozen=True):
    """A number, whether it is in per cent, and where it stands."""

    value: float
    per_cent: bool
    start: int
    end: int


def chinese_number(text: str) -> float | None:
    """The value of numerals such as 三十六, 两千零五, 三万五, 二零二四 or 三点五; None where they are no number."""
    whole, _, decimals = text.partition("点")
    if not whole or len(text) > _LONGEST or any(one not in _DIGITS for one in decimals):
        return None
    value = _digits(whole) if all(one in _DIGITS for one in whole) else _composed(whole)
    if value is None or value > _LARGEST:
        return None
    return float(f"{value}.{_digits(decimals) if decimals else 0:0{max(len(decimals), 1)}d}")


def _digits(text: str) -> int:
    return int("".join(str(_DIGITS[one]) for one in text))


def _composed(text: str) -> int | None:
    """Numerals with their ranks; a last digit after a rank stands for the next lower one (三万五 is 35,000)."""
    total = section = digit = 0
    rank, fresh, gap = 1, False, False
    for one in text:
        if one in _DIGITS:
            if fresh and digit:
                return None
            digit, fresh, gap = _DIGITS[one], True, gap or _DIGITS[one] == 0
        elif one in _TENS:
            rank = _TENS[one]
            section += (digit if fresh else 1) * rank
            digit, fresh, gap = 0, False, False
        else:
            rank = _MYRIADS[one]
            total, section = _raised(total, section + digit, rank)
            digit, fresh, gap = 0, False, False
    lower = rank // 10 if fresh and digit and rank > 10 and not gap else 1
    return total + section + digit * lower


def _raised(total: int, section: int, rank: int) -> tuple[int, int]:
    """The sums once a myriad was read: 亿 raises all that stands before it, 万 its own section."""
    if rank == _MYRIADS["亿"]:
        return (total + section or 1) * rank, 0
    return total + (section or 1) * rank, 0


def chinese_numbers(text: str) -> list[Written]:
    """All numbers in a text, but for numerals that belong to words (一共, 统一, 第三)."""
    masked = _WORDS.sub(lambda word: "＿" * len(word.group()), text)
    found = []
    for one in _NUMBER.finditer(masked):
        value = chinese_number(one["value"])
        if value is not None and one["whole"]:
            below = chinese_number(one["whole"])
            value = value / below if below else None
        if value is not None:
            signed = -value if one["sign"] else value
            found.append(Written(signed, bool(one["per"]), one.start(), one.end()))
    return found
