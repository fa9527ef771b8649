"""Parsers and metrics as users write them, good and bad; they lie in a module because workers import it."""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.core.records import Estimate, Grade, Parsed, Unparsed
from sightline.data.columns import Batch
from sightline.scoring.metrics.state import ColumnState, Metric, Values

VALUES = {
    "nan": float("nan"),
    "endless": float("inf"),
    "large": 7.5,
    "negative": -1,
    "text": "0.5",
    "nothing": None,
    "list": [1.0],
    "rounded": np.float32(1) + np.float32(2e-7),
    "true": True,
}


def word(text: str) -> Any:
    """A parser that reads one word, fails on one, and returns rubbish for another."""
    if text == "poison":
        raise ValueError("boom\nand more")
    if text == "bare":
        return 5
    return Parsed(text) if text else Unparsed("nothing said")


def value(truth: str, reply: str) -> Any:
    """What the reply names"""
    return VALUES[reply] if reply in VALUES else float(truth == reply)


def failing(truth: str, reply: str) -> float:
    """Fails on one word"""
    if reply == "trap":
        raise RuntimeError("oops")
    return 1.0


class Right:
    """A metric over grades that fails in many ways, by the words that it is given."""

    title = "Right"
    higher_is_better = True

    def __init__(self) -> None:
        self.right = self.all = 0
        self.words: set[str] = set()

    def add(self, grade: Grade) -> None:
        """Fails on one word, when it has counted it already."""
        self.all += 1
        self.right += grade.score == 1
        self.words.add(grade.values["predicted"])
        if grade.values["predicted"] == "trap":
            raise RuntimeError("oops")

    def merge(self, other: Right) -> None:
        """Fails where a word says so."""
        if "unmergeable" in other.words:
            raise RuntimeError("no merging")
        self.right, self.all, self.words = self.right + other.right, self.all + other.all, self.words | other.words

    def result(self) -> Any:
        """Fails where a word says so."""
        if "resultless" in self.words:
            raise RuntimeError("no result")
        if "no number" in self.words:
            return Estimate(value=float("nan"), n=self.all)
        return 0.5 if "bare result" in self.words else Estimate(value=self.right / self.all, n=self.all)


class Batches(ColumnState):
    """A state of the user's own, over columns: the mean of what an option says."""

    def __init__(self, context: Any = None) -> None:
        super().__init__(context)
        self.samples = 0

    def count(self, batch: Batch) -> Values:
        """Count samples."""
        self.samples += len(batch)
        return {"full": np.full(len(batch), float(self.context.options.get("full", 100)))}

    def merge(self, other: Batches) -> None:
        """Add them up."""
        self.samples += other.samples

    def mean(self) -> Estimate:
        """What the option says."""
        return Estimate(value=float(self.context.options.get("full", 100)), n=self.samples)


option_mean = Metric(name="option_mean", title="Option", state=Batches, compute=Batches.mean)


class Hoarder:
    """A metric over grades that keeps them all as they are, which no codec can save."""

    def __init__(self) -> None:
        self.grades: list[Grade] = []

    def add(self, grade: Grade) -> None:
        """Keep it."""
        self.grades.append(grade)

    def merge(self, other: Hoarder) -> None:
        """Keep all."""
        self.grades += other.grades

    def result(self) -> Estimate:
        """The mean."""
        return Estimate(value=sum(grade.score for grade in self.grades) / len(self.grades), n=len(self.grades))
