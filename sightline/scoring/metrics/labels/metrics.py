"""The metrics of labels, by name."""

from __future__ import annotations

from sightline.scoring.metrics.labels import statistics
from sightline.scoring.metrics.labels.state import LabelState
from sightline.scoring.metrics.state import Metric
from sightline.stats.intervals import Statistic


def _metric(name: str, title: str, statistic: Statistic) -> Metric:
    return Metric(name=name, title=title, state=LabelState, compute=lambda state: state.estimate(statistic))


MACRO_F1 = _metric("macro_f1", "Macro F1", statistics.macro(statistics.f1s))
MACRO_RECALL = _metric("macro_recall", "Macro recall", statistics.macro(statistics.recalls))
MACRO_PRECISION = _metric("macro_precision", "Macro precision", statistics.macro(statistics.precisions))
MICRO_F1 = _metric("micro_f1", "Micro F1", statistics.micro_f1)
KAPPA = Metric(
    name="kappa", title="Cohen's kappa", state=LabelState, compute=lambda state: state.kappa(), unit="number"
)
