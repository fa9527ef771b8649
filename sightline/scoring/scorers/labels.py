"""F1 score of label multisets or words."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, ClassVar

import msgspec

from sightline.core.records import Score
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.reply_text import (
    EMPTY_REPLY,
    INVALID_TARGET_TEXT,
    as_text,
    as_texts,
    extract_answer,
    find_prefixed_answers,
    fold,
    invalid_score,
    strip_code_fence,
    strip_punctuation,
    tokenize,
    unparsed_score,
)

NO_LABEL = "the reply contains no label"

_SEPARATOR = re.compile(r"[,，、;；\n\r]")
_BULLET = re.compile(r"\s*(?:[-*•·+]\s+|\(?\d{1,3}[.)、](?!\d)\s*)")
_AND = re.compile(r"(?:and|or|以及|和)\s+|以及", re.IGNORECASE)
_NOTHING = {"none", "nothing", "no objects", "n/a", "无", "没有", "[]"}


def f1(correct: int, predicted: int, expected: int) -> float:
    """F1, the harmonic mean of precision and recall, from counts; exactly 1 where everything is correct."""
    total = predicted + expected
    return 2 * correct / total if total else 1.0


def split_labels(text: str) -> list[str]:
    """Split a textual list into folded labels, without bullets, line numbers, headings and a final "and"."""
    labels = []
    for item in _SEPARATOR.split(text):
        bullet = _BULLET.match(item)
        label = item[bullet.end() :] if bullet else item
        if label.rstrip("* \t").endswith((":", "：")):
            continue
        label = fold(strip_punctuation(label))
        conjunction = _AND.match(label)
        if label := strip_punctuation(label[conjunction.end() :] if conjunction else label):
            labels.append(label)
    return labels


def read_labels(reply: str) -> list[str] | None:
    """Read the labels of a reply, which may be a JSON list; None if there are none."""
    text = strip_code_fence(extract_answer(reply))
    if text.startswith("["):
        labels = _json_labels(text)
        if labels is not None:
            return labels
    if fold(strip_punctuation(text)) in _NOTHING:
        return []
    answers = find_prefixed_answers(text)
    return split_labels(answers[-1] if answers else text) or None


def _json_labels(text: str) -> list[str] | None:
    try:
        values: Any = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return None
    labels = [as_text(value) for value in values] if isinstance(values, list) else [None]
    return [fold(label) for label in labels if label is not None] if None not in labels else None


class LabelF1:
    """F1 of label multisets: each label counts as often as it occurs.

    The target is a list of labels, or a text of labels. Labels are parted by commas, semicolons, 、 or line breaks, and
    compared with case and white space folded; a reply may also be a JSON list. Where the target is a text without any
    such mark, words are compared (single characters in Chinese) in place of labels. An empty list wants "none".
    """

    title: ClassVar[str] = "F1"
    accepts: ClassVar[Examples] = (
        (["red circle", "blue square"], "Blue square, red circle"),
        (["cat", "cat", "dog"], "1. cat\n2. dog\n3. cat"),
        ("猫、狗", "狗，猫"),
        ([], "none"),
    )
    refuses: ClassVar[Examples] = (
        (["red circle", "blue square"], "red circle"),
        (["cat", "cat", "dog"], "cat, dog"),
        (["circle"], "red circle"),
    )

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        target = question.target
        texts = as_texts(target)
        if not texts and target != []:
            return invalid_score(INVALID_TARGET_TEXT)
        if not extract_answer(reply):
            return unparsed_score(EMPTY_REPLY)
        labels: list[str] | None
        if isinstance(target, str) and not _SEPARATOR.search(target.strip()):
            text = extract_answer(reply)
            expected, labels = tokenize(target), tokenize((find_prefixed_answers(text) or [text])[-1])
        else:
            expected = (
                split_labels(target) if isinstance(target, str) else [fold(strip_punctuation(text)) for text in texts]
            )
            labels = read_labels(reply)
        if labels is None or (isinstance(target, str) and not expected):
            return unparsed_score(NO_LABEL) if labels is None else invalid_score(INVALID_TARGET_TEXT)
        return _score_labels(Counter(labels), Counter(expected))


def _score_labels(labels: Counter[str], expected: Counter[str]) -> Score:
    correct = (labels & expected).total()
    values = {
        "precision": correct / labels.total() if labels else float(not expected),
        "recall": correct / expected.total() if expected else float(not labels),
    }
    return Score(value=f1(correct, labels.total(), expected.total()), details=values)
