"""The official METEOR program, as the official code talks to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sightline.scoring.metrics.captions.java import START_TIMEOUT, JavaProcess, JavaProgram
from sightline.scoring.metrics.captions.meteor_lexicon import JAR


def running_meteor(*options: str) -> Iterator[JavaProcess]:
    """Started, and ended when the caller has done."""
    arguments = ("Meteor", "-", "-", "-stdio", "-l", "en", *options)
    lines = JavaProcess(JavaProgram("METEOR", JAR, arguments, heap="1g", timeout=120))
    lines.start()
    lines.exchange(["SCORE ||| test ||| test"], 1, START_TIMEOUT)
    yield lines
    lines.close()


def counts_by(official: JavaProcess, replies: Sequence[str], references: Sequence[str]) -> NDArray[np.int64]:
    """The program's counts of each pair."""
    asked = [f"SCORE ||| {theirs} ||| {mine}" for mine, theirs in zip(replies, references, strict=True)]
    answers = official.exchange(asked, len(asked))
    return np.array([[float(word) for word in line.split()] for line in answers]).astype(np.int64)
