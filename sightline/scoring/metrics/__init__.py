"""Figures over many samples, and plain functions for whoever wants a single one: `calculate_detection_ap(…)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.scoring.metrics.captions.plain import (
        calculate_caption_bleu,
        calculate_caption_cider,
        calculate_caption_meteor,
        calculate_caption_rouge_l,
    )
    from sightline.scoring.metrics.detection.plain import (
        calculate_detection_ap,
        calculate_detection_f1,
        calculate_detection_map,
    )
    from sightline.scoring.metrics.labels.plain import calculate_macro_f1
    from sightline.scoring.metrics.masks.plain import calculate_dice, calculate_mask_ap, calculate_miou
    from sightline.scoring.metrics.numbers import calculate_accuracy, calculate_mae, calculate_rmse

_HOMES = {
    "calculate_accuracy": "numbers",
    "calculate_caption_bleu": "captions.plain",
    "calculate_caption_cider": "captions.plain",
    "calculate_caption_meteor": "captions.plain",
    "calculate_caption_rouge_l": "captions.plain",
    "calculate_detection_ap": "detection.plain",
    "calculate_detection_f1": "detection.plain",
    "calculate_detection_map": "detection.plain",
    "calculate_dice": "masks.plain",
    "calculate_macro_f1": "labels.plain",
    "calculate_mae": "numbers",
    "calculate_mask_ap": "masks.plain",
    "calculate_miou": "masks.plain",
    "calculate_rmse": "numbers",
}
__all__ = [
    "calculate_accuracy",
    "calculate_caption_bleu",
    "calculate_caption_cider",
    "calculate_caption_meteor",
    "calculate_caption_rouge_l",
    "calculate_detection_ap",
    "calculate_detection_f1",
    "calculate_detection_map",
    "calculate_dice",
    "calculate_macro_f1",
    "calculate_mae",
    "calculate_mask_ap",
    "calculate_miou",
    "calculate_rmse",
]


def __getattr__(name: str) -> Any:
    if home := _HOMES.get(name):
        from importlib import import_module

        return getattr(import_module(f"sightline.scoring.metrics.{home}"), name)
    raise AttributeError(f"module 'sightline.scoring.metrics' has no attribute {name!r}")
