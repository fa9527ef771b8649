"""The figures of segmentation, by name."""

from __future__ import annotations

from sightline.scoring.metrics.detection.thresholds import COCO_THRESHOLDS
from sightline.scoring.metrics.masks.state import MaskState
from sightline.scoring.metrics.state import Metric

MASK_AP = Metric(
    name="mask_ap", title="Mask AP", state=MaskState, compute=lambda t: t.average_precision(*COCO_THRESHOLDS)
)
MASK_AP50 = Metric(name="mask_ap50", title="Mask AP@0.5", state=MaskState, compute=lambda t: t.average_precision(0.5))
MASK_AP75 = Metric(name="mask_ap75", title="Mask AP@0.75", state=MaskState, compute=lambda t: t.average_precision(0.75))
MIOU = Metric(name="miou", title="mIoU", state=MaskState, compute=lambda t: t.share(0, 2), is_mean=True)
DICE = Metric(name="dice", title="Dice", state=MaskState, compute=lambda t: t.share(1, 2), is_mean=True)
CIOU = Metric(name="ciou", title="Cumulative IoU", state=MaskState, compute=lambda t: t.share(3, 4))
PIXEL_F1 = Metric(name="pixel_f1", title="Pixel F1", state=MaskState, compute=lambda t: t.pixel_f1())
PIXEL_PRECISION = Metric(
    name="pixel_precision", title="Pixel precision", state=MaskState, compute=lambda t: t.share(3, 5)
)
PIXEL_RECALL = Metric(name="pixel_recall", title="Pixel recall", state=MaskState, compute=lambda t: t.share(3, 6))
