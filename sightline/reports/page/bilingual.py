"""Both languages in one file: every part is said twice, and a switch shows one of them."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

from sightline.i18n import LANGUAGES, set_language
from sightline.reports.html import safe

_TAGS = {"en": "en", "zh": "zh-Hans"}
Made = TypeVar("Made")


def said_in(tongue: str, make: Callable[[], Made]) -> Made:
    """What `make` says in a language; the language in force outside stays as it is."""
    context = copy_context()
    context.run(set_language, tongue)
    return context.run(make)


def both(make: Callable[[], str], tag: str = "div") -> str:
    """HTML in both languages, each in an element of its own; once where they don't differ."""
    told = {tongue: said_in(tongue, make) for tongue in LANGUAGES}
    if len(set(told.values())) == 1:
        return told["en"]
    return "".join(f'<{tag} class="{tongue}" lang="{_TAGS[tongue]}">{text}</{tag}>' for tongue, text in told.items())


def phrase(make: Callable[[], str]) -> str:
    """A few plain words in both languages, in the flow of a line."""
    return both(lambda: safe(make()), "span")
