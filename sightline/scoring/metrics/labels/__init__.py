"""Figures of labels, one a sample or several: accuracy of the whole set, F1 by class, confusion, kappa.

Definitions are scikit-learn's with `labels` = the classes of the truths, so that no reply can add a class.
"""

from sightline.scoring.metrics.labels.metrics import KAPPA, MACRO_F1, MACRO_PRECISION, MACRO_RECALL, MICRO_F1
from sightline.scoring.metrics.labels.plain import (
    calculate_kappa,
    calculate_macro_f1,
    calculate_macro_precision,
    calculate_macro_recall,
    calculate_micro_f1,
)
from sightline.scoring.metrics.labels.state import LabelState
from sightline.scoring.metrics.labels.survey import LabelSurvey

__all__ = [
    "KAPPA",
    "MACRO_F1",
    "MACRO_PRECISION",
    "MACRO_RECALL",
    "MICRO_F1",
    "LabelState",
    "LabelSurvey",
    "calculate_kappa",
    "calculate_macro_f1",
    "calculate_macro_precision",
    "calculate_macro_recall",
    "calculate_micro_f1",
]
