"""Formatting of multiple-choice options with their letters."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Literal

from sightline.core.errors import UsageError

LETTERS = string.ascii_uppercase
"""There can be no more options than letters."""

LETTER_INSTRUCTION = {"en": "Answer with the letter only.", "zh": "只回答选项的字母。"}
OPTIONS_HEADING = {"en": "Options:", "zh": "选项："}
TOO_MANY = "there are {count} options, more than letters"


def option_letter(index: int) -> str:
    """Return the letter of the option at an index from 0."""
    if not 0 <= index < len(LETTERS):
        raise UsageError(TOO_MANY, count=index + 1)
    return LETTERS[index]


def format_options(options: Sequence[str]) -> str:
    """Format options as lines, `A. …` first."""
    return "\n".join(f"{option_letter(index)}. {option}" for index, option in enumerate(options))


def append_options(question: str, options: Sequence[str], language: Literal["en", "zh"] | str = "en") -> str:
    """Append the options and the instruction to answer with a letter; without options return the question unchanged."""
    if not options:
        return question
    catalogue = "zh" if language.casefold().startswith("zh") else "en"
    return f"{question}\n{OPTIONS_HEADING[catalogue]}\n{format_options(options)}\n{LETTER_INSTRUCTION[catalogue]}"


def option_letter_of_text(option: str, options: Sequence[str]) -> str:
    """Return the letter of an option's text; empty if it is not among the options."""
    return option_letter(list(options).index(option)) if option in options else ""
