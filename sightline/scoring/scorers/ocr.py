"""OCR scorers: ANLS (normalized Levenshtein similarity) and character error rate (CER)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import ClassVar

from sightline.core.records import Score
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.reply_text import (
    EMPTY_REPLY,
    INVALID_TARGET_TEXT,
    as_texts,
    extract_answer,
    fold,
    invalid_score,
    strip_code_fence,
    unparsed_score,
)

MAX_COMPARED_LENGTH = 20_000
"""Longer texts are compared up to here, and what follows counts as changed: never less than the true distance."""


def edit_distance(first: str, second: str) -> int:
    """Levenshtein distance: exact up to `MAX_COMPARED_LENGTH` characters beside a common prefix and suffix.

    Of longer texts, the first `MAX_COMPARED_LENGTH` characters after the common prefix are compared and all the rest
    counts as changed, so that the time is bounded and the distance is never too small.
    """
    first, second = _strip_common_ends(first, second)
    if len(first) > len(second):
        first, second = second, first
    rest = max(len(first) - MAX_COMPARED_LENGTH, len(second) - MAX_COMPARED_LENGTH, 0)
    return _bit_parallel_distance(first[:MAX_COMPARED_LENGTH], second[:MAX_COMPARED_LENGTH]) + rest


def _strip_common_ends(first: str, second: str) -> tuple[str, str]:
    """Remove the common prefix and suffix of two texts."""
    start = _bisect_largest(lambda size: first[:size] == second[:size], min(len(first), len(second)))
    first, second = first[start:], second[start:]
    end = _bisect_largest(lambda size: not size or first[-size:] == second[-size:], min(len(first), len(second)))
    return first[: len(first) - end], second[: len(second) - end]


def _bisect_largest(predicate: Callable[[int], bool], most: int) -> int:
    """Binary search for the largest size that satisfies a monotone predicate."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if predicate(middle) else (low, middle - 1)
    return low


def _bit_parallel_distance(pattern: str, text: str) -> int:
    """Bit-parallel algorithm of Myers and Hyyrö: two integers hold a column's increases and decreases."""
    if not pattern:
        return len(text)
    positions: dict[str, int] = {}
    for index, letter in enumerate(pattern):
        positions[letter] = positions.get(letter, 0) | 1 << index
    mask, last = (1 << len(pattern)) - 1, 1 << (len(pattern) - 1)
    increases, decreases, distance = mask, 0, len(pattern)
    for letter in text:
        equal = positions.get(letter, 0)
        level = (((equal & increases) + increases) ^ increases) | equal | decreases
        up = decreases | (mask & ~(level | increases))
        down = increases & level
        if up & last:
            distance += 1
        elif down & last:
            distance -= 1
        up = (up << 1 | 1) & mask
        down = down << 1 & mask
        increases = down | (mask & ~(level | up))
        decreases = up & level
    return distance


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
            return invalid_score(INVALID_TARGET_TEXT)
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
            return invalid_score(INVALID_TARGET_TEXT)
        text = normalize_spaces(strip_code_fence(extract_answer(reply)))
        if not text:
            return unparsed_score(EMPTY_REPLY)
        rate = min(character_error_rate(text, truth) for truth in truths)
        return Score(value=max(0.0, 1 - rate), details={"cer": rate})
