"""Generator of matrix samples: synthetic pictures with answers that follow from their construction.

recipe          settings of a data set
writer          the distribution of samples over cells and kinds, and the files on disk
item            a sample before it is written, and its constructors by form of question
sample_rng      seeded random choices of a sample
wording         texts of questions, random words, names and codes
canvas          drawing with anti-aliasing, fonts, named colours
scenes          recognisable objects laid out without overlap
diagrams        tables, bar charts and line charts
perception/     object recognition, text extraction, spatial relation
understanding/  image description, visual question, chart reading
reasoning/      several steps, cross-modal, counterfactual
action/         tool calling, code generation, interactive decision

Each of these packages holds a module `make(rng, level, language)` for each kind, the scenes that several kinds share,
and `texts.toml`, the texts of its questions in English and Chinese. Texts that they share are in `texts.toml` here.
"""

from __future__ import annotations

from pathlib import Path

from sightline.suites.matrix.generator.recipe import Recipe

__all__ = ["Recipe", "generate"]


def generate(out: Path, count: int, seed: int, recipe: Recipe | None = None) -> None:
    """Write `count` samples, spread evenly over the selected cells; deterministic for a seed and recipe."""
    from sightline.suites.matrix.generator.writer import write

    write(out, count, seed, recipe or Recipe())
