"""METEOR's normalization of captions (`-norm`): marks stand alone, hyphens part words, acronyms lose their full stops.

The rules are those of the official program for English, learnt from its answers. Captions come from the tokenizer, so
they are in lower case: of the abbreviations that keep a full stop before anything, only those in lower case matter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

SEPARATOR = "|||"
"""What parts the captions in a request to METEOR's program: the official code takes it out, and so is it here."""
_LETTER = r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e\u0400-\u0527\u1d00-\u1d7f\ua640-\ua66e\ua67e-\ua697"
_SIMPLER = str.maketrans(
    {"`": "'", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": " - "}
    | dict.fromkeys("\n\r\v\f\x85\u2028\u2029", " ")
)
_is_normal = re.compile(r"(?:[a-z0-9]+(?: [a-z0-9]+)*)?").fullmatch
"""Letters, digits and single spaces: no rule applies to them."""
_has_only_hyphens = re.compile(r"[a-z0-9 -]*").fullmatch
_MARKS = re.compile(rf"([^{_LETTER}0-9 \t.',-])"), r" \1 "
_STOPS = re.compile(r"(\.{2,})"), r" \1 "
_COMMAS = (
    (re.compile(r"([^0-9]),([^0-9])"), r"\1 , \2"),
    (re.compile(r"([0-9]),([^0-9])"), r"\1 , \2"),
    (re.compile(r"([^0-9]),([0-9])"), r"\1 , \2"),
)
_APOSTROPHES = (
    (re.compile(rf"([^{_LETTER}])'([^{_LETTER}])"), r"\1 ' \2"),
    (re.compile(rf"([^{_LETTER}0-9])'([{_LETTER}])"), r"\1 ' \2"),
    (re.compile(rf"([{_LETTER}])'([^{_LETTER}])"), r"\1 ' \2"),
    (re.compile(rf"([{_LETTER}])'([{_LETTER}])"), r"\1 '\2"),
    (re.compile(r"([0-9])'(s)"), r"\1 '\2"),
)
_HYPHENS = re.compile(rf"([{_LETTER}0-9.])-([{_LETTER}0-9])"), r"\1 \2"
_find_words = re.compile(r"[^ \t]+").findall
_has_letter = re.compile(rf"[{_LETTER}]").search
_KEEPING = frozenset(("v", "vs", "rev"))
_BEFORE_NUMBERS = "pp"
_SPACES = frozenset("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000")
_CONTROLS = "".join(map(chr, range(33)))


def normalize(texts: Sequence[str]) -> list[str]:
    """The texts as METEOR aligns them, each on one line."""
    return [text if _is_normal(text) else normalize_text(text) for text in texts]


def normalize_text(text: str) -> str:
    """One text as METEOR aligns it. The order of the steps matters, for what one takes the next does not see."""
    text = text.replace(SEPARATOR, "").replace("  ", " ")
    if _has_only_hyphens(text):
        return " ".join(_replace(text.replace("--", "-"), _HYPHENS).split())
    text = f" {text.translate(_SIMPLER)} ".replace("''", '"')
    text = _replace(text, _MARKS, _STOPS, *_COMMAS).replace("--", "-")
    words = _find_words(_replace(text, *_APOSTROPHES, _HYPHENS))
    ended = [
        _end_word(word, after) if word[-1] == "." else word
        for word, after in zip_longest(words, words[1:], fillvalue="")
    ]
    return " ".join([word for word in ended if word not in _SPACES]).strip(_CONTROLS)


def _replace(text: str, *steps: tuple[re.Pattern[str], str]) -> str:
    for pattern, instead in steps:
        text = pattern.sub(instead, text)
    return text


def _end_word(word: str, after: str) -> str:
    """A word with a full stop at its end, which stands alone unless the word is an abbreviation."""
    stem = word[:-1]
    if not stem or stem[-1] == ".":
        return word
    if "." in stem and _has_letter(stem):
        return stem.replace(".", "")
    goes_on = "a" <= after[:1] <= "z" or (stem == _BEFORE_NUMBERS and "0" <= after[:1] <= "9")
    return word if stem in _KEEPING or goes_on else f"{stem} ."
