"""OCR scorers: ANLS (normalized Levenshtein similarity) and character error rate (CER)."""

from __future__ import annotations

import unicodedata
from typing import ClassVar

from sightline.core.records import Score
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.edit_distance import edit_distance
from sightline.scoring.scorers.reply_text import (
    EMPTY_REPLY,
    INVALID_TARGET_TEXT,
    as_texts,
    extract_answer,
    fold,
    invalid,
    strip_code_fence,
    unparsed,
)

THRESHOLD = 0.5
"""A normalized distance of this or more scores 0."""


def normalize_spaces(text: str) -> str:
    """Normalize to NFKC and single spaces; case is kept."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def character_error_rate(text: str, truth: str) -> float:
    """Edit distance over the length of the target; above 1 if the text is much too long."""
    return edit_distance(text, truth) / len(truth)


def anls_similarity(text: str, truth: str) -> float:
    """1 − edit distance / length of the longer text; 0 if the normalized distance reaches the threshold."""
    normalized_distance = edit_distance(text, truth) / max(len(text), len(truth), 1)
    return 1 - normalized_distance if normalized_distance < THRESHOLD else 0.0


def _target_texts(question: Question) -> list[str]:
    return [text for text in map(normalize_spaces, as_texts(question.target)) if text]


class Anls:
    """Normalised Levenshtein similarity with the usual threshold of 0.5; the best of several truths counts.

    1 − d / max(lengths), with d Levenshtein's distance; nothing where d is half of the longer text or more. Case and
    white space are folded (NFKC). `cer` beside it is the least character error rate, case kept. A mean over samples is
    ANLS. Of texts that differ over more than 20,000 letters, the rest counts as different.
    """

    title: ClassVar[str] = "ANLS"
    accepts: ClassVar[Examples] = (("STOP", "stop"), (["10 km", "10km"], "10km"), ("出口", "出口"))
    refuses: ClassVar[Examples] = (("STOP", "SHOP"), ("STOP", "The sign says STOP"), ("出口", "入口"))

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        truths = _target_texts(question)
        if not truths:
            return invalid(INVALID_TARGET_TEXT)
        text = normalize_spaces(strip_code_fence(extract_answer(reply)))
        if not text:
            return Score(value=0.0, status="unparsed", message=EMPTY_REPLY, details={"cer": 1.0})
        score = max(anls_similarity(fold(text), fold(truth)) for truth in truths)
        return Score(value=score, details={"cer": min(character_error_rate(text, truth) for truth in truths)})


class CharacterErrors:
    """1 − character error rate, but not below 0; the best of several truths counts.

    The rate is Levenshtein's distance over the letters of the truth; NFKC and white space folded, case kept. Of texts
    that differ over more than 20,000 letters, the rest counts as different.
    """

    title: ClassVar[str] = "1 − character error rate"
    accepts: ClassVar[Examples] = (("Main St", " Main  St"), ("限速 60", "限速 60"))
    refuses: ClassVar[Examples] = (("Main St", "main st"), ("限速 60", "限速 80"))

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        truths = _target_texts(question)
        if not truths:
            return invalid(INVALID_TARGET_TEXT)
        text = normalize_spaces(strip_code_fence(extract_answer(reply)))
        if not text:
            return unparsed(EMPTY_REPLY)
        rate = min(character_error_rate(text, truth) for truth in truths)
        return Score(value=max(0.0, 1 - rate), details={"cer": rate})
