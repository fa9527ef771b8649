"""The figures of labels by name."""

from __future__ import annotations

from sightline.metrics.labels import statistics
from sightline.metrics.labels.tally import LabelTally
from sightline.metrics.tally import Figure
from sightline.stats.intervals import Statistic


def _figure(name: str, title: str, statistic: Statistic) -> Figure:
    return Figure(name=name, title=title, tally=LabelTally, read=lambda tally: tally.estimate(statistic))


MACRO_F1 = _figure("macro_f1", "Macro F1", statistics.macro(statistics.f1s))
MACRO_RECALL = _figure("macro_recall", "Macro recall", statistics.macro(statistics.recalls))
MACRO_PRECISION = _figure("macro_precision", "Macro precision", statistics.macro(statistics.precisions))
MICRO_F1 = _figure("micro_f1", "Micro F1", statistics.micro_f1)
KAPPA = Figure(name="kappa", title="Cohen's kappa", tally=LabelTally, read=lambda tally: tally.kappa(), unit="number")
