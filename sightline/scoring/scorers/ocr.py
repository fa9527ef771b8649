"""Text read from a picture: ANLS and the character error rate."""

from __future__ import annotations

import unicodedata
from typing import ClassVar

from sightline.scoring.scorers import Asked, Mark
from sightline.scoring.scorers.distance import edit_distance
from sightline.scoring.scorers.examples import Examples
from sightline.scoring.scorers.texts import EMPTY_REPLY, NO_TRUTH, as_texts, fold, invalid, said, unfenced, unparsed

THRESHOLD = 0.5
"""A text that differs in half of its letters or more earns nothing."""


def spaced(text: str) -> str:
    """NFKC and single spaces; the case is kept."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def error_rate(text: str, truth: str) -> float:
    """Letters to change over letters of the truth; above 1 where the text is far too long."""
    return edit_distance(text, truth) / len(truth)


def likeness(text: str, truth: str) -> float:
    """1 − distance / length of the longer text; 0 where the distance is half of it or more."""
    apart = edit_distance(text, truth) / max(len(text), len(truth), 1)
    return 1 - apart if apart < THRESHOLD else 0.0


def _truths(asked: Asked) -> list[str]:
    return [text for text in map(spaced, as_texts(asked.target)) if text]


class Anls:
    """Normalised Levenshtein similarity with the usual threshold of 0.5; the best of several truths counts.

    1 − d / max(lengths), with d Levenshtein's distance; nothing where d is half of the longer text or more. Case and
    white space are folded (NFKC). `cer` beside it is the least character error rate, case kept. A mean over samples is
    ANLS. Of texts that differ over more than 20,000 letters, the rest counts as different.
    """

    title: ClassVar[str] = "ANLS"
    accepts: ClassVar[Examples] = (("STOP", "stop"), (["10 km", "10km"], "10km"), ("出口", "出口"))
    refuses: ClassVar[Examples] = (("STOP", "SHOP"), ("STOP", "The sign says STOP"), ("出口", "入口"))

    def mark(self, reply: str, asked: Asked) -> Mark:
        """What the reply earns."""
        truths = _truths(asked)
        if not truths:
            return invalid(NO_TRUTH)
        text = spaced(unfenced(said(reply)))
        if not text:
            return Mark(score=0.0, state="unparsed", note=EMPTY_REPLY, values={"cer": 1.0})
        score = max(likeness(fold(text), fold(truth)) for truth in truths)
        return Mark(score=score, values={"cer": min(error_rate(text, truth) for truth in truths)})


class CharacterErrors:
    """1 − character error rate, but not below 0; the best of several truths counts.

    The rate is Levenshtein's distance over the letters of the truth; NFKC and white space folded, case kept. Of texts
    that differ over more than 20,000 letters, the rest counts as different.
    """

    title: ClassVar[str] = "1 − character error rate"
    accepts: ClassVar[Examples] = (("Main St", " Main  St"), ("限速 60", "限速 60"))
    refuses: ClassVar[Examples] = (("Main St", "main st"), ("限速 60", "限速 80"))

    def mark(self, reply: str, asked: Asked) -> Mark:
        """What the reply earns."""
        truths = _truths(asked)
        if not truths:
            return invalid(NO_TRUTH)
        text = spaced(unfenced(said(reply)))
        if not text:
            return unparsed(EMPTY_REPLY)
        rate = min(error_rate(text, truth) for truth in truths)
        return Mark(score=max(0.0, 1 - rate), values={"cer": rate})
