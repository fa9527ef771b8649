"""Sentence-level BLEU-4 of a description against several references."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from sightline.core.records import Score
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.reply_text import (
    EMPTY_REPLY,
    INVALID_TARGET_TEXT,
    as_texts,
    extract_answer,
    find_prefixed_answers,
    invalid_score,
    tokenize,
    unparsed_score,
)

MAX_ORDER = 4
EPSILON = 0.1
"""Replaces a match count of zero: smoothing method 1 of Chen and Cherry (2014)."""
MAX_INEXACT_SCORE = 0.999
"""Upper limit for a reply that equals no reference, even if it shares every n-gram with them."""

NGramCounts = Counter[tuple[str, ...]]


def sentence_bleu(reply: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """BLEU-4 of one sentence: geometric mean of the clipped precisions times the brevity penalty, smoothed."""
    if not reply:
        return 0.0
    logarithms = 0.0
    for order in range(1, MAX_ORDER + 1):
        matches = _matches(reply, references, order)
        if order == 1 and not matches:
            return 0.0
        logarithms += math.log((matches or EPSILON) / max(1, len(reply) - order + 1))
    nearest = min((abs(len(reference) - len(reply)), len(reference)) for reference in references)[1]
    penalty = min(0.0, 1 - nearest / len(reply))
    return math.exp(logarithms / MAX_ORDER + penalty)


def _matches(reply: Sequence[str], references: Sequence[Sequence[str]], order: int) -> int:
    """Clipped count of the reply's n-grams that occur in a reference."""
    max_counts: NGramCounts = Counter()
    for reference in references:
        max_counts |= Counter(_ngrams(reference, order))
    counts = Counter(ngram for ngram in _ngrams(reply, order) if ngram in max_counts)
    return (counts & max_counts).total()


def _ngrams(words: Sequence[str], order: int) -> zip[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(order)), strict=False)


class SentenceBleu:
    """Sentence BLEU-4 against one or several references, smoothed, so that brief sentences are not all zero.

    Tokens are folded words and single characters of Chinese; punctuation does not count. Precisions of 1 to 4 words are
    clipped by the reference that has most, the brevity penalty takes the nearest length, and where nothing of an order
    matches, 0.1 stands for the count (the first smoothing of Chen and Cherry); without a common word the score is 0.
    Full marks are for a reply whose tokens equal those of a reference, however brief; any other earns 0.999 at most.
    """

    title: ClassVar[str] = "BLEU-4 of a sentence"
    accepts: ClassVar[Examples] = (
        (["A red circle.", "There is a red circle"], "a red circle"),
        ("两架飞机停在机场", "两架飞机停在机场。"),
    )
    refuses: ClassVar[Examples] = ((["A red circle above a square"], "a red circle"), ("a dog", "two cats"))

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        references = [words for words in map(tokenize, as_texts(question.target)) if words]
        if not references:
            return invalid_score(INVALID_TARGET_TEXT)
        text = extract_answer(reply)
        if not text:
            return unparsed_score(EMPTY_REPLY)
        words = tokenize(text)
        prefixed = [tokenize(answer) for answer in find_prefixed_answers(text)[-1:]]
        if words in references or any(answer in references for answer in prefixed):
            return Score(value=1.0)
        return Score(value=min(MAX_INEXACT_SCORE, sentence_bleu(words, references)))
