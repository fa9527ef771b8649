"""Options as they are shown to a model, and as their letters name them."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Literal

from sightline.core.errors import UsageError

LETTERS = string.ascii_uppercase
"""More options than letters can't be asked."""

LETTER_ONLY = {"en": "Answer with the letter only.", "zh": "只回答选项的字母。"}
CHOICES = {"en": "Options:", "zh": "选项："}
TOO_MANY = "there are {count} options, more than letters"


def option_letter(place: int) -> str:
    """The letter of the option at a place, counted from 0."""
    if not 0 <= place < len(LETTERS):
        raise UsageError(TOO_MANY, count=place + 1)
    return LETTERS[place]


def option_lines(options: Sequence[str]) -> str:
    """The options as lines, `A. …` first."""
    return "\n".join(f"{option_letter(place)}. {option}" for place, option in enumerate(options))


def with_options(question: str, options: Sequence[str], language: Literal["en", "zh"] | str = "en") -> str:
    """The question, its options and that the letter alone is wanted; without options the question as it is."""
    if not options:
        return question
    spoken = "zh" if language.casefold().startswith("zh") else "en"
    return f"{question}\n{CHOICES[spoken]}\n{option_lines(options)}\n{LETTER_ONLY[spoken]}"


def letter_of(option: str, options: Sequence[str]) -> str:
    """The letter of an option's text; empty where it is none of them."""
    return option_letter(list(options).index(option)) if option in options else ""
