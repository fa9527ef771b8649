"""Which option a reply names: by its letter or by its text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from msgspec import Struct

from sightline.scoring.scorers.options import LETTERS
from sightline.scoring.scorers.texts import CJK, fold, led_in, said, trimmed

SEVERAL = "the reply names several options"
NONE = "the reply names no option"
DENIED = "the reply only says which option is wrong"

_BARE = re.compile(r"[\W_]*([A-Za-z])[\W_]*")
_NAMED = re.compile(rf"(?<![^\W{CJK}])(?<![A-Za-z]['’-])([A-Za-z])(?!['’-]?[^\W{CJK}])")
_OPENED = re.compile(r"[\s(（\[【*_]*([A-Za-z])(?:[*_]*[)）\].:：、*_]|\s*$)", re.MULTILINE)
_CHOSEN = re.compile(rf"(?<!不)(?<!别)(?:选择|选项|选)[是为：:\s(（\[*_]*([A-Za-z])(?![^\W{CJK}])")
_GOES_ON = re.compile(r"\s+(?!(?:or|and|nor|vs|is|was|because|since|as)\b)[^\W\d]")
_JOINED = re.compile(
    r"[\s)\]*_.]*(?:or|and|/|,|、|或|和|&|，)\s*(?:option\s+)?[(\[*_]*([A-Za-z])(?![^\W_])", re.IGNORECASE
)
_DENIAL = re.compile(
    r"(?:\bnot|n['’]t|\bneither|\bnever|不是|并非|不在|没有|不选|不能选|排除)(?:\s+(?:the|a|an|in|on|be))*\s*$",
    re.IGNORECASE,
)
_REJECTED = re.compile(
    r"[\s)\]*_]*(?:(?:is|are|was)\s*(?:not|n['’]t|wrong|incorrect|false)\b|不对|错|不正确|不是)", re.IGNORECASE
)
_NEAR = 40
_LOOKED_AT = 20_000
"""Of a longer reply only its end is searched for letters and texts in sentences."""


class Named(Struct, frozen=True):
    """The place of the named option (−1: a letter that is none), or why there is none."""

    place: int = -1
    why: str = ""


def named_option(reply: str, options: Sequence[str]) -> Named:
    """The option that a reply names.

    In this order: the reply is a letter; it is an option's text; letters after "Answer:", "选"; letters named otherwise
    ("(B)", "B.", "I think B"); the only option whose text stands in the reply. Two letters of the same rank are none.
    """
    text = unicodedata.normalize("NFKC", said(reply))
    whole = [text, *led_in(text)[-1:]]
    for part in whole:
        if bare := _BARE.fullmatch(part):
            return _placed({bare.group(1).upper()}, len(options)) if part is text else _marked(text, options)
    texts = [fold(trimmed(option)) for option in options]
    for part in whole:
        folded = fold(trimmed(part))
        if texts.count(folded) == 1:
            return Named(texts.index(folded))
    marked = _marked(text, options)
    if not marked.why or marked.why == SEVERAL:
        return marked
    return _mentioned(text, options)


def _placed(letters: set[str], count: int) -> Named:
    if len(letters) != 1:
        return Named(why=SEVERAL if letters else NONE)
    place = LETTERS.index(letters.pop())
    return Named(place if place < count else -1)


def _marked(text: str, options: Sequence[str]) -> Named:
    """By letters that are said to be the answer."""
    letters = set()
    for found in _CHOSEN.finditer(text):
        letters.add(found.group(1).upper())
        if other := _JOINED.match(text, found.end()):
            letters.add(other.group(1).upper())
    for part in led_in(text):
        part = re.sub(r"^(?:the\s+)?(?:option|choice|letter|选项)?[\s(\[*_:]*", "", part, flags=re.IGNORECASE)
        first = _NAMED.match(part)
        if first and not _is_article(first.group(1), part, first.end()):
            letters.add(first.group(1).upper())
            if other := _JOINED.match(part, first.end()):
                letters.add(other.group(1).upper())
    return _placed(letters, len(options))


def _is_article(letter: str, text: str, end: int) -> bool:
    """Whether "a", "A" or "I" is a word of the sentence: then another word follows."""
    goes_on = _GOES_ON.match(text, end) is not None
    return goes_on if letter in "AI" else letter.islower() and (goes_on or letter in "ai")


def _mentioned(text: str, options: Sequence[str]) -> Named:
    """By letters in the sentences, else by the only option's text that stands there."""
    wanted = {fold(option): place for place, option in reversed(list(enumerate(options))) if fold(option)}
    text = text[-_LOOKED_AT:]
    sentence = masked = " ".join(text.split())
    places: dict[int, int] = {}
    if wanted:
        longest = sorted(wanted, key=len, reverse=True)
        pattern = "|".join(re.escape(option) for option in longest)
        edge = rf"[^\W{CJK}]"
        found = re.compile(rf"(?<!{edge})(?:{pattern})(?!{edge})|(?<=[{CJK}])(?:{pattern})", re.IGNORECASE)
        for one in found.finditer(sentence):
            if (place := wanted.get(fold(one.group()))) is not None and len(one.group()) > 1:
                places.setdefault(place, one.start())
        masked = found.sub(lambda one: one.group() if len(one.group()) == 1 else " … ", sentence)
    letters = _letters(masked, text, len(options))
    if len(letters) > 1:
        return Named(why=SEVERAL)
    if letters:
        place = LETTERS.index(letters.pop())
        return Named(place) if not places or set(places) == {place} else Named(why=SEVERAL)
    if len(places) != 1:
        return Named(why=SEVERAL if places else NONE)
    place, start = places.popitem()
    return Named(why=DENIED) if _denied(sentence, start) else Named(place)


def _denied(sentence: str, start: int) -> bool:
    return _DENIAL.search(sentence[max(0, start - _NEAR) : start]) is not None


def _letters(masked: str, text: str, count: int) -> set[str]:
    """The options' letters that are named; those that open a line may be small ones."""
    letters = {
        found.group(1)
        for found in _NAMED.finditer(masked)
        if found.group(1).isupper()
        and not _is_article(found.group(1), masked, found.end())
        and not _denied(masked, found.start())
        and not _REJECTED.match(masked, found.end())
    }
    if (opened := _OPENED.match(text)) and not _REJECTED.match(text, opened.end()):
        letters.add(opened.group(1).upper())
    return {letter for letter in letters if LETTERS.index(letter.upper()) < count}
