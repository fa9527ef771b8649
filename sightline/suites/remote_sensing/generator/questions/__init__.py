"""Question generators, one module per family of tasks; data types of questions, and formatting of prompts and answers.

A question generator takes views of a few scenes, of which the first is the subject, and yields candidates; the plan
chooses the one with the rarest answer so far. Answers follow from the scene, never from the rendered picture.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from sightline.suites.remote_sensing.generator.catalog import GROUPS, KINDS, RADAR_GROUPS, ZH, Mode
from sightline.suites.remote_sensing.generator.conditions import MIN_KIND_SCALE, STANDARD, Conditions
from sightline.suites.remote_sensing.generator.scene import SIDE, Scene, SceneObject, box, quad, to_pixels
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Box

MAX_COLOUR_HAZE = 0.25
"""In thicker haze paints are not asked for."""
MAX_CLASS_CLOUDS = 0.3
"""Under more clouds the class of a scene is not asked for."""
FLAT_SCENE_CLASSES = ("sports ground", "farmland")
"""Scene classes that are known by what radar does not show: pitches, courts, crops."""
CROWD_FACTOR = 25


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
    conditions: Conditions = STANDARD

    @property
    def tells_kinds(self) -> bool:
        """Whether kinds of one group can be told apart."""
        return self.mode != "sar" and self.scene.scale >= MIN_KIND_SCALE

    @property
    def tells_colours(self) -> bool:
        """Whether paints can be told apart."""
        return self.mode == "colour" and self.tells_kinds and self.scene.acquisition.haze <= MAX_COLOUR_HAZE

    @property
    def tells_scene_class(self) -> bool:
        """Whether enough of the scene is seen to know what it is."""
        acquisition = self.scene.acquisition
        is_flat = self.mode == "sar" and self.scene.scene_class in FLAT_SCENE_CLASSES
        return acquisition.scale <= 1 and acquisition.clouds <= MAX_CLASS_CLOUDS and not is_flat

    @property
    def groups(self) -> list[str]:
        """Groups that may be asked for."""
        return [group for group in GROUPS if self.mode != "sar" or group in RADAR_GROUPS]

    @property
    def names(self) -> list[str]:
        """Names that may be asked for: groups, and kinds where they can be told apart."""
        return [*self.groups, *KINDS] if self.tells_kinds else self.groups

    def name_of(self, obj: SceneObject) -> str:
        """The finest name of an object that can be told."""
        return obj.kind if self.tells_kinds else obj.group

    def limit(self, count: int) -> int:
        """The largest number of objects that a question may ask for: more in crowded scenes."""
        return count * CROWD_FACTOR if self.conditions.crowded else count

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
        return to_pixels(obj.visible_outline, self.scale)

    def has_outlines(self, objects: Iterable[SceneObject]) -> bool:
        """Whether outlines in whole pixels keep an area; those of tiny objects may shrink to a line."""
        return all(len(self.poly(obj)) >= 3 and len(self.quad(obj)) == 4 for obj in objects)

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
