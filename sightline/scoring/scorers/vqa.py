"""VQA accuracy: agreement with the answers of ten annotators."""

from __future__ import annotations

import re
from functools import cache
from typing import ClassVar

from sightline.core.records import Score
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.reply_text import (
    EMPTY_REPLY,
    INVALID_TARGET_TEXT,
    as_texts,
    extract_answer,
    find_prefixed_answers,
    invalid,
    unparsed,
)

FULL_AGREEMENT = 3
"""An answer scores 1 if so many other annotators gave it."""

_PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'
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
_IRREGULAR_CONTRACTIONS = {"maam": "ma'am", "oclock": "o'clock", "twas": "'twas", "yall": "y'all"}


@cache
def _contractions() -> dict[str, str]:
    """Map contractions that lack an apostrophe to their full spelling."""
    contractions = [stem + ending for ending, stems in _ENDINGS.items() for stem in stems.split()]
    without_apostrophe = {
        word[:index] + word[index + 1 :]: word
        for word in contractions
        for index, letter in enumerate(word)
        if letter == "'"
    }
    return without_apostrophe | _IRREGULAR_CONTRACTIONS


def normalize_answer(answer: str) -> str:
    """Normalize an answer by the VQA rules: punctuation, case, number words, articles, apostrophes, in that order.

    A mark that stands beside a space somewhere in the answer is dropped, as are all marks where a comma parts digits;
    any other becomes a space. A full stop is dropped unless a digit follows.
    """
    text = " ".join(answer.split())
    has_thousands_comma = _THOUSANDS.search(text) is not None
    cleaned = text
    for punctuation in _PUNCTUATION:
        if punctuation in text:
            is_dropped = has_thousands_comma or f"{punctuation} " in text or f" {punctuation}" in text
            cleaned = cleaned.replace(punctuation, "" if is_dropped else " ")
    words = [_NUMBERS.get(word, word) for word in _FULL_STOP.sub("", cleaned).lower().split()]
    return " ".join(_contractions().get(word, word) for word in words if word not in _ARTICLES)


def leave_one_out_agreement(matching: int, answers: int) -> float:
    """Mean of min(agreeing others / 3, 1) over all ways to leave one annotator out."""
    total = matching * min(matching - 1, FULL_AGREEMENT) + (answers - matching) * min(matching, FULL_AGREEMENT)
    return total / (FULL_AGREEMENT * answers)


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

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        answers = [normalize_answer(text.rstrip("。！？")) for text in as_texts(question.target)]
        if not answers:
            return invalid(INVALID_TARGET_TEXT)
        text = extract_answer(reply)
        if not text:
            return unparsed(EMPTY_REPLY)
        matching = answers.count(normalize_answer((find_prefixed_answers(text) or [text])[-1].rstrip("。！？")))
        score = (
            float(matching > 0) if len(answers) <= FULL_AGREEMENT else leave_one_out_agreement(matching, len(answers))
        )
        return Score(value=score, details={"matching": matching})
