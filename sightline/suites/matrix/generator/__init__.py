"""Generator of matrix samples: synthetic pictures with answers that follow from their construction.

recipe          settings of a data set
sample_rng      seeded random choices of a sample
item            a sample before it is written, and the makers of each kind
plan            the samples of a data set
canvas          drawing with anti-aliasing
typefaces       fonts of the pictures
random_text     made-up words, names and codes
palette         named colours
glyphs          recognisable objects and their drawing
scenes          objects laid out without overlap
wording         English and Chinese phrases
perception/     object recognition, text extraction, spatial relation
understanding/  image description, visual question, chart reading
reasoning/      several steps, cross-modal, counterfactual
action/         tool calling, code generation, interactive decision
writing         the files on disk
"""

from __future__ import annotations

from pathlib import Path

from sightline.suites.matrix.generator.recipe import Recipe

__all__ = ["Recipe", "generate"]


def generate(out: Path, count: int, seed: int, recipe: Recipe | None = None) -> None:
    """Write `count` samples, spread evenly over the selected cells; deterministic for a seed and recipe."""
    from sightline.suites.matrix.generator.writer import write

    write(out, count, seed, recipe or Recipe())
