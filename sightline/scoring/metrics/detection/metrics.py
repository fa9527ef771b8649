"""The figures of detection, by name."""

from __future__ import annotations

from sightline.scoring.metrics.detection.state import DetectionState
from sightline.scoring.metrics.state import Metric

AP50 = Metric(name="ap50", title="AP@0.5", state=DetectionState, compute=lambda t: t.state.average_precision(0.5))
AP75 = Metric(name="ap75", title="AP@0.75", state=DetectionState, compute=lambda t: t.state.average_precision(0.75))
AP25 = Metric(name="ap25", title="AP@0.25", state=DetectionState, compute=lambda t: t.state.average_precision(0.25))
MAP = Metric(name="map", title="mAP@[.5:.95]", state=DetectionState, compute=lambda t: t.state.mean_average_precision())
PRECISION50 = Metric(
    name="precision50", title="Precision@0.5", state=DetectionState, compute=lambda t: t.state.precision(0.5)
)
RECALL50 = Metric(name="recall50", title="Recall@0.5", state=DetectionState, compute=lambda t: t.state.recall(0.5))
F1_50 = Metric(name="f1_50", title="F1@0.5", state=DetectionState, compute=lambda t: t.state.f1(0.5))
F1_75 = Metric(name="f1_75", title="F1@0.75", state=DetectionState, compute=lambda t: t.state.f1(0.75))
MEAN_IOU = Metric(
    name="mean_iou", title="Mean IoU of matches", state=DetectionState, compute=lambda t: t.state.mean_iou()
)
COUNT_ACCURACY = Metric(
    name="count_accuracy",
    title="Count accuracy",
    state=DetectionState,
    compute=lambda t: t.count_accuracy(),
    is_mean=True,
)
COUNT_MAE = Metric(
    name="count_mae",
    title="Count MAE",
    state=DetectionState,
    compute=lambda t: t.count_mae(),
    higher_is_better=False,
    unit="number",
)
COUNT_RMSE = Metric(
    name="count_rmse",
    title="Count RMSE",
    state=DetectionState,
    compute=lambda t: t.count_rmse(),
    higher_is_better=False,
    unit="number",
)
