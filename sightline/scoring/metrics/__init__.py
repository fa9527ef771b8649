"""Metrics over many samples, and functions that compute a single one: `calculate_detection_ap(…)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.scoring.metrics.captions import (
        calculate_caption_bleu,
        calculate_caption_cider,
        calculate_caption_meteor,
        calculate_caption_rouge_l,
    )
    from sightline.scoring.metrics.class_detection import calculate_class_ap
    from sightline.scoring.metrics.detection import (
        calculate_detection_ap,
        calculate_detection_f1,
        calculate_detection_map,
    )
    from sightline.scoring.metrics.detection_errors import calculate_detection_errors
    from sightline.scoring.metrics.grounding import calculate_grounding
    from sightline.scoring.metrics.iou import calculate_iou
    from sightline.scoring.metrics.labels import calculate_macro_f1
    from sightline.scoring.metrics.masks import calculate_dice, calculate_mask_ap, calculate_miou
    from sightline.scoring.metrics.numbers import calculate_accuracy, calculate_mae, calculate_rmse

__all__ = [
    "calculate_accuracy",
    "calculate_caption_bleu",
    "calculate_caption_cider",
    "calculate_caption_meteor",
    "calculate_caption_rouge_l",
    "calculate_class_ap",
    "calculate_detection_ap",
    "calculate_detection_errors",
    "calculate_detection_f1",
    "calculate_detection_map",
    "calculate_dice",
    "calculate_grounding",
    "calculate_iou",
    "calculate_macro_f1",
    "calculate_mae",
    "calculate_mask_ap",
    "calculate_miou",
    "calculate_rmse",
]
_MODULES = {
    "captions": ("caption_bleu", "caption_cider", "caption_meteor", "caption_rouge_l"),
    "iou": ("iou",),
    "grounding": ("grounding",),
    "class_detection": ("class_ap",),
    "detection_errors": ("detection_errors",),
    "detection": ("detection_ap", "detection_f1", "detection_map"),
    "labels": ("macro_f1",),
    "masks": ("dice", "mask_ap", "miou"),
    "numbers": ("accuracy", "mae", "rmse"),
}


def __getattr__(name: str) -> Any:
    for module, functions in _MODULES.items():
        if name.removeprefix("calculate_") in functions and name in __all__:
            from importlib import import_module

            return getattr(import_module(f"sightline.scoring.metrics.{module}"), name)
    raise AttributeError(f"module 'sightline.scoring.metrics' has no attribute {name!r}")
