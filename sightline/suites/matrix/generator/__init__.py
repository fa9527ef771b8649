"""Fresh questions for every cell of the matrix: pictures made here, answers that follow from how they were made.

recipe          what is asked for
dice            seeded choices
frame           what a sample is, and who makes which kind
plan            which samples a set holds
sheet           a picture while it is drawn
typefaces       the letters in pictures
palette         colours with their names
glyphs          things that can be recognised, and how they are drawn
scenes          things laid out without touching
wording         small pieces of English and Chinese
perception/     object recognition, text extraction, spatial relation
understanding/  image description, visual question, chart reading
reasoning/      several steps, cross-modal, counterfactual
action/         tool calling, code generation, interactive decision
writing         the files
"""

from __future__ import annotations

from pathlib import Path

from sightline.suites.matrix.generator.recipe import Recipe

__all__ = ["Recipe", "generate"]


def generate(out: Path, count: int, seed: int, recipe: Recipe | None = None) -> None:
    """Write `count` samples, spread evenly over the wanted cells; the same seed and recipe write the same bytes."""
    from sightline.suites.matrix.generator.writing import write

    write(out, count, seed, recipe or Recipe())
