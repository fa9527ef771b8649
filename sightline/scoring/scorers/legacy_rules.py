"""Plain rules by which older figures were made (`--metric-rules seed`), for comparison alone: easily fooled."""

from __future__ import annotations

from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers import Asked, Mark
from sightline.scoring.scorers.labels import f1
from sightline.scoring.scorers.options import LETTERS
from sightline.scoring.scorers.texts import EMPTY_REPLY, NO_TRUTH, as_texts, invalid, unparsed

SEED_RULES = ("accuracy", "contains", "f1")
NO_SEED_RULE = "there is no plain rule for this metric"
ENOUGH = 0.5
"""A reply whose F1 is larger counts as right."""


def seed_mark(name: str, reply: str, asked: Asked) -> Mark:
    """Full marks or nothing: `accuracy` equal in upper case, `contains` a part of the text, `f1` of word sets > 0.5.

    For `accuracy` with options, the letter of the target's option is right too. Other names have no plain rule.
    """
    truths = [text.strip().upper() for text in as_texts(asked.target)]
    if name not in SEED_RULES:
        return invalid(NO_SEED_RULE)
    if not truths:
        return invalid(NO_TRUTH)
    text = without_thinking(reply).strip().upper()
    if not text:
        return unparsed(EMPTY_REPLY)
    if name == "f1":
        share = _words_f1(text, " ".join(truths))
        return Mark(score=float(share > ENOUGH), values={"f1": share})
    if name == "contains":
        return Mark(score=float(any(truth in text for truth in truths)))
    letters = [
        letter for letter, option in zip(LETTERS, asked.options, strict=False) if str(option).strip().upper() in truths
    ]
    return Mark(score=float(text in truths or text in letters))


def _words_f1(text: str, truth: str) -> float:
    said, true = set(text.replace(",", " ").split()), set(truth.replace(",", " ").split())
    return f1(len(said & true), len(said), len(true)) if said and true else 0.0
