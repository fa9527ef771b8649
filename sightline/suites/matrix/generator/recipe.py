"""Settings of the generator: selected cells, kinds and languages."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from sightline.core.settings import setting

KINDS: dict[str, tuple[str, ...]] = {
    "perception": ("object_recognition", "text_extraction", "spatial_relation"),
    "understanding": ("image_description", "visual_question", "chart_reading"),
    "reasoning": ("multi_step", "cross_modal", "counterfactual"),
    "action": ("tool_calling", "code_generation", "interactive_decision"),
}
"""The kinds of task of each dimension."""
DIMENSIONS = tuple(KINDS)
LEVELS = ("l1", "l2", "l3", "l4")
LANGUAGES = ("en", "zh")


class Selection(Struct, frozen=True, kw_only=True):
    """Settings that select kinds of task."""

    dimension: Annotated[tuple[str, ...], setting("only these dimensions", choices=DIMENSIONS)] = ()
    level: Annotated[tuple[str, ...], setting("only these levels", choices=LEVELS)] = ()
    kind: Annotated[
        tuple[str, ...],
        setting("only these kinds of task", choices=tuple(kind for kinds in KINDS.values() for kind in kinds)),
    ] = ()


class Recipe(Selection, frozen=True, kw_only=True):
    """The generator's own settings."""

    language: Annotated[str, setting("language of the questions; both takes turns", choices=(*LANGUAGES, "both"))] = (
        "both"
    )
