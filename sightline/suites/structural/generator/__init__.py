"""Fresh drawings of beams, frames and trusses, with the models that they show.

recipe      what is asked for
dice        seeded choices
sketch      a model while it is being made
loading     loads with round values at sensible places
kinds/      families of structures
soundness   stable, strained, and without idle loads
plan        which models a set holds
pictures/   a model as a textbook's drawing
writing     the files
"""

from __future__ import annotations

from pathlib import Path

from sightline.suites.structural.generator.recipe import Recipe

__all__ = ["Recipe", "generate"]


def generate(out: Path, count: int, seed: int, recipe: Recipe | None = None) -> None:
    """Write `count` drawings with their models; the same seed writes the same bytes."""
    from sightline.suites.structural.generator.plan import plan
    from sightline.suites.structural.generator.writing import write

    write(out, plan(count, seed, recipe or Recipe()))
