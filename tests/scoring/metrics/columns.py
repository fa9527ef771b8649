"""Batches for the laws that every state owes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sightline.data.columns import Batch, TextColumn
from sightline.scoring.metrics.state import ColumnState, MetricContext
from sightline.scoring.parsers.base import ColumnParser

Sample = tuple[str, str, int]
"""The text of the truth, the text of the reply, the cluster."""


def batch_of(parser: ColumnParser, samples: Sequence[Sample]) -> Batch:
    """The samples read."""
    truth = parser.read(TextColumn.of(sample[0] for sample in samples))
    reply = parser.read(TextColumn.of(sample[1] for sample in samples))
    assert not truth.errors.any()
    clusters = np.array([sample[2] for sample in samples], np.uint64)
    return Batch(truth.values, reply.values, reply.errors == 0, clusters)


def fitted(kind: type[ColumnState], parser: ColumnParser, samples: Sequence[Sample]) -> MetricContext:
    """A context with the statistics of all truths."""
    if kind.statistics_type is None:
        return MetricContext()
    statistics: Any = kind.statistics_type()
    statistics.add(batch_of(parser, samples).truth, 0)
    return MetricContext(target_statistics=statistics)


def tallied(
    kind: type[ColumnState], parser: ColumnParser, samples: Sequence[Sample], context: MetricContext | None = None
) -> ColumnState:
    """One state over all samples in one batch."""
    state = kind(context)
    state.count(batch_of(parser, samples))
    return state


def check_laws(
    kind: type[ColumnState], parser: ColumnParser, samples: list[Sample], told: Callable[[Any], Any], seed: int
) -> None:
    """Any order, any split into batches and any merge give the same, with target statistics and without."""
    chance = random.Random(seed)
    for context in (fitted(kind, parser, samples), MetricContext()):
        whole = told(tallied(kind, parser, samples, context))
        mixed = list(samples)
        chance.shuffle(mixed)
        cuts = sorted(chance.randrange(len(mixed) + 1) for _ in range(3))
        parts = [mixed[a:b] for a, b in zip([0, *cuts], [*cuts, len(mixed)], strict=True)]
        folded, left, right = kind(context), kind(context), kind(context)
        for number, part in enumerate(parts):
            batch = batch_of(parser, part)
            folded.count(batch)
            (left if number % 2 else right).count(batch)
        assert told(folded) == whole
        left.merge(right)
        assert told(left) == whole
