"""F1 of labels or words."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, ClassVar

import msgspec

from sightline.scoring.scorers import Asked, Mark
from sightline.scoring.scorers.examples import Examples
from sightline.scoring.scorers.texts import (
    EMPTY_REPLY,
    NO_TRUTH,
    as_text,
    as_texts,
    fold,
    invalid,
    led_in,
    said,
    tokens,
    trimmed,
    unfenced,
    unparsed,
)

NO_LABEL = "the reply holds no label"

_SEPARATOR = re.compile(r"[,，、;；\n\r]")
_BULLET = re.compile(r"\s*(?:[-*•·+]\s+|\(?\d{1,3}[.)、](?!\d)\s*)")
_AND = re.compile(r"(?:and|or|以及|和)\s+|以及", re.IGNORECASE)
_NOTHING = {"none", "nothing", "no objects", "n/a", "无", "没有", "[]"}


def f1(right: int, said_count: int, true_count: int) -> float:
    """The harmonic mean of precision and recall, from counts; exactly 1 where all is right."""
    total = said_count + true_count
    return 2 * right / total if total else 1.0


def split_labels(text: str) -> list[str]:
    """Folded labels of a list in words: bullets and numbers of the lines, headings and a last "and" are no part."""
    found = []
    for part in _SEPARATOR.split(text):
        bullet = _BULLET.match(part)
        label = part[bullet.end() :] if bullet else part
        if label.rstrip("* \t").endswith((":", "：")):
            continue
        label = fold(trimmed(label))
        joined = _AND.match(label)
        if label := trimmed(label[joined.end() :] if joined else label):
            found.append(label)
    return found


def read_labels(reply: str) -> list[str] | None:
    """The labels of a reply, which may be a JSON list; None where there are none."""
    text = unfenced(said(reply))
    if text.startswith("["):
        labels = _json_labels(text)
        if labels is not None:
            return labels
    if fold(trimmed(text)) in _NOTHING:
        return []
    answers = led_in(text)
    return split_labels(answers[-1] if answers else text) or None


def _json_labels(text: str) -> list[str] | None:
    try:
        values: Any = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return None
    labels = [as_text(value) for value in values] if isinstance(values, list) else [None]
    return [fold(label) for label in labels if label is not None] if None not in labels else None


class LabelF1:
    """F1 of the labels, counted as often as they stand (a multiset); score = F1.

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

    def mark(self, reply: str, asked: Asked) -> Mark:
        """What the reply earns."""
        target = asked.target
        texts = as_texts(target)
        if not texts and target != []:
            return invalid(NO_TRUTH)
        if not said(reply):
            return unparsed(EMPTY_REPLY)
        found: list[str] | None
        if isinstance(target, str) and not _SEPARATOR.search(target.strip()):
            text = said(reply)
            truths, found = tokens(target), tokens((led_in(text) or [text])[-1])
        else:
            truths = split_labels(target) if isinstance(target, str) else [fold(trimmed(text)) for text in texts]
            found = read_labels(reply)
        if found is None or (isinstance(target, str) and not truths):
            return unparsed(NO_LABEL) if found is None else invalid(NO_TRUTH)
        return _compared(Counter(found), Counter(truths))


def _compared(found: Counter[str], truths: Counter[str]) -> Mark:
    right = (found & truths).total()
    values = {
        "precision": right / found.total() if found else float(not truths),
        "recall": right / truths.total() if truths else float(not found),
    }
    return Mark(score=f1(right, found.total(), truths.total()), values=values)
