"""Counts and scores by METEOR's own program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.scoring.metrics.java_programs import MeteorProgram


def request(reply: str, references: Sequence[str]) -> str:
    """As the official code asks for one sample."""
    return " ||| ".join(["SCORE", *references, reply])


def counts_by(official: MeteorProgram, replies: Sequence[str], references: Sequence[str]) -> NDArray[np.int64]:
    """The program's counts of each pair."""
    answers = [official.ask(request(mine, [theirs]))[0] for mine, theirs in zip(replies, references, strict=True)]
    return np.array([[float(word) for word in line.split()] for line in answers]).astype(np.int64)


def scores_by(official: MeteorProgram, replies: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
    """The samples' scores and the corpus score, asked as the official code asks."""
    counts = [official.ask(request(mine, theirs))[0] for mine, theirs in zip(replies, references, strict=True)]
    return [float(line) for line in official.ask(" ||| ".join(["EVAL", *counts]), len(counts) + 1)]
