"""METEOR's own way with punctuation, by its own program: hyphens part words, marks stand alone.

Plain words need none of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sightline.scoring.metrics.captions.java import STARTING, JavaAsker, JavaProgram, Unavailable, one_line
from sightline.scoring.metrics.captions.pool import Pool

PROGRAM = JavaProgram(
    name="METEOR's normalizer",
    jar="meteor/meteor-1.5.jar",
    arguments=("edu.cmu.meteor.util.Normalizer", "en", "true"),
    heap="128m",
)
SEPARATOR = "|||"
"""What parts the captions in a request to METEOR's program: the official code takes it out, and so is it here."""
_is_normal = re.compile(r"(?:[a-z0-9]+(?: [a-z0-9]+)*)?").fullmatch
"""Letters, digits and single spaces: no rule of the program applies to them."""


def normalised(texts: Sequence[str]) -> list[str] | Unavailable:
    """The texts as METEOR aligns them, each on one line."""
    whole = list(texts)
    odd = [number for number, text in enumerate(whole) if not _is_normal(text)]
    answers = NORMALIZERS.ask([_clean(whole[number]) for number in odd])
    if isinstance(answers, Unavailable):
        return answers
    for number, answer in zip(odd, answers, strict=True):
        whole[number] = answer
    return whole


def _clean(text: str) -> str:
    return one_line(text).replace(SEPARATOR, "").replace("  ", " ")


class MeteorNormalizer(JavaAsker):
    """Each line anew, by METEOR's own rules."""

    batch = 4096

    def __init__(self, program: JavaProgram = PROGRAM) -> None:
        super().__init__(program)

    def _answers(self, requests: Sequence[str]) -> list[str]:
        return self._lines.exchange(requests, len(requests))

    def _start(self) -> None:
        self._lines.start()
        if self._lines.exchange(["a test-line."], 1, STARTING) != ["a test line ."]:
            raise self._lines.lost("gave lines that don't fit")


NORMALIZERS = Pool(MeteorNormalizer, size=2, worthwhile=20_000)
"""The normalizers of this process, for all of its threads."""
