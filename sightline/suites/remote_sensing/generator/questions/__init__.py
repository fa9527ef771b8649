"""Question generators, one module per family of tasks; data types of questions, and formatting of prompts and answers.

A question generator takes views of a few scenes, of which the first is the subject, and yields candidates; the plan
chooses the one with the rarest answer so far. Answers follow from the scene, never from the rendered picture.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from sightline.suites.remote_sensing.generator.catalog import ZH, Mode
from sightline.suites.remote_sensing.generator.scene import SIDE, Scene, SceneObject, box, quad, to_pixels
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Box


class ImageRef(Struct, frozen=True):
    """Reference to a picture: the scene, and for change detection the date."""

    number: int
    date: str = ""

    @property
    def source(self) -> str:
        """File name of the picture, as stated in annotations."""
        return f"scenes/{self.number:06d}{'_' if self.date else ''}{self.date}.jpg"


class View(Struct, frozen=True, kw_only=True):
    """A scene with its sensor mode and picture size."""

    seed: int
    scene: Scene
    mode: Mode
    size: int

    @property
    def scale(self) -> float:
        """Pixels per unit of the scene."""
        return self.size / SIDE

    @property
    def image_ref(self) -> ImageRef:
        """Reference to its picture."""
        return ImageRef(self.scene.number)

    def box(self, obj: SceneObject) -> Box:
        """In pixels."""
        return box(obj, self.scale)

    def quad(self, obj: SceneObject) -> list[tuple[int, int]]:
        """In pixels."""
        return quad(obj, self.scale)

    def poly(self, obj: SceneObject) -> list[tuple[int, int]]:
        """In pixels."""
        return to_pixels(obj.outline, self.scale)

    def question(self, prompt: str, gt: str, *keys: str) -> Question:
        """A question about this picture alone."""
        return Question(image_refs=(self.image_ref,), prompt=prompt, gt=gt, keys=keys)


class Question(Struct, frozen=True, kw_only=True):
    """A prompt about pictures, with its answer."""

    image_refs: tuple[ImageRef, ...]
    prompt: str
    gt: str
    keys: tuple[str, ...]
    """Keys for balancing, the most important first."""


QuestionGenerator = Callable[[Sequence[View], SeededRandom], Iterator[Question]]


_TEXTS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("texts.toml").read_text("utf-8"))


def format_prompt(rng: SeededRandom, text: str, **names: str) -> str:
    """A text of texts.toml in a random language, with names filled in: for Chinese translated, and as `{…_en}`."""
    if rng.chance():
        return _TEXTS[text]["en"].format(**names)
    translated = {key: ZH.get(name, name) for key, name in names.items()}
    return _TEXTS[text]["zh"].format(**translated, **{f"{key}_en": name for key, name in names.items()})


def box_text(box: Iterable[int]) -> str:
    """Such as `<box><1><2><3><4></box>`."""
    return f"<box>{_numbers(box)}</box>"


def points_text(tag: str, points: Iterable[tuple[int, int]]) -> str:
    """All coordinates of a ring between two tags."""
    return f"<{tag}>{_numbers(value for point in points for value in point)}</{tag}>"


def _numbers(values: Iterable[int]) -> str:
    return "".join(f"<{value}>" for value in values)


def article(name: str) -> str:
    """The name with its indefinite article."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def sort_by_position(view: View, objects: Iterable[SceneObject]) -> list[SceneObject]:
    """Objects sorted from top to bottom, then from left to right, so that the order reveals nothing."""
    return sorted(objects, key=lambda obj: (view.box(obj)[1], view.box(obj)[0]))
