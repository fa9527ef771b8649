"""Which things are in the picture: alone, in two pictures, under a rule, after several steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item
from sightline.suites.matrix.generator.glyphs import THINGS
from sightline.suites.matrix.generator.palette import COLOURS, Colour
from sightline.suites.matrix.generator.perception.object_words import (
    ALL,
    BOTH,
    FORM,
    RULES,
    SIDES,
    STEPS,
    WARMTH,
)
from sightline.suites.matrix.generator.scenes import (
    Piece,
    a_look,
    blank,
    draw_piece,
    finish,
    gridded,
    kinds,
    picture_of,
    scattered,
)
from sightline.suites.matrix.generator.sheet import Box
from sightline.suites.matrix.generator.wording import say

_SIZES = ((560, 420), (640, 400), (480, 480), (600, 450))
_WARM, _COLD = ("red", "orange", "yellow", "pink"), ("blue", "green", "purple", "gray")


def make(dice: Dice, level: str, language: str) -> Item:
    """A sample."""
    return {"l1": _alone, "l2": _both, "l3": _ruled, "l4": _stepped}[level](dice, language)


def _item(dice: Dice, language: str, asked: str, found: Sequence[Piece], pictures: tuple[bytes, ...]) -> Item:
    """The question with the words that are allowed, in another order each time so that they tell nothing."""
    zh = language == "zh"
    comma = "、" if zh else ", "
    colours = comma.join(colour.zh if zh else colour.name for colour in dice.shuffled(COLOURS))
    things = comma.join(thing.zh if zh else thing.name for thing in dice.shuffled(THINGS))
    form = say(dice, FORM, language, colours=colours, things=things)
    return Item(
        question=f"{asked}{'' if zh else ' '}{form}",
        ground_truth=[piece.label(language) for piece in found],
        metric="f1",
        pictures=pictures,
    )


def _alone(dice: Dice, language: str) -> Item:
    size = dice.pick(_SIZES)
    pieces = kinds(dice, dice.turn("count", (1, 2)))
    placed = scattered(dice, pieces, (10, 10, size[0] - 10, size[1] - 10), (75, 110))
    picture = picture_of(dice, placed, size, a_look(dice))
    return _item(dice, language, say(dice, ALL, language), placed, (picture,))


def _both(dice: Dice, language: str) -> Item:
    size = dice.pick(_SIZES)
    shared = dice.turn("shared", (1, 2, 3))
    own = dice.whole(3, 4)
    few = dice.some(COLOURS, 5)
    pieces = kinds(dice, shared + 2 * own, few, dice.some(THINGS, 8))
    common, rest = pieces[:shared], pieces[shared:]
    look = a_look(dice, rough=0.5)
    pictures = tuple(
        picture_of(
            dice,
            scattered(dice, dice.shuffled([*common, *part]), (10, 10, size[0] - 10, size[1] - 10), (38, 58)),
            size,
            look,
        )
        for part in (rest[:own], rest[own:])
    )
    return _item(dice, language, say(dice, BOTH, language), common, pictures)


def _ruled(dice: Dice, language: str) -> Item:
    """A rule on colour and on the side of a line."""
    size, side = dice.pick(_SIZES), dice.turn("side", tuple(SIDES["en"]))
    middle = dice.between(0.42, 0.58)
    rule = dice.turn("rule", ("two", "not", "warm", "cold"))
    while True:
        named = dice.some(COLOURS, 2)
        pieces = kinds(dice, dice.whole(9, 11), dice.some(COLOURS, 6))
        placed = _off_the_line(dice, pieces, size, side, middle)
        found = [p for p in placed if _on_side(p, size, side, middle) and _fits(p.colour, rule, named)]
        fitting = sum(_fits(p.colour, rule, named) for p in placed)
        if 2 <= len(found) <= 4 and fitting > len(found):
            break
    look = a_look(dice, rough=0.6)
    sheet = blank(*size, look)
    for piece in placed:
        draw_piece(sheet, piece, look, dice)
    ends = ((middle, 0.0), (middle, 1.0)) if side in ("left", "right") else ((0.0, middle), (1.0, middle))
    line = [(x * size[0], y * size[1]) for x, y in ends]
    sheet.line(line, "#333333", dice.pick((2.0, 3.0)), dice.pick((None, (12.0, 8.0))))
    names = [colour.zh if language == "zh" else colour.name for colour in named]
    asked = say(
        dice, {language: RULES[rule][language]}, language, first=names[0], second=names[1], side=SIDES[language][side]
    )
    if rule in ("warm", "cold"):
        asked = f"{WARMTH[language]}{asked}"
    return _item(dice, language, asked, found, (finish(sheet, look, dice),))


def _off_the_line(dice: Dice, pieces: list[Piece], size: tuple[int, int], side: str, middle: float) -> list[Piece]:
    """Each piece wholly on one side."""
    wide, high = size
    half = len(pieces) // 2
    boxes: tuple[Box, Box]
    if side in ("left", "right"):
        boxes = ((8, 8, middle * wide - 8, high - 8), (middle * wide + 8, 8, wide - 8, high - 8))
    else:
        boxes = ((8, 8, wide - 8, middle * high - 8), (8, middle * high + 8, wide - 8, high - 8))
    first = scattered(dice, pieces[:half], boxes[0], (30, 44))
    return first + scattered(dice, pieces[half:], boxes[1], (30, 44))


def _on_side(piece: Piece, size: tuple[int, int], side: str, middle: float) -> bool:
    before = piece.x < middle * size[0] if side in ("left", "right") else piece.y < middle * size[1]
    return before == (side in ("left", "above"))


def _fits(colour: Colour, rule: str, named: Sequence[Colour]) -> bool:
    match rule:
        case "two":
            return colour in named
        case "not":
            return colour not in named
        case "warm":
            return colour.name in _WARM
    return colour.name in _COLD


def _stepped(dice: Dice, language: str) -> Item:
    """Take away the commonest colour, then a row or column, then keep the things whose kind still occurs twice."""
    columns = dice.pick((4, 5))
    last = dice.turn("last", ("rest", "repeated"))
    while True:
        pieces = dice.shuffled(kinds(dice, 4 * columns - 2, dice.some(COLOURS, 5), dice.some(THINGS, 6)))[: 3 * columns]
        colours = Counter(piece.colour.name for piece in pieces).most_common()
        strip = dice.pick(("top", "bottom", "left", "right"))
        keep = [
            piece
            for k, piece in enumerate(pieces)
            if piece.colour.name != colours[0][0] and not _in_strip(k, columns, strip)
        ]
        types = Counter(piece.thing.name for piece in keep)
        found = [piece for piece in keep if last == "rest" or types[piece.thing.name] > 1]
        if colours[0][1] > colours[1][1] and 2 <= len(found) <= 6 and (last == "rest" or len(found) < len(keep)):
            break
    size = (140 * columns, 420)
    look = a_look(dice, rough=0.6)
    sheet = blank(*size, look)
    for piece in gridded(dice, pieces, columns, (10, 10, size[0] - 10, size[1] - 10)):
        draw_piece(sheet, piece, look, dice)
    words = STEPS[language]
    steps = [words["colour"], words[strip], words[last]]
    comma = "；" if language == "zh" else "; "
    asked = words["start"] + comma.join(f"({k}) {step}" for k, step in enumerate(steps, 1)) + words["end"]
    return _item(dice, language, asked, found, (finish(sheet, look, dice),))


def _in_strip(at: int, columns: int, strip: str) -> bool:
    row, column = divmod(at, columns)
    return {"top": row == 0, "bottom": row == 2, "left": column == 0, "right": column == columns - 1}[strip]
