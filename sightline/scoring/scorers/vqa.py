"""VQA accuracy: how many of ten people gave the same answer."""

from __future__ import annotations

import re
from functools import cache
from typing import ClassVar

from sightline.scoring.scorers import Asked, Mark
from sightline.scoring.scorers.examples import Examples
from sightline.scoring.scorers.texts import EMPTY_REPLY, NO_TRUTH, as_texts, invalid, led_in, said, unparsed

AGREEING = 3
"""So many others must have given an answer for it to earn full marks."""

_MARKS = ';/[]"{}()=+\\_-><@`,?!'
_FULL_STOP = re.compile(r"\.(?!\d)")
_THOUSANDS = re.compile(r"\d,\d")
_ARTICLES = {"a", "an", "the"}
_WORDS = "zero one two three four five six seven eight nine ten"
_NUMBERS = {"none": "0"} | {word: str(number) for number, word in enumerate(_WORDS.split())}
_ENDINGS = {
    "n't": "ai are ca could did does do had has have is might must need ought sha should was were wo would",
    "'ve": "could might must not should they we what where who would you",
    "'re": "there they what why you",
    "'s": "he how somebody someone that there what when where who why",
    "'d": "he how it somebody someone something there they where who you",
    "'ll": "how it somebody someone something they what who why you",
    "n't've": "could had might should would",
    "'d've": "he i it she somebody someone something there they we who you",
}
_ALONE = {"maam": "ma'am", "oclock": "o'clock", "twas": "'twas", "yall": "y'all"}


@cache
def _spelled() -> dict[str, str]:
    """Contractions that lack an apostrophe → with all of them; words that mean something else without it are kept."""
    whole = [stem + ending for ending, stems in _ENDINGS.items() for stem in stems.split()]
    lacking = {
        word[:place] + word[place + 1 :]: word for word in whole for place, letter in enumerate(word) if letter == "'"
    }
    return lacking | _ALONE


def normalised(answer: str) -> str:
    """An answer by the rules of the VQA evaluation: marks, case, number words, articles, apostrophes, in that order.

    A mark that stands beside a space somewhere in the answer is dropped, as are all marks where a comma parts digits;
    any other becomes a space. A full stop is dropped unless a digit follows.
    """
    text = " ".join(answer.split())
    parts_digits = _THOUSANDS.search(text) is not None
    found = text
    for mark in _MARKS:
        if mark in text:
            beside = parts_digits or f"{mark} " in text or f" {mark}" in text
            found = found.replace(mark, "" if beside else " ")
    words = [_NUMBERS.get(word, word) for word in _FULL_STOP.sub("", found).lower().split()]
    return " ".join(_spelled().get(word, word) for word in words if word not in _ARTICLES)


def agreement(matching: int, answers: int) -> float:
    """Mean over all ways to leave one person out of min(others who agree / 3, 1)."""
    left_out = matching * min(matching - 1, AGREEING) + (answers - matching) * min(matching, AGREEING)
    return left_out / (AGREEING * answers)


class VqaAccuracy:
    """The rule of the VQA challenge, over the answers that people gave (ten as a rule).

    Answers are normalised: punctuation, case, number words up to ten, articles, apostrophes of contractions. Each
    person is left out in turn, and the reply earns min(n / 3, 1) where n of the others gave it; the mean counts, so
    that four equal answers mean full marks. With three answers or fewer, one that matches will do. "Answer:" is no
    part of a reply. The challenge's own program does not normalise where all ten answers are equal; this does.
    """

    title: ClassVar[str] = "VQA accuracy"
    accepts: ClassVar[Examples] = (
        (["2"] * 6 + ["3"] * 4, "Two."),
        (["yes"] * 4 + ["no"] * 6, "yes"),
        (["tennis racket"] * 10, "the tennis racket"),
        ("red", "Red"),
    )
    refuses: ClassVar[Examples] = ((["yes"] * 9 + ["no"], "no"), (["2"] * 10, "22"), (["dog"] * 10, "a dog and a cat"))

    def mark(self, reply: str, asked: Asked) -> Mark:
        """What the reply earns."""
        answers = [normalised(text.rstrip("。！？")) for text in as_texts(asked.target)]
        if not answers:
            return invalid(NO_TRUTH)
        text = said(reply)
        if not text:
            return unparsed(EMPTY_REPLY)
        matching = answers.count(normalised((led_in(text) or [text])[-1].rstrip("。！？")))
        score = float(matching > 0) if len(answers) <= AGREEING else agreement(matching, len(answers))
        return Mark(score=score, values={"matching": matching})
