"""What was said in one language is said in the other as if it had been said so at once."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter

import pytest

from sightline.i18n import set_language, tr
from sightline.i18n.again import LONGEST, say_again
from sightline.i18n.chinese import CHINESE


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    set_language("")


def facts_of(text: str) -> dict[str, str]:
    return {name: f"q{number}" for number, (_, name, *_) in enumerate(Formatter().parse(text)) if name}


def said(text: str, language: str) -> str:
    set_language(language)
    return tr(text, **facts_of(text))


def test_every_sentence_is_found_again_both_ways() -> None:
    lost = []
    for text in CHINESE:
        pieces = list(Formatter().parse(text))
        own = "".join(literal for literal, *_ in pieces)
        if sum(map(str.isalpha, own)) < 2 or not all(str(name or "x").isidentifier() for _, name, *_ in pieces):
            continue
        english, chinese = said(text, "en"), said(text, "zh")
        set_language("zh")
        if say_again(english) != chinese:
            lost.append((text, english, say_again(english)))
    assert not lost


def test_a_reason_of_several_sentences_keeps_what_is_not_ours() -> None:
    set_language("zh")
    assert say_again("no JSON object; as the model put it") == f"{tr('no JSON object')}; as the model put it"
    assert say_again("no JSON object") == tr("no JSON object")
    set_language("en")
    assert say_again(CHINESE["no JSON object"]) == "no JSON object"
    assert say_again("quite another thing {0} {name}") == "quite another thing {0} {name}"


def test_long_and_hostile_text_stays_as_it_is() -> None:
    set_language("zh")
    for text in ("", "{", "{0.__class__}", "x; " * LONGEST, "a" * LONGEST, ": " * (LONGEST // 2), "\0"):
        assert say_again(text) == text
