"""The figures of segmentation, by name."""

from __future__ import annotations

from sightline.metrics.detection.thresholds import COCO_THRESHOLDS
from sightline.metrics.masks.tally import MaskTally
from sightline.metrics.tally import Figure

MASK_AP = Figure(name="mask_ap", title="Mask AP", tally=MaskTally, read=lambda t: t.average_precision(*COCO_THRESHOLDS))
MASK_AP50 = Figure(name="mask_ap50", title="Mask AP@0.5", tally=MaskTally, read=lambda t: t.average_precision(0.5))
MASK_AP75 = Figure(name="mask_ap75", title="Mask AP@0.75", tally=MaskTally, read=lambda t: t.average_precision(0.75))
MIOU = Figure(name="miou", title="mIoU", tally=MaskTally, read=lambda t: t.share(0, 2), is_mean=True)
DICE = Figure(name="dice", title="Dice", tally=MaskTally, read=lambda t: t.share(1, 2), is_mean=True)
CIOU = Figure(name="ciou", title="Cumulative IoU", tally=MaskTally, read=lambda t: t.share(3, 4))
PIXEL_F1 = Figure(name="pixel_f1", title="Pixel F1", tally=MaskTally, read=lambda t: t.pixel_f1())
PIXEL_PRECISION = Figure(name="pixel_precision", title="Pixel precision", tally=MaskTally, read=lambda t: t.share(3, 5))
PIXEL_RECALL = Figure(name="pixel_recall", title="Pixel recall", tally=MaskTally, read=lambda t: t.share(3, 6))
