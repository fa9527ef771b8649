"""A sentence that was said and kept, in whatever language, said once more in the one in force.

Grades keep their reasons as text. A reader of another language finds the sentence again by its pattern.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from string import Formatter

from sightline.i18n import language

OWN_FACTS = ("what", "why", "way", "right", "wrong")
"""Facts that are texts of our own, such as the kind of a fault; all others are somebody else's words."""
LONGEST = 600
"""Letters; what is longer stays as it is."""
_BETWEEN, _AND = "; ", " + "
_LEAST_LETTERS = 2
"""A pattern of nothing but facts and marks would fit everything."""


def say_again(text: str) -> str:
    """The text in the language in force, as far as it is one of our sentences or some of them in a row."""
    wanted = language()
    if len(text) > LONGEST or (wanted == "en" and text.isascii()):
        return text
    return _again(text, wanted)


@lru_cache(4096)
def _again(text: str, wanted: str) -> str:
    parts = [(part, _found(part, wanted)) for part in text.split(_BETWEEN)]
    if all(found for _, found in parts) or (whole := _found(text, wanted)) is None:
        return _BETWEEN.join(found or part for part, found in parts)
    return whole


def _found(text: str, wanted: str) -> str | None:
    """One of our sentences, or phrases in a row, in the wanted language; nothing where it is none of ours."""
    if text in (known := _sentences(wanted)):
        return known[text]
    if _AND in text:
        phrases = [_found(part, wanted) for part in text.split(_AND)]
        if all(phrases):
            return _AND.join(filter(None, phrases))
    for mark, pattern, template in _patterns(wanted):
        if mark in text and (match := pattern.fullmatch(text)):
            facts = match.groupdict()
            own = {name: _found(fact, wanted) or fact for name, fact in facts.items() if name in OWN_FACTS}
            return template.format(**facts | own)
    return None


@cache
def _sentences(wanted: str) -> Mapping[str, str]:
    """From the other language to the wanted one."""
    from sightline.i18n.chinese import CHINESE

    return CHINESE if wanted == "zh" else {there: here for here, there in CHINESE.items()}


@cache
def _patterns(wanted: str) -> list[tuple[str, re.Pattern[str], str]]:
    """Sentences with facts, those with the most words of their own first, each behind its longest words: looking for
    these is quick, and most texts are none of ours."""
    found = []
    for template, translated in _sentences(wanted).items():
        pieces = list(Formatter().parse(template))
        if not all(name is None or name.isidentifier() for _, name, *_ in pieces):
            continue  # braces that are meant
        own = "".join(literal for literal, *_ in pieces)
        if len(own) < len(template) and sum(letter.isalpha() for letter in own) >= _LEAST_LETTERS:
            mark = max((literal for literal, *_ in pieces), key=len)
            found.append((len(own), (mark, re.compile(_expression(pieces), re.DOTALL), translated)))
    return [one for _, one in sorted(found, key=lambda pair: -pair[0])]


def _expression(pieces: list[tuple[str, str | None, str | None, str | None]]) -> str:
    parts, seen = [], set()
    for literal, name, *_ in pieces:
        parts.append(re.escape(literal))
        if name is not None:
            parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>.+?)")
            seen.add(name)
    return "".join(parts)
