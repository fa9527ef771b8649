"""Sentence BLEU of a description against several references."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from sightline.scoring.scorers import Asked, Mark
from sightline.scoring.scorers.examples import Examples
from sightline.scoring.scorers.texts import EMPTY_REPLY, NO_TRUTH, as_texts, invalid, led_in, said, tokens, unparsed

ORDERS = 4
EPSILON = 0.1
"""What stands for a count of matches that is zero: the first smoothing of Chen and Cherry (2014)."""
MOST_UNEQUAL = 0.999
"""A reply that equals no reference may share every n-gram with them, but earns no full marks."""

Grams = Counter[tuple[str, ...]]


def sentence_bleu(reply: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """BLEU-4 of one sentence: geometric mean of the clipped precisions times the brevity penalty, smoothed."""
    if not reply:
        return 0.0
    logarithms = 0.0
    for order in range(1, ORDERS + 1):
        matches = _matches(reply, references, order)
        if order == 1 and not matches:
            return 0.0
        logarithms += math.log((matches or EPSILON) / max(1, len(reply) - order + 1))
    nearest = min((abs(len(one) - len(reply)), len(one)) for one in references)[1]
    penalty = min(0.0, 1 - nearest / len(reply))
    return math.exp(logarithms / ORDERS + penalty)


def _matches(reply: Sequence[str], references: Sequence[Sequence[str]], order: int) -> int:
    """How many n-grams of the reply stand in a reference, each at most as often as there."""
    most: Grams = Counter()
    for reference in references:
        most |= Counter(_grams(reference, order))
    found = Counter(gram for gram in _grams(reply, order) if gram in most)
    return (found & most).total()


def _grams(words: Sequence[str], order: int) -> zip[tuple[str, ...]]:
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

    def mark(self, reply: str, asked: Asked) -> Mark:
        """What the reply earns."""
        references = [words for words in map(tokens, as_texts(asked.target)) if words]
        if not references:
            return invalid(NO_TRUTH)
        text = said(reply)
        if not text:
            return unparsed(EMPTY_REPLY)
        words = tokens(text)
        led = [tokens(part) for part in led_in(text)[-1:]]
        if words in references or any(part in references for part in led):
            return Mark(score=1.0)
        return Mark(score=min(MOST_UNEQUAL, sentence_bleu(words, references)))
