"""What a question is made of, and how answers are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from sightline.suites.remote_sensing.generator.catalog import ZH
from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.materials import Mode
from sightline.suites.remote_sensing.generator.scene import SIDE, Scene, Thing, box, pixels, quad
from sightline.suites.remote_sensing.generator.shapes import Box


class Shot(Struct, frozen=True):
    """One picture: of a scene, and where there are two dates, of which."""

    number: int
    date: str = ""

    @property
    def source(self) -> str:
        """The name of the file that it would be."""
        return f"scenes/{self.number:06d}{'_' if self.date else ''}{self.date}.jpg"


class View(Struct, frozen=True, kw_only=True):
    """A scene as it is seen."""

    seed: int
    scene: Scene
    mode: Mode
    size: int

    @property
    def scale(self) -> float:
        """Pixels a unit."""
        return self.size / SIDE

    @property
    def shot(self) -> Shot:
        """Its only picture."""
        return Shot(self.scene.number)

    def box(self, thing: Thing) -> Box:
        """In pixels."""
        return box(thing, self.scale)

    def quad(self, thing: Thing) -> list[tuple[int, int]]:
        """In pixels."""
        return quad(thing, self.scale)

    def poly(self, thing: Thing) -> list[tuple[int, int]]:
        """In pixels."""
        return pixels(thing.outline, self.scale)


class Question(Struct, frozen=True, kw_only=True):
    """A prompt about some pictures with its answer."""

    shots: tuple[Shot, ...]
    prompt: str
    gt: str
    keys: tuple[str, ...]
    """What is to be balanced, the most important first."""


Asker = Callable[[Sequence[View], Dice], Iterator[Question]]


def worded(dice: Dice, english: str, chinese: str, **names: str) -> str:
    """The prompt in one of two languages; names of things are put in, translated where the prompt is Chinese."""
    if dice.chance():
        return english.format(**names)
    return chinese.format(**{key: ZH.get(name, name) for key, name in names.items()})


def box_text(box: Iterable[int]) -> str:
    """Such as `<box><1><2><3><4></box>`."""
    return f"<box>{_numbers(box)}</box>"


def points_text(tag: str, points: Iterable[tuple[int, int]]) -> str:
    """All coordinates of a ring between two tags."""
    return f"<{tag}>{_numbers(value for point in points for value in point)}</{tag}>"


def _numbers(values: Iterable[int]) -> str:
    return "".join(f"<{value}>" for value in values)


def article(name: str) -> str:
    """The name with a or an."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def ordered(view: View, things: Iterable[Thing]) -> list[Thing]:
    """From the top down, then from left to right: an order that tells nothing."""
    return sorted(things, key=lambda thing: (view.box(thing)[1], view.box(thing)[0]))
