"""One sentence on a picture: which facts in which order is said, so that words can be compared.

The references hardly hold words that are not facts: who has not seen the picture shares few runs of words with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item
from sightline.suites.matrix.generator.palette import BY_NAME as COLOUR_NAMED
from sightline.suites.matrix.generator.palette import COLOURS
from sightline.suites.matrix.generator.scenes import Look, Piece, a_look, blank, draw_piece, finish, single
from sightline.suites.matrix.generator.sheet import XY
from sightline.suites.matrix.generator.understanding import description_words as words
from sightline.suites.matrix.generator.wording import say

_LARGE, _SMALL = 66.0, 30.0
_WIDE, _HIGH = 560, 420
_GRID: dict[tuple[int, int], XY] = {(r, c): (100 + 180 * c, 86 + 124 * r) for r in range(3) for c in range(3)}


def make(dice: Dice, level: str, language: str) -> Item:
    """A sample."""
    return {"l1": _two, "l2": _pair, "l3": _owned, "l4": _story}[level](dice, language)


def _item(
    dice: Dice, language: str, texts: Mapping[str, Sequence[str]], facts: Mapping[str, str], pictures: Sequence[bytes]
) -> Item:
    """One of the forms is shown with its gaps and comes first among the references."""
    forms = dice.shuffled(texts["forms"])
    gaps = {key: f"<{words.GAPS[language][key.rstrip('0123456789')]}>" for key in facts if key != "start"}
    form = _sentence(forms[0].format(**gaps), language)
    asked = dice.pick(texts["asks"]).format(form=form, start=facts.get("start", ""))
    return Item(
        question=asked,
        ground_truth=[_sentence(pattern.format(**facts), language) for pattern in forms],
        metric="bleu",
        pictures=tuple(pictures),
    )


def _sentence(text: str, language: str) -> str:
    if language == "zh":
        return text + "。"
    text = re.sub(r"\ba (?=[aeiou])", "an ", text)
    return text[0].upper() + text[1:] + "."


def _told(piece: Piece, at: int, language: str) -> dict[str, str]:
    """Size, colour and kind of a piece under the number by which a pattern names it."""
    zh = language == "zh"
    size = "large" if piece.radius > (_LARGE + _SMALL) / 2 else "small"
    return {
        f"size{at}": words.SIZES[language][size],
        f"colour{at}": piece.colour.zh if zh else piece.colour.name,
        f"thing{at}": piece.thing.zh if zh else piece.thing.name,
    }


def _sized(dice: Dice, piece: Piece, at: XY) -> Piece:
    return replace(piece, x=at[0], y=at[1], radius=dice.pick((_LARGE, _SMALL)))


def _drawn(dice: Dice, pieces: Sequence[Piece], look: Look) -> bytes:
    sheet = blank(_WIDE, _HIGH, look)
    for piece in pieces:
        draw_piece(sheet, piece, look, dice)
    return finish(sheet, look, dice)


def _two(dice: Dice, language: str) -> Item:
    """Two things, their places, the paper and its border."""
    columns = sorted(dice.some(range(3), 2))
    cells = [(dice.whole(0, 2), column) for column in columns]
    pieces = [_sized(dice, piece, _GRID[cell]) for piece, cell in zip(single(dice, 2), cells, strict=True)]
    paper = dice.pick(list(words.PAPERS))
    look = replace(a_look(dice), paper=words.PAPERS[paper]["paper"], pattern="plain")
    facts = _told(pieces[0], 1, language) | _told(pieces[1], 2, language)
    facts |= {f"place{k}": words.PLACES[language][cell] for k, cell in enumerate(cells, 1)}
    border = dice.pick(COLOURS)
    facts |= {"paper": words.PAPERS[paper][language], "border": border.zh if language == "zh" else border.name}
    sheet = blank(_WIDE, _HIGH, look)
    sheet.rectangle((5, 5, _WIDE - 5, _HIGH - 5), None, dice.pick(border.shades), 10)
    for piece in pieces:
        draw_piece(sheet, piece, look, dice)
    return _item(dice, language, words.TWO[language], facts, [finish(sheet, look, dice)])


def _related(dice: Dice, pieces: Sequence[Piece], start: str) -> tuple[list[Piece], str]:
    """Two pieces side by side or one above the other; the first is the near or the far one."""
    relation = dice.pick(("left", "above") if start == "near" else ("right", "below"))
    near, far = ((150, 210), (410, 210)) if relation in ("left", "right") else ((280, 110), (280, 310))
    ends: tuple[XY, XY] = (near, far) if relation in ("left", "above") else (far, near)
    return [_sized(dice, piece, at) for piece, at in zip(pieces, ends, strict=True)], relation


def _pair(dice: Dice, language: str) -> Item:
    """Two pictures with two things each."""
    four, look, start = single(dice, 4), a_look(dice, 0.5), dice.pick(("near", "far"))
    facts = {"start": words.STARTS[language][start]}
    pictures = []
    for k in range(2):
        pieces, relation = _related(dice, four[2 * k : 2 * k + 2], start)
        facts |= _told(pieces[0], 2 * k + 1, language) | _told(pieces[1], 2 * k + 2, language)
        facts[f"relation{k + 1}"] = words.RELATIONS[language][relation]
        pictures.append(_drawn(dice, pieces, look))
    return _item(dice, language, words.PAIR[language], facts, pictures)


def _owned(dice: Dice, language: str) -> Item:
    """Two halves that the text gives to two people."""
    across = dice.chance()
    cells = [(0, 0), (0, 2), (2, 0), (2, 2)]
    pieces = [_sized(dice, piece, _GRID[cell]) for piece, cell in zip(single(dice, 4), cells, strict=True)]
    names = dice.some(words.PEOPLE[language], 2)
    halves = dice.shuffled(("left", "right") if across else ("top", "bottom"))
    facts: dict[str, str] = {}
    at = 1
    for k, half in enumerate(halves):
        mine = [p for p, cell in zip(pieces, cells, strict=True) if _in_half(cell, half)]
        for piece in mine:
            facts |= _told(piece, at, language)
            at += 1
        facts[f"owner{k + 1}"] = names[k]
    look = a_look(dice, 0.5)
    sheet = blank(_WIDE, _HIGH, look)
    middle = [(_WIDE / 2, 0.0), (_WIDE / 2, float(_HIGH))] if across else [(0.0, 210.0), (float(_WIDE), 210.0)]
    sheet.line(middle, "#444444", 3, dice.pick((None, (12.0, 7.0))))
    for piece in pieces:
        draw_piece(sheet, piece, look, dice)
    item = _item(dice, language, words.OWNED[language], facts, [finish(sheet, look, dice)])
    given = say(
        dice,
        words.GIVEN,
        language,
        first=names[0],
        second=names[1],
        half1=words.HALVES[language][halves[0]],
        half2=words.HALVES[language][halves[1]],
        order=words.ORDERS[language]["down" if across else "across"],
    )
    return Item(
        question=given + item.question, ground_truth=item.ground_truth, metric=item.metric, pictures=item.pictures
    )


def _in_half(cell: tuple[int, int], half: str) -> bool:
    return {"left": cell[1] == 0, "right": cell[1] == 2, "top": cell[0] == 0, "bottom": cell[0] == 2}[half]


def _story(dice: Dice, language: str) -> Item:
    """Three panels: a start and two changes."""
    first, second, third = single(dice, 3)
    start = dice.pick(("near", "far"))
    scene, relation = _related(dice, (first, second), start)
    scene = [replace(piece, radius=dice.pick((44.0, 48.0))) for piece in scene]
    facts = _told(scene[0], 1, language) | _told(scene[1], 2, language)
    facts |= {"relation1": words.RELATIONS[language][relation], "start": words.STARTS[language][start]}
    panels = [scene]
    for k, change in enumerate(dice.some(list(_CHANGES), 2), 1):
        scene, said = _CHANGES[change](dice, panels[-1], third)
        zh = language == "zh"
        told = {key: value[1] if zh else value[0] for key, value in said.items()}
        facts[f"change{k}"] = words.CHANGES[language][change].format(**told)
        panels.append(scene)
    look = a_look(dice, 0.4)
    pictures = [_drawn(dice, scene, look) for scene in panels]
    del facts["size1"], facts["size2"]
    return _item(dice, language, words.STORY[language], facts, pictures)


Change = Callable[[Dice, list[Piece], Piece], tuple[list[Piece], dict[str, tuple[str, str]]]]


def _names(piece: Piece) -> dict[str, tuple[str, str]]:
    return {"thing": (piece.thing.name, piece.thing.zh), "colour": (piece.colour.name, piece.colour.zh)}


def _turns(dice: Dice, scene: list[Piece], _: Piece) -> tuple[list[Piece], dict[str, tuple[str, str]]]:
    """One thing gets another colour."""
    at = dice.whole(0, 1)
    used = {piece.colour.name for piece in scene}
    fresh = replace(scene[at], colour=COLOUR_NAMED[dice.pick([c.name for c in COLOURS if c.name not in used])])
    return [fresh if k == at else piece for k, piece in enumerate(scene)], _names(fresh)


def _appears(dice: Dice, scene: list[Piece], guest: Piece) -> tuple[list[Piece], dict[str, tuple[str, str]]]:
    """A third thing comes to a corner."""
    corner = dice.pick(((90.0, 70.0), (470.0, 70.0), (90.0, 350.0), (470.0, 350.0)))
    there = next(key for key, at in words.CORNERS.items() if at == corner)
    placed = replace(guest, x=corner[0], y=corner[1], radius=40.0)
    place = (words.PLACES["en"][there], words.PLACES["zh"][there])
    return [*scene, placed], _names(placed) | {"place": place}


def _resizes(dice: Dice, scene: list[Piece], _: Piece) -> tuple[list[Piece], dict[str, tuple[str, str]]]:
    """One thing grows or shrinks."""
    at, grows = dice.whole(0, 1), dice.chance()
    fresh = replace(scene[at], radius=78.0 if grows else 22.0)
    how = ("larger", "大") if grows else ("smaller", "小")
    return [fresh if k == at else piece for k, piece in enumerate(scene)], _names(fresh) | {"how": how}


def _swaps(dice: Dice, scene: list[Piece], _: Piece) -> tuple[list[Piece], dict[str, tuple[str, str]]]:
    """The two things change places."""
    one, two = scene[:2]
    swapped = [replace(one, x=two.x, y=two.y), replace(two, x=one.x, y=one.y)]
    return [*swapped, *scene[2:]], {
        "thing": (one.thing.name, one.thing.zh),
        "other": (two.thing.name, two.thing.zh),
    }


_CHANGES: dict[str, Change] = {"turns": _turns, "appears": _appears, "resizes": _resizes, "swaps": _swaps}
