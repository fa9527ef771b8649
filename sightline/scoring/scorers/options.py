"""Multiple-choice options: formatting with letters, and which option a reply names by its letter or by its text."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from sightline.core.errors import UsageError
from sightline.scoring.scorers.reply_text import CJK, extract_answer, find_prefixed_answers, fold, strip_punctuation

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


SEVERAL_OPTIONS = "the reply names several options"
NO_OPTION = "the reply names no option"
ONLY_NEGATED = "the reply only says which option is wrong"

_BARE_LETTER = re.compile(r"[\W_]*([A-Za-z])[\W_]*")
_SINGLE_LETTER = re.compile(rf"(?<![^\W{CJK}])(?<![A-Za-z]['’-])([A-Za-z])(?!['’-]?[^\W{CJK}])")
_OPENING_LETTER = re.compile(r"[\s(（\[【*_]*([A-Za-z])(?:[*_]*[)）\].:：、*_]|\s*$)", re.MULTILINE)
_CHOSEN_LETTER = re.compile(rf"(?<!不)(?<!别)(?:选择|选项|选)[是为：:\s(（\[*_]*([A-Za-z])(?![^\W{CJK}])")
_FOLLOWING_WORD = re.compile(r"\s+(?!(?:or|and|nor|vs|is|was|because|since|as)\b)[^\W\d]")
_SECOND_LETTER = re.compile(
    r"[\s)\]*_.]*(?:or|and|/|,|、|或|和|&|，)\s*(?:option\s+)?[(\[*_]*([A-Za-z])(?![^\W_])", re.IGNORECASE
)
_NEGATION_BEFORE = re.compile(
    r"(?:\bnot|n['’]t|\bneither|\bnever|不是|并非|不在|没有|不选|不能选|排除)(?:\s+(?:the|a|an|in|on|be))*\s*$",
    re.IGNORECASE,
)
_NEGATION_AFTER = re.compile(
    r"[\s)\]*_]*(?:(?:is|are|was)\s*(?:not|n['’]t|wrong|incorrect|false)\b|不对|错|不正确|不是)", re.IGNORECASE
)
_CONTEXT_LENGTH = 40
_SEARCHED_LENGTH = 20_000
"""Number of characters at the end of a reply that are searched for mentions."""


class NamedOption(Struct, frozen=True):
    """Index of the named option (−1: a letter beyond the options), or the reason why there is none."""

    index: int = -1
    reason: str = ""


def find_named_option(reply: str, options: Sequence[str]) -> NamedOption:
    """Find the option that a reply names.

    In this order: the reply is a letter; it is an option's text; letters after "Answer:", "选"; letters named otherwise
    ("(B)", "B.", "I think B"); the only option whose text stands in the reply. Two letters of the same rank are none.
    """
    text = unicodedata.normalize("NFKC", extract_answer(reply))
    candidates = [text, *find_prefixed_answers(text)[-1:]]
    for phrase in candidates:
        if letter := _BARE_LETTER.fullmatch(phrase):
            return (
                _option_of_letters({letter.group(1).upper()}, len(options))
                if phrase is text
                else _declared_option(text, options)
            )
    texts = [fold(strip_punctuation(option)) for option in options]
    for phrase in candidates:
        folded = fold(strip_punctuation(phrase))
        if texts.count(folded) == 1:
            return NamedOption(texts.index(folded))
    declared = _declared_option(text, options)
    if not declared.reason or declared.reason == SEVERAL_OPTIONS:
        return declared
    return _mentioned_option(text, options)


def _option_of_letters(letters: set[str], count: int) -> NamedOption:
    if len(letters) != 1:
        return NamedOption(reason=SEVERAL_OPTIONS if letters else NO_OPTION)
    index = LETTERS.index(letters.pop())
    return NamedOption(index if index < count else -1)


def _declared_option(text: str, options: Sequence[str]) -> NamedOption:
    """Find the option whose letter is declared to be the answer ("Answer: B", "选 B")."""
    letters = set()
    for match in _CHOSEN_LETTER.finditer(text):
        letters.add(match.group(1).upper())
        if alternative := _SECOND_LETTER.match(text, match.end()):
            letters.add(alternative.group(1).upper())
    for answer in find_prefixed_answers(text):
        answer = re.sub(r"^(?:the\s+)?(?:option|choice|letter|选项)?[\s(\[*_:]*", "", answer, flags=re.IGNORECASE)
        first = _SINGLE_LETTER.match(answer)
        if first and not _is_article(first.group(1), answer, first.end()):
            letters.add(first.group(1).upper())
            if alternative := _SECOND_LETTER.match(answer, first.end()):
                letters.add(alternative.group(1).upper())
    return _option_of_letters(letters, len(options))


def _is_article(letter: str, text: str, end: int) -> bool:
    """Whether "a", "A" or "I" is a word of the sentence: then another word follows it."""
    goes_on = _FOLLOWING_WORD.match(text, end) is not None
    return goes_on if letter in "AI" else letter.islower() and (goes_on or letter in "ai")


def _mentioned_option(text: str, options: Sequence[str]) -> NamedOption:
    """Find the option mentioned in a sentence by its letter, else by its text if only one option's text occurs."""
    index_of_text = {fold(option): index for index, option in reversed(list(enumerate(options))) if fold(option)}
    text = text[-_SEARCHED_LENGTH:]
    sentence = masked = " ".join(text.split())
    starts: dict[int, int] = {}
    if index_of_text:
        longest = sorted(index_of_text, key=len, reverse=True)
        pattern = "|".join(re.escape(option) for option in longest)
        edge = rf"[^\W{CJK}]"
        pattern_re = re.compile(rf"(?<!{edge})(?:{pattern})(?!{edge})|(?<=[{CJK}])(?:{pattern})", re.IGNORECASE)
        for match in pattern_re.finditer(sentence):
            if (index := index_of_text.get(fold(match.group()))) is not None and len(match.group()) > 1:
                starts.setdefault(index, match.start())
        masked = pattern_re.sub(lambda match: match.group() if len(match.group()) == 1 else " … ", sentence)
    letters = _mentioned_letters(masked, text, len(options))
    if len(letters) > 1:
        return NamedOption(reason=SEVERAL_OPTIONS)
    if letters:
        index = LETTERS.index(letters.pop())
        return NamedOption(index) if not starts or set(starts) == {index} else NamedOption(reason=SEVERAL_OPTIONS)
    if len(starts) != 1:
        return NamedOption(reason=SEVERAL_OPTIONS if starts else NO_OPTION)
    index, start = starts.popitem()
    return NamedOption(reason=ONLY_NEGATED) if _is_negated(sentence, start) else NamedOption(index)


def _is_negated(sentence: str, start: int) -> bool:
    return _NEGATION_BEFORE.search(sentence[max(0, start - _CONTEXT_LENGTH) : start]) is not None


def _mentioned_letters(masked: str, text: str, count: int) -> set[str]:
    """Return the letters of options that are mentioned; a letter that opens the reply may be lower case."""
    letters = {
        match.group(1)
        for match in _SINGLE_LETTER.finditer(masked)
        if match.group(1).isupper()
        and not _is_article(match.group(1), masked, match.end())
        and not _is_negated(masked, match.start())
        and not _NEGATION_AFTER.match(masked, match.end())
    }
    if (opening := _OPENING_LETTER.match(text)) and not _NEGATION_AFTER.match(text, opening.end()):
        letters.add(opening.group(1).upper())
    return {letter for letter in letters if LETTERS.index(letter.upper()) < count}
