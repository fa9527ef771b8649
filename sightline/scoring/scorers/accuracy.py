"""Exact-match accuracy: of the answer's text, or of the option that the reply names."""

from __future__ import annotations

from typing import ClassVar

from sightline.core.records import Score
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.option_replies import find_named_option
from sightline.scoring.scorers.options import LETTERS
from sightline.scoring.scorers.reply_text import (
    EMPTY_REPLY,
    INVALID_TARGET_TEXT,
    as_texts,
    extract_answer,
    find_prefixed_answers,
    fold,
    invalid,
    strip_punctuation,
    unparsed,
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
            return invalid(INVALID_TARGET_TEXT)
        if not extract_answer(reply):
            return unparsed(EMPTY_REPLY)
        return _mark_option(reply, truths, question.options) if question.options else _mark_text(reply, truths)


def _mark_text(reply: str, truths: set[str]) -> Score:
    text = extract_answer(reply)
    if fold(strip_punctuation(text)) in truths:
        return Score(value=1.0)
    answers = {fold(strip_punctuation(answer)) for answer in find_prefixed_answers(text)}
    if len(answers) > 1:
        return unparsed(SEVERAL_ANSWERS)
    return Score(value=float(bool(answers & truths)))


def _mark_option(reply: str, truths: set[str], options: tuple[str, ...]) -> Score:
    options = tuple(str(option) for option in options[: len(LETTERS)])
    correct = {index for index, option in enumerate(options) if fold(strip_punctuation(option)) in truths}
    if not correct:
        correct = {index for index in range(len(options)) if LETTERS[index].casefold() in truths}
    if not correct:
        return invalid(NOT_AN_OPTION)
    chosen = find_named_option(reply, options)
    if chosen.reason:
        return unparsed(chosen.reason)
    letter = LETTERS[chosen.index] if chosen.index >= 0 else ""
    return Score(value=float(chosen.index in correct), details={"option": letter})
