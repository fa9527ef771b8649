"""Questions on how many things there are."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item
from sightline.suites.matrix.generator.glyphs import THINGS, Thing
from sightline.suites.matrix.generator.palette import COLOURS, Colour
from sightline.suites.matrix.generator.scenes import Piece, a_look, picture_of, scattered
from sightline.suites.matrix.generator.understanding import visual_words as words
from sightline.suites.matrix.generator.understanding.answers import short, ten
from sightline.suites.matrix.generator.wording import counted, say

_SIZE = (600, 440)
_PLURALS = {"fish": "fish", "cross": "crosses"}


def _many(thing: Thing, language: str) -> str:
    return thing.zh if language == "zh" else _PLURALS.get(thing.name, thing.name + "s")


def _one(thing: Thing, language: str) -> str:
    return thing.zh if language == "zh" else thing.name


def _scene(dice: Dice, counts: Sequence[tuple[Thing, int]], colours: Sequence[Colour] = COLOURS) -> bytes:
    pieces = [Piece(thing=thing, colour=dice.pick(colours)) for thing, count in counts for _ in range(count)]
    return _drawn(dice, pieces)


def _drawn(dice: Dice, pieces: Sequence[Piece]) -> bytes:
    placed = scattered(dice, dice.shuffled(pieces), (8, 8, _SIZE[0] - 8, _SIZE[1] - 8), (24, 36), gap=6)
    return picture_of(dice, placed, _SIZE, a_look(dice, 0.3))


def count(dice: Dice, language: str) -> Item:
    """Things of one kind among others."""
    first, *others = dice.some(THINGS, 4)
    many = dice.whole(3, 12)
    picture = _scene(dice, [(first, many), *((other, dice.whole(1, 4)) for other in others)])
    return short(say(dice, words.COUNT, language, things=_many(first, language)), counted(many, language), picture)


def together(dice: Dice, language: str) -> Item:
    """Things of one kind in two pictures."""
    first, *others = dice.some(THINGS, 3)
    counts = [dice.whole(2, 11) for _ in range(2)]
    pictures = [_scene(dice, [(first, many), *((o, dice.whole(1, 4)) for o in others)]) for many in counts]
    asked = say(dice, words.TOGETHER, language, things=_many(first, language))
    return short(asked, counted(sum(counts), language), *pictures)


def points(dice: Dice, language: str) -> Item:
    """Two kinds that the text gives a worth."""
    first, second, other = dice.some(THINGS, 3)
    one, two = dice.whole(2, 7), dice.whole(2, 7)
    a, b = dice.some(range(3, 13), 2)
    picture = _scene(dice, [(first, one), (second, two), (other, dice.whole(2, 4))])
    asked = say(dice, words.POINTS, language, first=_one(first, language), second=_one(second, language), a=a, b=b)
    return short(asked, ten(str(one * a + two * b)), picture)


def remainder(dice: Dice, language: str) -> Item:
    """Two kinds without one colour, compared and multiplied."""
    first, second = dice.some(THINGS, 2)
    gone, *colours = dice.some(COLOURS, 4)
    more, less, times = dice.whole(5, 11), dice.whole(1, 4), dice.whole(3, 19)
    pieces = [Piece(thing=first, colour=dice.pick(colours)) for _ in range(more)]
    pieces += [Piece(thing=second, colour=dice.pick(colours)) for _ in range(less)]
    pieces += [Piece(thing=dice.pick((first, second)), colour=gone) for _ in range(dice.whole(2, 5))]
    asked = say(
        dice,
        words.REMAINDER,
        language,
        colour=gone.zh if language == "zh" else gone.name,
        first=_many(first, language),
        second=_many(second, language),
        times=times,
    )
    return short(asked, ten(str((more - less) * times)), _drawn(dice, pieces))
