"""Legacy scoring rules (`--metric-rules seed`), kept only to compare with older results; they are easily fooled."""

from __future__ import annotations

from sightline.core.records import Score
from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers import Question
from sightline.scoring.scorers.labels import f1
from sightline.scoring.scorers.options import LETTERS
from sightline.scoring.scorers.reply_text import (
    EMPTY_REPLY,
    INVALID_TARGET_TEXT,
    as_texts,
    invalid_score,
    unparsed_score,
)

SEED_RULES = ("accuracy", "contains", "f1")
NO_SEED_RULE = "no legacy rule for this metric"
F1_THRESHOLD = 0.5
"""A reply with a larger F1 counts as correct."""


def apply_seed_rule(name: str, reply: str, question: Question) -> Score:
    """Score 1 or 0: `accuracy` equal in upper case, `contains` a substring, `f1` of word sets > 0.5.

    For `accuracy` with options, the letter of the target's option is right too. Other names have no legacy rule.
    """
    targets = [text.strip().upper() for text in as_texts(question.target)]
    if name not in SEED_RULES:
        return invalid_score(NO_SEED_RULE)
    if not targets:
        return invalid_score(INVALID_TARGET_TEXT)
    text = without_thinking(reply).strip().upper()
    if not text:
        return unparsed_score(EMPTY_REPLY)
    if name == "f1":
        share = _words_f1(text, " ".join(targets))
        return Score(value=float(share > F1_THRESHOLD), details={"f1": share})
    if name == "contains":
        return Score(value=float(any(target in text for target in targets)))
    letters = [
        letter
        for letter, option in zip(LETTERS, question.options, strict=False)
        if str(option).strip().upper() in targets
    ]
    return Score(value=float(text in targets or text in letters))


def _words_f1(text: str, target: str) -> float:
    predicted, expected = set(text.replace(",", " ").split()), set(target.replace(",", " ").split())
    return f1(len(predicted & expected), len(predicted), len(expected)) if predicted and expected else 0.0
