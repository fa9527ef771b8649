"""A sample's own score, for sorting and for the mean over tasks: ROUGE-L over plain words.

It needs no Java, so that it is the same on every machine; the official figures stand beside it where they can be had.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from sightline.data.columns import TextColumn
from sightline.scoring.metrics.captions.score_kernels import compare_order
from sightline.scoring.metrics.captions.words import Words, read_plain, word_keys, woven

_WORD = re.compile(r"[0-9a-z]+|\w")
"""Runs of Latin letters and digits; of every other script single characters."""


def own_scores(replies: TextColumn, truths: TextColumn) -> NDArray[np.float64]:
    """ROUGE-L of each reply, from 0 to 1."""
    mine, theirs = _words(replies), _words(truths)
    rouge = np.zeros(len(replies))
    compare_order((mine.offsets, mine.keys), (theirs.offsets, theirs.keys), word_keys([""]), rouge)
    return np.where(np.diff(theirs.offsets) > 0, rouge, replies.lengths() == truths.lengths())


def _words(texts: TextColumn) -> Words:
    plain, lengths = read_plain(texts)
    others = texts.take(np.flatnonzero(lengths < 0))
    lines = [" ".join(_WORD.findall(text.lower())) for text in others]
    return woven(plain, lines, lengths) if lines else plain
