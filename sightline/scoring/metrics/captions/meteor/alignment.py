"""Pairs of captions to METEOR's columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.scoring.metrics.captions.java import MissingError, Unavailable
from sightline.scoring.metrics.captions.meteor.counts import count_matches
from sightline.scoring.metrics.captions.meteor.formula import COUNTS, Floats, columns
from sightline.scoring.metrics.captions.meteor.lexicon import paraphrases
from sightline.scoring.metrics.captions.normal import normalised

LONGEST = 400
"""Captions of more tokens are not aligned: over thousands of repeated words the search takes minutes, and one looping
reply would cost all others their time."""

_part = re.compile(r"[^ \t\n\r\f]+").findall
"""Words as Java's tokenizer of strings parts them."""


class Aligned(Struct, frozen=True):
    """The columns of each sample, and how many samples have a caption that is too long: they match nothing."""

    columns: Floats
    too_long: int


def align(replies: Sequence[str], references: Sequence[str]) -> Aligned | Unavailable:
    """Align captions that are given as lines of tokens."""
    texts = [text for pair in zip(replies, references, strict=True) for text in pair]
    lengths = np.array([len(text.split()) for text in texts], np.int64).reshape(-1, 2)
    brief = _are_brief(lengths)
    lines = normalised([text for text, is_brief in zip(texts, np.repeat(brief, 2).tolist(), strict=True) if is_brief])
    if isinstance(lines, Unavailable):
        return lines
    words = [_part(line.lower()) for line in lines]
    brief[brief] = still_brief = _are_brief(np.array([len(some) for some in words], np.int64).reshape(-1, 2))
    sides = [[words[2 * row + side] for row in np.flatnonzero(still_brief)] for side in range(2)]
    counts = np.zeros((len(lengths), COUNTS), np.int64)
    counts[:, 0:2] = lengths
    try:
        counts[brief] = count_matches(*sides)
    except MissingError as missing:
        return Unavailable(str(missing))
    return Aligned(columns(counts), int((~brief).sum()))


def _are_brief(lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
    brief: NDArray[np.bool_] = np.all(lengths <= LONGEST, axis=1)
    return brief


def warm_up() -> None:
    """Read the tables in the background: they take seconds."""
    Thread(target=_read_tables, daemon=True).start()


def _read_tables() -> None:
    with suppress(MissingError):  # said when captions are aligned
        paraphrases()
