"""What must be known of all references before a caption can be graded: their words, and how rare each n-gram is."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from sightline.data.columns import TextColumn
from sightline.scoring.metrics.state import Survey
from sightline.stats.state_checks import checked, require

if TYPE_CHECKING:
    from sightline.scoring.metrics.captions.corpus import Block, Frequencies
    from sightline.scoring.metrics.captions.words import Words

_counting = threading.Lock()


class CaptionSurvey(Survey):
    """The references of a corpus, batch by batch. One thread adds; finished, it may be read by many."""

    def __init__(self) -> None:
        self.why = ""
        """Why the references could not all be read."""
        self.plain = 0
        self.by_java = 0
        """How many captions were read here and by Java."""
        self.needing_java = 0
        """How many captions Java should have read."""
        self._blocks: dict[int, Block] = {}
        self._frequencies: Frequencies | None = None

    def add(self, truth: TextColumn, key: int = -1) -> None:
        """Take the references of the batch number `key`."""
        from sightline.scoring.metrics.captions.corpus import pack
        from sightline.scoring.metrics.captions.words import NeedsJava, count_needing_java, tokenise

        if self.why:
            self.needing_java += count_needing_java(truth)
            return
        tokens = tokenise(truth)
        if isinstance(tokens, NeedsJava):
            self.why, self.needing_java = tokens.why, self.needing_java + tokens.texts
            return
        self.by_java += tokens.words.by_java
        self.plain += len(truth) - tokens.words.by_java
        self._put(key, pack(tokens.words))

    def merge(self, other: CaptionSurvey) -> None:
        """Take all that `other` has seen."""
        self.why = self.why or other.why
        self.plain += other.plain
        self.by_java += other.by_java
        self.needing_java += other.needing_java
        for key, block in other._blocks.items():
            self._put(key, block)

    def state_dict(self) -> dict[str, Any]:
        """The references as values and arrays."""
        blocks = [
            [key, block.offsets, block.ids, block.vocabulary, block.spaced] for key, block in self._blocks.items()
        ]
        counts = {name: getattr(self, name) for name in ("why", "plain", "by_java", "needing_java")}
        return {**counts, "blocks": blocks}

    def load_state_dict(self, state: Any) -> None:
        """Take the references of others. Raises `ValueError` where they are none.

        Kernels read these arrays without looking at bounds, so that all are looked at here.
        """
        from sightline.scoring.metrics.captions.corpus import checked_block

        found = checked(state, CaptionSurvey().state_dict())
        blocks = {}
        for entry in found.pop("blocks"):
            require(type(entry) is list and len(entry) == 5 and type(entry[0]) is int)
            blocks[entry[0]] = checked_block(*entry[1:])
        for name, value in found.items():
            setattr(self, name, value)
        self._blocks, self._frequencies = blocks, None

    def _put(self, key: int, block: Block) -> None:
        if key < 0:
            key = min((*self._blocks, 0)) - 1
        self._blocks[key] = block
        self._frequencies = None

    @property
    def samples(self) -> int:
        """How many references there are."""
        return sum(map(len, self._blocks.values()))

    def words(self, key: int, samples: int) -> Words | None:
        """The references' words of a batch, where it was surveyed."""
        block = self._blocks.get(key) if key >= 0 else None
        return block.words() if block is not None and len(block) == samples else None

    def frequencies(self) -> Frequencies:
        """In how many references each n-gram occurs; counted when first asked for."""
        from sightline.scoring.metrics.captions.corpus import count_documents

        with _counting:
            if self._frequencies is None:
                self._frequencies = count_documents(list(self._blocks.values()))
            return self._frequencies
