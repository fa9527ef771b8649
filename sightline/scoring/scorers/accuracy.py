"""Accuracy scorers: exact match of text or option, containment, VQA accuracy, success of a multi-turn task."""

from __future__ import annotations

import re
from functools import cache
from typing import ClassVar

from sightline.core.records import Score
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.numbers import NoNumber, as_number
from sightline.scoring.scorers.options import LETTERS, find_named_option
from sightline.scoring.scorers.reply_text import (
    CJK,
    EMPTY_REPLY,
    INVALID_TARGET_TEXT,
    as_texts,
    extract_answer,
    find_prefixed_answers,
    fold,
    invalid_score,
    strip_punctuation,
    unparsed_score,
)

NOT_AN_OPTION = "the truth is none of the options"
SEVERAL_ANSWERS = "the reply gives several answers"

_DIRECTIONS = ("left of the tree", "right of the tree", "above the tree")


class Accuracy:
    """Exact match: 1 or 0.

    Without options: the reply is the target (or one of a list of targets) once case, white space, Unicode's compatible
    forms and the marks around it are folded; alone, or after "Answer:". Two different answers are none. With options:
    the target is the right option's text (or its letter, where no option has that text), and the reply names it by its
    letter or by its text; a letter that is no option is wrong, and two different letters can't be marked.
    """

    title: ClassVar[str] = "Accuracy"
    accepts: ClassVar[Examples] = (
        ("Red", " red. "),
        ("Harbour", "The answer is: **harbour**"),
        (Question(target="right of the tree", options=_DIRECTIONS), "(b)"),
        (Question(target="right of the tree", options=_DIRECTIONS), "选B"),
        (Question(target="right of the tree", options=_DIRECTIONS), "Right of the tree."),
        (Question(target="right of the tree", options=_DIRECTIONS), "A is wrong.\nAnswer: B"),
    )
    refuses: ClassVar[Examples] = (
        ("red", "dark red"),
        (Question(target="right of the tree", options=_DIRECTIONS), "A or B"),
        (Question(target="right of the tree", options=_DIRECTIONS), "F"),
        (Question(target="right of the tree", options=_DIRECTIONS), "It is not right of the tree"),
    )

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        truths = {fold(strip_punctuation(text)) for text in as_texts(question.target)}
        if not truths:
            return invalid_score(INVALID_TARGET_TEXT)
        if not extract_answer(reply):
            return unparsed_score(EMPTY_REPLY)
        return _score_option(reply, truths, question.options) if question.options else _score_text(reply, truths)


def _score_text(reply: str, truths: set[str]) -> Score:
    text = extract_answer(reply)
    if fold(strip_punctuation(text)) in truths:
        return Score(value=1.0)
    answers = {fold(strip_punctuation(answer)) for answer in find_prefixed_answers(text)}
    if len(answers) > 1:
        return unparsed_score(SEVERAL_ANSWERS)
    return Score(value=float(bool(answers & truths)))


def _score_option(reply: str, truths: set[str], options: tuple[str, ...]) -> Score:
    options = tuple(str(option) for option in options[: len(LETTERS)])
    correct = {index for index, option in enumerate(options) if fold(strip_punctuation(option)) in truths}
    if not correct:
        correct = {index for index in range(len(options)) if LETTERS[index].casefold() in truths}
    if not correct:
        return invalid_score(NOT_AN_OPTION)
    chosen = find_named_option(reply, options)
    if chosen.reason:
        return unparsed_score(chosen.reason)
    letter = LETTERS[chosen.index] if chosen.index >= 0 else ""
    return Score(value=float(chosen.index in correct), details={"option": letter})


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
            return invalid_score(INVALID_TARGET_TEXT)
        text = fold(extract_answer(reply))
        if not text:
            return unparsed_score(EMPTY_REPLY)
        return Score(value=float(any(contains_phrase(text, truth) for truth in truths)))


FULL_AGREEMENT = 3
"""Number of other annotators with the same answer from which it scores 1."""

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
            return invalid_score(INVALID_TARGET_TEXT)
        text = extract_answer(reply)
        if not text:
            return unparsed_score(EMPTY_REPLY)
        matching = answers.count(normalize_answer((find_prefixed_answers(text) or [text])[-1].rstrip("。！？")))
        is_few = len(answers) <= FULL_AGREEMENT
        score = float(matching > 0) if is_few else leave_one_out_agreement(matching, len(answers))
        return Score(value=score, details={"matching": matching})


GOAL_UNKNOWN = "whether the goal was reached is not known"


class Success:
    """1 if the goal was reached, else 0.

    The suite says so in the facts: `reached`, and where it counts them `turns` and `best_turns`; from these comes
    `efficiency`, the best number of turns over the number that was needed. Target and reply are ignored.
    """

    title: ClassVar[str] = "Success"
    accepts: ClassVar[Examples] = (
        (Question(target=None, metadata={"reached": True, "turns": 4, "best_turns": 3}), "up"),
    )
    refuses: ClassVar[Examples] = (
        (Question(target=None, metadata={"reached": False, "turns": 9, "best_turns": 3}), "up"),
    )

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply by the outcome that the suite reports in the facts."""
        reached = question.metadata.get("reached")
        if not isinstance(reached, bool):
            return invalid_score(GOAL_UNKNOWN)
        turns, best = as_number(question.metadata.get("turns")), as_number(question.metadata.get("best_turns"))
        values: dict[str, float] = {}
        if not isinstance(turns, NoNumber):
            values["turns"] = turns.value
            if not isinstance(best, NoNumber) and turns.value >= best.value > 0:
                values["efficiency"] = best.value / turns.value if reached else 0.0
        return Score(value=float(reached), details=values)
