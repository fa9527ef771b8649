"""The figures of labels for plain lists: a text or a set of texts a sample; None for a reply that was not read."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from sightline.data.columns import Batch, Labels
from sightline.scoring.metrics.labels.metrics import KAPPA, MACRO_F1, MACRO_PRECISION, MACRO_RECALL, MICRO_F1
from sightline.scoring.metrics.labels.state import LabelState
from sightline.scoring.metrics.state import Metric
from sightline.scoring.parsers.columns.label_hash import label_code

Given = str | Collection[str] | None


def calculate_macro_f1(truths: Sequence[Given], predictions: Sequence[Given]) -> float | None:
    """Mean over the true classes of their F1."""
    return _value(MACRO_F1, truths, predictions)


def calculate_macro_recall(truths: Sequence[Given], predictions: Sequence[Given]) -> float | None:
    """Mean over the true classes of their recall."""
    return _value(MACRO_RECALL, truths, predictions)


def calculate_macro_precision(truths: Sequence[Given], predictions: Sequence[Given]) -> float | None:
    """Mean over the true classes of their precision."""
    return _value(MACRO_PRECISION, truths, predictions)


def calculate_micro_f1(truths: Sequence[Given], predictions: Sequence[Given]) -> float | None:
    """F1 of the counts of all true classes together."""
    return _value(MICRO_F1, truths, predictions)


def calculate_kappa(truths: Sequence[str], predictions: Sequence[str | None]) -> float | None:
    """Cohen's kappa of single labels."""
    return _value(KAPPA, truths, predictions)


def _value(figure: Metric, truths: Sequence[Given], predictions: Sequence[Given]) -> float | None:
    state = LabelState()
    read = np.array([given is not None for given in predictions], np.bool_)
    state.count(Batch(_column(truths), _column(predictions), read, np.arange(len(truths), dtype=np.uint64)))
    return figure.compute(state).value


def _column(values: Sequence[Given]) -> Labels:
    sets = [{one} if isinstance(one, str) else set(one or ()) for one in values]
    codes = [sorted(map(label_code, one)) for one in sets]
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum([len(one) for one in codes], dtype=np.int64)))
    flat = np.array([code for one in codes for code in one], np.uint64)
    return Labels(offsets, flat, {label_code(name): name for one in sets for name in one})
