"""A question on what would be, and its answer."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from sightline.suites.matrix.generator.frame import Item
from sightline.suites.matrix.generator.reasoning.puzzle import EXACT, tidy


class Change(Struct, frozen=True, kw_only=True):
    """What is told and asked, and what would come of it."""

    told: str
    answer: float | str
    """A number, or one of the options."""
    pictures: tuple[bytes, ...]
    scene: dict[str, Any]
    options: tuple[str, ...] = ()


def item_of(change: Change) -> Item:
    """The change as a sample."""
    answer = tidy(change.answer)
    exact = {} if change.options else {"tolerance": EXACT}
    return Item(
        question=change.told,
        ground_truth=answer,
        metric="accuracy" if change.options else "numeric",
        pictures=change.pictures,
        options=change.options,
        metadata={"ideal": str(answer), "scene": change.scene, **exact},
    )
