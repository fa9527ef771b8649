"""English and Chinese texts: templates, lists, number words, ordinals; random words, names and codes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from sightline.suites.matrix.generator.sample_rng import SampleRng

Wordings = Mapping[str, Sequence[str]]
"""For each language several ways to say the same, with {places} to fill."""
_CHINESE_DIGITS = "零一二三四五六七八九十"
_LETTERS, _DIGITS = "ABCDEFGHJKLMNPQRSTUVWXYZ", "0123456789"


@cache
def _read_texts(package: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads(files(package).joinpath("texts.toml").read_text("utf-8"))


def load_texts(module: str) -> dict[str, Any]:
    """Return the question texts of a module: its section of `texts.toml` in the same package."""
    package, _, name = module.rpartition(".")
    return _read_texts(package)[name]


_TEXTS = load_texts(__name__)
GOODS: list[tuple[str, str]] = _TEXTS["goods"]
"""Names of goods, in English and Chinese."""


def fill_wording(rng: SampleRng, wordings: Wordings, language: str, **facts: object) -> str:
    """Choose one of the templates of a language and fill it in."""
    return rng.pick(wordings[language]).format(**facts)


def join_words(words: Sequence[str], language: str, last: str = "") -> str:
    """Join words as a list in a sentence: a, b and c."""
    join = last or (" and " if language == "en" else "和")
    comma = ", " if language == "en" else "、"
    return words[0] if len(words) == 1 else comma.join(words[:-1]) + join + words[-1]


def join_sentences(language: str, *sentences: str) -> str:
    """Join sentences to a text; Chinese has no spaces between them."""
    return ("" if language == "zh" else " ").join(sentences)


def number_word(number: int, language: str) -> str:
    """Return a small number as a word, larger ones as digits."""
    words: Sequence[str] = _TEXTS["number_words"] if language == "en" else _CHINESE_DIGITS
    return words[number] if number < len(words) else str(number)


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


def random_word(rng: SampleRng, language: str) -> str:
    """Return a made-up word."""
    if language == "zh":
        return "".join(rng.some(_TEXTS["characters"], rng.whole(2, 4)))
    parts = (rng.pick(_TEXTS[part]) for _ in range(2) for part in ("onsets", "vowels", "endings"))
    return "".join(parts).capitalize()


def random_name(rng: SampleRng, language: str) -> str:
    """Return a made-up person's name."""
    if language == "zh":
        return "".join((rng.pick(_TEXTS["surnames"]), *rng.some(_TEXTS["characters"], 2)))
    return f"{random_word(rng, 'en')} {random_word(rng, 'en')}"


def random_code(rng: SampleRng) -> str:
    """Return a code such as KD-4071-X, without letters that resemble digits."""
    pattern = rng.pick(_TEXTS["patterns"])
    return "".join(
        rng.pick(_LETTERS) if sign == "A" else rng.pick(_DIGITS) if sign == "9" else sign for sign in pattern
    )


def random_line(rng: SampleRng, language: str) -> str:
    """Return a line as on a sign: words and a code in random order."""
    space = "" if language == "zh" else " "
    parts = [space.join(random_word(rng, language) for _ in range(rng.whole(1, 2))), random_code(rng)]
    if rng.chance(0.4):
        parts = parts[::-1]
    text = " ".join(parts)
    return text.upper() if rng.chance(0.4) else text
