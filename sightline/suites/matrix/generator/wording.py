"""English and Chinese phrases: templates, lists, number words and ordinals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sightline.suites.matrix.generator.sample_rng import SampleRng

Wordings = Mapping[str, Sequence[str]]
"""For each language several ways to say the same, with {places} to fill."""
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DIGITS = "零一二三四五六七八九十"


def fill_wording(rng: SampleRng, wordings: Wordings, language: str, **facts: object) -> str:
    """Choose one of the templates of a language and fill it in."""
    return rng.pick(wordings[language]).format(**facts)


def join_words(words: Sequence[str], language: str, last: str = "") -> str:
    """Join words as a list in a sentence: a, b and c."""
    join = last or (" and " if language == "en" else "和")
    comma = ", " if language == "en" else "、"
    return words[0] if len(words) == 1 else comma.join(words[:-1]) + join + words[-1]


def number_word(number: int, language: str) -> str:
    """Return a small number as a word, larger ones as digits."""
    if language == "en":
        return _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    return _DIGITS[number] if number < len(_DIGITS) else str(number)


def count_answers(number: int, language: str) -> list[str]:
    """Return ten annotator answers to "how many"."""
    word = number_word(number, language)
    return [str(number)] * 8 + [word] * 2


def ordinal(number: int, language: str) -> str:
    """Return an ordinal: 1st, 2nd, 3rd…"""
    if language == "zh":
        return f"第{number_word(number, 'zh')}"
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
