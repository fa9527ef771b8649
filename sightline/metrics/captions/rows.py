"""BLEU, CIDEr and ROUGE-L over grades: for suites that grade reply by reply.

Texts come from the grades' values: `reply` and `references`, of which the first counts, since the tally takes one. The
figures are those of the COCO caption code over all samples; weights of samples do not enter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import msgspec
import numpy as np

from sightline.columns import Batch, TextColumn
from sightline.metrics.captions.tally import CaptionTally
from sightline.records import ANSWERED, Estimate, Grade, Unit
from sightline.stats.hashing import stable_hash
from sightline.stats.state_checks import checked, fits, require

_AT_ONCE = 4096


class CaptionMetric(ABC):
    """Keeps the texts until the figure is asked for: CIDEr needs all references before the first reply can be scored.

    Grades without references are not about captions and pass by. Failed and invalid samples are counted apart; a reply
    that could not be read, or is empty, counts as an empty text.
    """

    title: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    unit: ClassVar[Unit] = "share"

    def __init__(self) -> None:
        self.unparsed = self.failed = self.invalid = 0
        self._rows: list[tuple[int, str, str]] = []
        self._batches: list[Batch] = []

    @abstractmethod
    def figure(self, tally: CaptionTally) -> Estimate:
        """What is read from the tally over all samples."""

    def add(self, grade: Grade) -> None:
        """Take one grade into account."""
        if grade.state not in ANSWERED:
            self.failed += grade.state == "failed"
            self.invalid += grade.state == "invalid"
            return
        reference = _first(grade.values.get("references"))
        if reference is None:
            return
        self.unparsed += grade.state != "ok"
        reply = grade.values.get("reply") if grade.state == "ok" else ""
        said = reply if isinstance(reply, str) else ""
        self._rows.append((stable_hash(grade.cluster or grade.sample), said, reference))
        if len(self._rows) >= _AT_ONCE:
            self._settle()

    def _settle(self) -> None:
        """Texts as columns take a fraction of the memory."""
        if self._rows:
            clusters, replies, references = zip(*self._rows, strict=True)
            answered = np.ones(len(clusters), np.bool_)
            keys = np.array(clusters, np.uint64)
            self._batches.append(Batch(TextColumn.of(references), TextColumn.of(replies), answered, keys))
            self._rows = []

    def merge(self, other: Self) -> None:
        """Take all that `other` has seen into account."""
        self._batches += other._batches
        self._rows += other._rows
        self.unparsed += other.unparsed
        self.failed += other.failed
        self.invalid += other.invalid
        if len(self._rows) >= _AT_ONCE:
            self._settle()

    def state_dict(self) -> dict[str, Any]:
        """The texts as lists."""
        self._settle()
        counts = {name: getattr(self, name) for name in ("unparsed", "failed", "invalid")}
        sides = [(batch.clusters, batch.reply.strings(), batch.truth.strings()) for batch in self._batches]
        return {**counts, "batches": [list(side) for side in sides]}

    def load_state_dict(self, state: Any) -> None:
        """Take the texts of others. Raises `ValueError` where they are none."""
        found = checked(state, type(self)().state_dict())
        batches = []
        for batch in found.pop("batches"):
            require(type(batch) is list and len(batch) == 3)
            clusters, replies, references = batch
            require(fits(clusters, np.empty(0, np.uint64)))
            for texts in (replies, references):
                require(type(texts) is list and len(texts) == len(clusters), all(type(text) is str for text in texts))
            answered = np.ones(len(clusters), np.bool_)
            batches.append(Batch(TextColumn.of(references), TextColumn.of(replies), answered, clusters))
        for name, value in found.items():
            setattr(self, name, value)
        self._rows, self._batches = [], batches

    def result(self) -> Estimate:
        """The figure so far."""
        self._settle()
        tally = CaptionTally()
        try:
            for batch in self._batches:
                tally.add(batch)
            found = self.figure(tally) if self._batches else Estimate(value=None)
        finally:
            tally.close()
        return msgspec.structs.replace(found, unparsed=self.unparsed, failed=self.failed, invalid=self.invalid)


def _first(references: object) -> str | None:
    """The reference that counts; None where there is no text."""
    if isinstance(references, list | tuple):
        references = references[0] if references else None
    return references if isinstance(references, str) else None


class Bleu(CaptionMetric):
    """BLEU-4 of the corpus."""

    title = "BLEU-4"

    def figure(self, tally: CaptionTally) -> Estimate:
        """From the sums over all samples."""
        return tally.bleu(4)


class Cider(CaptionMetric):
    """Mean CIDEr, by the document frequencies of all references; two samples at least."""

    title = "CIDEr"
    unit = "number"

    def figure(self, tally: CaptionTally) -> Estimate:
        """Mean over samples."""
        return tally.cider()


class RougeL(CaptionMetric):
    """Mean ROUGE-L."""

    title = "ROUGE-L"

    def figure(self, tally: CaptionTally) -> Estimate:
        """Mean over samples."""
        return tally.rouge_l()
