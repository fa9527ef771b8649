"""Generator of synthetic overhead scenes, and of questions whose answers are known by construction.

recipe          settings of the generator
task_names      the tasks in Chinese and English
seeded_random   seeded pseudo-random choices
shapes          planar geometry of outlines
catalog         kinds of objects
materials       colours in visible light, near infrared and thermal infrared
scene           a scene before rendering, and the ground truth of its objects
scene_layouts/  airports, harbours, towns…: one file per scene class
render/         renderer of a scene
questions/      question generators, one file per family of tasks
plan            choice of questions and scenes, with balanced answers
picture_cache   cache of rendered pictures
corruptions     replies of a simulated model with known error rates
shape_errors    corrupted boxes, quads and polygons
writer          the files
"""

from __future__ import annotations

from pathlib import Path

from sightline.suites.remote_sensing.generator.recipe import Recipe

__all__ = ["Recipe", "generate"]


def generate(out: Path, count: int, seed: int, recipe: Recipe | None = None) -> None:
    """Write `count` samples of each task; the same seed and recipe write the same bytes."""
    from sightline.suites.remote_sensing.generator.writer import write_dataset

    write_dataset(out, count, seed, recipe or Recipe())
