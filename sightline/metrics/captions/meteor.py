"""METEOR 1.5 by the official program: it aligns words and says how many match; the formula is applied here.

The counts can be added, and the corpus score comes from their sums, not from the mean of the samples' scores.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.metrics.captions.java import STARTING, JavaAsker, JavaProgram, Unavailable
from sightline.metrics.captions.normal import SEPARATOR, normalised
from sightline.metrics.captions.pool import Pool

Floats = NDArray[np.float64]
PROGRAM = JavaProgram(
    name="METEOR",
    jar="meteor/meteor-1.5.jar",
    arguments=("Meteor", "-", "-", "-stdio", "-l", "en", "-lower"),
    heap="768m",
)
METEOR_COLUMNS = 6
"""Weighted matches of reply and reference, weighted lengths of both, chunks, matched words of both together."""

LONGEST = 400
"""Captions of more tokens are not aligned: over thousands of repeated words the program runs out of memory or takes
minutes, and one looping reply would cost all others their score."""

_PROBE = f"SCORE {SEPARATOR} test {SEPARATOR} test"
_COUNTS = 23
"""Lengths and function words of both sides; matches of both by exact word, stem, synonym and paraphrase, for content
and function words; chunks; matched words of both sides."""
_CHUNKS = 20
_are_counts = re.compile(rf"\d+\.\d+(?: \d+\.\d+){{{_COUNTS - 1}}} *").fullmatch
_ALPHA, _BETA, _GAMMA = 0.85, 0.2, 0.6
_CONTENT, _FUNCTION = 15, 5
"""Content words weigh 0.75, function words 0.25: in twentieths all weights are whole, and sums are exact."""
_MATCHED = np.array([[15, 5], [9, 3], [12, 4], [9, 3]])
"""The same, times 1, 0.6, 0.8 and 0.6 by matcher."""


def meteor(totals: Floats) -> Floats:
    """METEOR of sums of columns, shape (…, 6): a mean that leans to recall, less a penalty for scattered matches."""
    precision, recall = _over(totals[..., 0], totals[..., 2]), _over(totals[..., 1], totals[..., 3])
    mean = _over(precision * recall, _ALPHA * precision + (1 - _ALPHA) * recall)
    scattered = _over(totals[..., 4], totals[..., 5] / 2)
    score: Floats = mean * (1 - _GAMMA * scattered**_BETA)
    return score


def _over(top: Floats, bottom: Floats) -> Floats:
    return np.divide(top, bottom, out=np.zeros(np.shape(top)), where=bottom > 0)


class Aligned(Struct, frozen=True):
    """The columns of each sample, and how many samples have a caption that is too long: they match nothing."""

    columns: Floats
    too_long: int


def align(replies: Sequence[str], references: Sequence[str]) -> Aligned | Unavailable:
    """Align captions that are given as lines of tokens."""
    texts = [text for pair in zip(replies, references, strict=True) for text in pair]
    lengths = np.array([len(text.split()) for text in texts], np.int64).reshape(-1, 2)
    brief: NDArray[np.bool_] = np.all(lengths <= LONGEST, axis=1)
    lines = normalised([text for text, is_brief in zip(texts, np.repeat(brief, 2).tolist(), strict=True) if is_brief])
    if isinstance(lines, Unavailable):
        return lines
    asked = [f"SCORE {SEPARATOR} {theirs} {SEPARATOR} {mine}" for mine, theirs in zip(*[iter(lines)] * 2, strict=True)]
    answers = ALIGNERS.ask(asked)
    if isinstance(answers, Unavailable):
        return answers
    counts = np.zeros((len(lengths), _COUNTS), np.int64)
    counts[:, 0:2] = lengths
    if answers:
        counts[brief] = _counts(answers)
    return Aligned(_columns(counts), len(lengths) - len(asked))


def _columns(counts: NDArray[np.int64]) -> Floats:
    length, function = counts[:, 0:2], counts[:, 2:4]
    # Columns 4…19 are matcher × (content, function) × (reply, reference).
    matched = (_MATCHED[:, :, None] * counts[:, 4:20].reshape(-1, 4, 2, 2)).sum(axis=(1, 2))
    weighted = _CONTENT * (length - function) + _FUNCTION * function
    # Where all words match in one chunk, that chunk is no fault, neither of the sample nor in the corpus.
    whole = (counts[:, 21:23] == length).all(axis=1) & (counts[:, _CHUNKS] == 1)
    chunks = np.where(whole, 0, counts[:, _CHUNKS])
    return np.column_stack((matched, weighted, chunks, counts[:, 21:23].sum(axis=1))).astype(np.float64)


def _counts(answers: Sequence[str]) -> NDArray[np.int64]:
    """The counts in lines that were found to be counts."""
    return np.fromstring(" ".join(answers), sep=" ").astype(np.int64).reshape(-1, _COUNTS)


class MeteorAligner(JavaAsker):
    """The program's counts for each request."""

    batch = 1024

    def __init__(self, program: JavaProgram = PROGRAM) -> None:
        super().__init__(program)

    def _answers(self, requests: Sequence[str]) -> list[str]:
        return self._checked(self._lines.exchange(requests, len(requests)))

    def _start(self) -> None:
        self._lines.start()
        self._checked(self._lines.exchange([_PROBE], 1, STARTING))

    def _checked(self, answers: list[str]) -> list[str]:
        if not all(map(_are_counts, answers)):
            raise self._lines.lost("gave lines that don't fit")
        return answers


ALIGNERS = Pool(MeteorAligner, size=2, worthwhile=200)
"""The METEOR programs of this process, for all of its threads."""


def expect(captions: int) -> None:
    """Start as many programs as so many captions are worth, in the background: they read tables for long."""
    ALIGNERS.warm(_PROBE, captions)
