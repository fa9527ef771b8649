"""Counterfactual questions and their answers."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.reasoning.puzzle import ROUNDING_TOLERANCE, round_value


class CounterfactualQuestion(Struct, frozen=True, kw_only=True):
    """A counterfactual question: instruction, answer, pictures and scene."""

    instruction: str
    answer: float | str
    """A number, or one of the options."""
    pictures: tuple[bytes, ...]
    scene: dict[str, Any]
    options: tuple[str, ...] = ()


def make_item(change: CounterfactualQuestion) -> Item:
    """Convert a counterfactual question to a sample."""
    answer = round_value(change.answer)
    exact = {} if change.options else {"tolerance": ROUNDING_TOLERANCE}
    return Item(
        question=change.instruction,
        ground_truth=answer,
        metric="accuracy" if change.options else "numeric",
        pictures=change.pictures,
        options=change.options,
        metadata={"ideal": str(answer), "scene": change.scene, **exact},
    )
