"""The figures of detection, by name."""

from __future__ import annotations

from sightline.metrics.detection.tally import DetectionTally
from sightline.metrics.tally import Figure

AP50 = Figure(name="ap50", title="AP@0.5", tally=DetectionTally, read=lambda t: t.state.average_precision(0.5))
AP75 = Figure(name="ap75", title="AP@0.75", tally=DetectionTally, read=lambda t: t.state.average_precision(0.75))
AP25 = Figure(name="ap25", title="AP@0.25", tally=DetectionTally, read=lambda t: t.state.average_precision(0.25))
MAP = Figure(name="map", title="mAP@[.5:.95]", tally=DetectionTally, read=lambda t: t.state.mean_average_precision())
PRECISION50 = Figure(
    name="precision50", title="Precision@0.5", tally=DetectionTally, read=lambda t: t.state.precision(0.5)
)
RECALL50 = Figure(name="recall50", title="Recall@0.5", tally=DetectionTally, read=lambda t: t.state.recall(0.5))
F1_50 = Figure(name="f1_50", title="F1@0.5", tally=DetectionTally, read=lambda t: t.state.f1(0.5))
F1_75 = Figure(name="f1_75", title="F1@0.75", tally=DetectionTally, read=lambda t: t.state.f1(0.75))
MEAN_IOU = Figure(name="mean_iou", title="Mean IoU of matches", tally=DetectionTally, read=lambda t: t.state.mean_iou())
COUNT_ACCURACY = Figure(
    name="count_accuracy", title="Count accuracy", tally=DetectionTally, read=lambda t: t.count_accuracy(), is_mean=True
)
COUNT_MAE = Figure(
    name="count_mae",
    title="Count MAE",
    tally=DetectionTally,
    read=lambda t: t.count_mae(),
    higher_is_better=False,
    unit="number",
)
COUNT_RMSE = Figure(
    name="count_rmse",
    title="Count RMSE",
    tally=DetectionTally,
    read=lambda t: t.count_rmse(),
    higher_is_better=False,
    unit="number",
)
