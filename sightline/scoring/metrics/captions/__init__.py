"""Caption metrics that equal the COCO caption code: CIDEr, ROUGE-L, BLEU and METEOR.

The functions `calculate_…` take a list of replies, and for each of them a reference or a list of references.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sightline.core.errors import UsageError
from sightline.core.records import Estimate
from sightline.data.columns import Batch, TextColumn, make_references
from sightline.scoring.metrics.captions.state import CaptionState, CaptionTargetStatistics
from sightline.scoring.metrics.state import MetricContext

__all__ = [
    "CaptionState",
    "CaptionTargetStatistics",
    "calculate_caption_bleu",
    "calculate_caption_cider",
    "calculate_caption_meteor",
    "calculate_caption_rouge_l",
]

References = Sequence[str] | Sequence[Sequence[str]]


def calculate_caption_cider(references: References, replies: Sequence[str]) -> float | None:
    """CIDEr of the replies, 0 to 10; None with fewer than two samples."""
    return _figure(references, replies, CaptionState.cider)


def calculate_caption_rouge_l(references: References, replies: Sequence[str]) -> float | None:
    """Mean ROUGE-L of the replies; None where there are none."""
    return _figure(references, replies, CaptionState.rouge_l)


def calculate_caption_bleu(references: References, replies: Sequence[str], n: int = 4) -> float | None:
    """BLEU-n of the replies as one corpus, n from 1 to 4; None where there are none."""
    if n not in (1, 2, 3, 4):
        raise UsageError("BLEU is for n from 1 to 4, not {n}.", n=n)
    return _figure(references, replies, lambda state: state.bleu(n))


def calculate_caption_meteor(references: References, replies: Sequence[str]) -> float | None:
    """METEOR of the replies as one corpus; None where there are none."""
    return _figure(references, replies, CaptionState.meteor, frozenset({"meteor"}))


def _figure(
    references: References,
    replies: Sequence[str],
    read: Callable[[CaptionState], Estimate],
    wanted: frozenset[str] = frozenset(),
) -> float | None:
    truths = _read_references(references, replies)
    batch = Batch(
        truth=make_references(truths),
        reply=TextColumn.of(replies),
        answered=np.ones(len(truths), bool),
        clusters=np.zeros(len(truths), np.uint64),
    )
    state = CaptionState(MetricContext(metric_names=wanted))
    state.count(batch)
    estimate = read(state)
    if str(estimate.reason).startswith("unavailable"):
        raise UsageError(str(estimate.reason))
    return estimate.value


def _read_references(references: References, replies: Sequence[str]) -> list[list[str]]:
    """The references of each sample."""
    if isinstance(references, str) or isinstance(replies, str):
        raise UsageError("Give lists of texts, not a single text.")
    if len(references) != len(replies):
        raise UsageError(
            "There are {references} references for {replies} replies.", references=len(references), replies=len(replies)
        )
    for place, texts in enumerate(references):
        if not texts and not isinstance(texts, str):
            raise UsageError("Sample {place} has no references.", place=place)
    return [[texts] if isinstance(texts, str) else list(texts) for texts in references]
