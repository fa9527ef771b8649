"""Overhead pictures of places that never were, and questions whose answers follow from how they were made.

recipe      what is asked for
names       the tasks
dice        seeded choices
shapes      outlines
catalog     the things that a scene can hold
materials   colours in daylight, near infrared and heat
scene       a scene before it is rendered, and the truth about its things
places/     airports, harbours, towns…: one file a place
render/     a scene as a picture
questions/  a scene as questions, one file a family of tasks
plan        which question is asked of which scene
spoiling    the replies of a model that errs in known ways
writing     the files
"""

from __future__ import annotations

from pathlib import Path

from sightline.suites.remote_sensing.generator.recipe import Recipe

__all__ = ["Recipe", "generate"]


def generate(out: Path, count: int, seed: int, recipe: Recipe | None = None) -> None:
    """Write `count` samples of each task; the same seed and recipe write the same bytes."""
    from sightline.suites.remote_sensing.generator.writing import write

    write(out, count, seed, recipe or Recipe())
