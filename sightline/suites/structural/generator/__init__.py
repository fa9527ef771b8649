"""Generator of structural drawings with their models.

recipe         settings of the generator
seeded_random  seeded pseudo-random choices
model_builder  incremental construction of a model
random_loads   random loads with round values
families/      families of structures
soundness      checks that a model is stable and that every load matters
plan           which models a dataset contains
pictures/      a model as a textbook drawing
writer         the files
"""

from __future__ import annotations

from pathlib import Path

from sightline.suites.structural.generator.recipe import Recipe

__all__ = ["Recipe", "generate"]


def generate(out: Path, count: int, seed: int, recipe: Recipe | None = None) -> None:
    """Write `count` drawings with their models; the same seed writes the same bytes."""
    from sightline.suites.structural.generator.plan import plan_items
    from sightline.suites.structural.generator.writer import write_dataset

    write_dataset(out, plan_items(count, seed, recipe or Recipe()))
