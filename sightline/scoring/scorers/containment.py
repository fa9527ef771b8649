"""Substring match at word boundaries: whether a reply contains the answer as whole words or numbers."""

from __future__ import annotations

import re
from typing import ClassVar

from sightline.core.records import Score
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.reply_text import (
    CJK,
    EMPTY_REPLY,
    INVALID_TARGET_TEXT,
    as_texts,
    extract_answer,
    fold,
    invalid,
    strip_punctuation,
    unparsed,
)

_WORD = rf"[^\W{CJK}]"


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether a folded text contains a folded word, number or phrase that is not part of a longer one."""
    return (
        bool(phrase)
        and re.search(_left_boundary(phrase) + re.escape(phrase) + _right_boundary(phrase), text) is not None
    )


def _left_boundary(phrase: str) -> str:
    if re.match(r"[-−+.]\d", phrase):
        return r"(?<![\w.)\]])"
    if not re.match(_WORD, phrase):
        return ""
    edge = rf"(?<!{_WORD})"
    if not phrase[0].isdigit():
        return edge
    thousands = r"(?<!\d,)" if re.match(r"\d{3}(?!\d)", phrase) else ""
    return edge + thousands + r"(?<!\d\.)(?<!\d/)(?<!^[-−.])(?<![^\w)\]][-−.])"


def _right_boundary(phrase: str) -> str:
    if not re.match(_WORD, phrase[-1]):
        return ""
    edge = rf"(?!{_WORD})"
    return edge + r"(?!\.\d)(?!/\d)(?!,\d{3}(?!\d))" if phrase[-1].isdigit() else edge


class Contains:
    """Full marks where the target stands in the reply as whole words and whole numbers, else nothing.

    "1" does not stand in "10", "1.5", "1,000", "1/2" or "-1", nor "no" in "north"; Chinese is looked for by characters.
    Case and white space are folded. The target is a text, a number, or a list of which any will do.
    """

    title: ClassVar[str] = "Contains"
    accepts: ClassVar[Examples] = (
        ("no", "No, it is not."),
        (1, "There is 1 dog"),
        (["sofa", "couch"], "a red couch"),
        ("港口", "图中是一个港口。"),
    )
    refuses: ClassVar[Examples] = (
        ("no", "It points north"),
        ("1", "There are 10 dogs"),
        ("1", "It is 1.5 m long"),
        ("港口", "图中是机场"),
    )

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        truths = [fold(strip_punctuation(text)) for text in as_texts(question.target)]
        if not any(truths):
            return invalid(INVALID_TARGET_TEXT)
        text = fold(extract_answer(reply))
        if not text:
            return unparsed(EMPTY_REPLY)
        return Score(value=float(any(contains_phrase(text, truth) for truth in truths)))
