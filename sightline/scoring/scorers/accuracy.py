"""Right or wrong: the answer's text, or the option that it names."""

from __future__ import annotations

from typing import ClassVar

from sightline.scoring.scorers import Asked, Mark
from sightline.scoring.scorers.examples import Examples
from sightline.scoring.scorers.option_replies import named_option
from sightline.scoring.scorers.options import LETTERS
from sightline.scoring.scorers.texts import (
    EMPTY_REPLY,
    NO_TRUTH,
    as_texts,
    fold,
    invalid,
    led_in,
    said,
    trimmed,
    unparsed,
)

NOT_AN_OPTION = "the truth is none of the options"
SEVERAL_ANSWERS = "the reply gives several answers"

_DIRECTIONS = ("left of the tree", "right of the tree", "above the tree")


class Accuracy:
    """Full marks or nothing.

    Without options: the reply is the target (or one of a list of targets) once case, white space, Unicode's compatible
    forms and the marks around it are folded; alone, or after "Answer:". Two different answers are none. With options:
    the target is the right option's text (or its letter, where no option has that text), and the reply names it by its
    letter or by its text; a letter that is no option is wrong, and two different letters can't be marked.
    """

    title: ClassVar[str] = "Accuracy"
    accepts: ClassVar[Examples] = (
        ("Red", " red. "),
        ("Harbour", "The answer is: **harbour**"),
        (Asked(target="right of the tree", options=_DIRECTIONS), "(b)"),
        (Asked(target="right of the tree", options=_DIRECTIONS), "选B"),
        (Asked(target="right of the tree", options=_DIRECTIONS), "Right of the tree."),
        (Asked(target="right of the tree", options=_DIRECTIONS), "A is wrong.\nAnswer: B"),
    )
    refuses: ClassVar[Examples] = (
        ("red", "dark red"),
        (Asked(target="right of the tree", options=_DIRECTIONS), "A or B"),
        (Asked(target="right of the tree", options=_DIRECTIONS), "F"),
        (Asked(target="right of the tree", options=_DIRECTIONS), "It is not right of the tree"),
    )

    def mark(self, reply: str, asked: Asked) -> Mark:
        """What the reply earns."""
        truths = {fold(trimmed(text)) for text in as_texts(asked.target)}
        if not truths:
            return invalid(NO_TRUTH)
        if not said(reply):
            return unparsed(EMPTY_REPLY)
        return _of_options(reply, truths, asked.options) if asked.options else _of_text(reply, truths)


def _of_text(reply: str, truths: set[str]) -> Mark:
    text = said(reply)
    if fold(trimmed(text)) in truths:
        return Mark(score=1.0)
    answers = {fold(trimmed(part)) for part in led_in(text)}
    if len(answers) > 1:
        return unparsed(SEVERAL_ANSWERS)
    return Mark(score=float(bool(answers & truths)))


def _of_options(reply: str, truths: set[str], options: tuple[str, ...]) -> Mark:
    options = tuple(str(option) for option in options[: len(LETTERS)])
    right = {place for place, option in enumerate(options) if fold(trimmed(option)) in truths}
    if not right:
        right = {place for place in range(len(options)) if LETTERS[place].casefold() in truths}
    if not right:
        return invalid(NOT_AN_OPTION)
    named = named_option(reply, options)
    if named.why:
        return unparsed(named.why)
    letter = LETTERS[named.place] if named.place >= 0 else ""
    return Mark(score=float(named.place in right), values={"option": letter})
