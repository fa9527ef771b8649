"""One-sentence image description: the prompt fixes the facts and their order, so that words can be compared.

The references hardly hold words that are not facts: who has not seen the picture shares few runs of words with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from sightline.suites.matrix.generator.canvas import COLOURS, XY
from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import (
    SceneObject,
    blank_canvas,
    draw_objects,
    draw_scene,
    random_style,
    render_png,
    unique_objects,
)
from sightline.suites.matrix.generator.wording import fill_wording, load_texts

_TEXTS = load_texts(__name__)

_SIZES = {"en": {"large": "large", "small": "small"}, "zh": {"large": "大", "small": "小"}}
_CORNERS = {(90.0, 70.0): (0, 0), (470.0, 70.0): (0, 2), (90.0, 350.0): (2, 0), (470.0, 350.0): (2, 2)}
"""Row and column of each corner."""


_LARGE, _SMALL = 66.0, 30.0
_WIDE, _HIGH = 560, 420
_GRID: dict[tuple[int, int], XY] = {(r, c): (100 + 180 * c, 86 + 124 * r) for r in range(3) for c in range(3)}


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return {"l1": _two_objects, "l2": _pair, "l3": _owned_halves, "l4": _story}[level](rng, language)


def _make_item(
    rng: SampleRng,
    language: str,
    texts: Mapping[str, Sequence[str]],
    facts: Mapping[str, str],
    pictures: Sequence[bytes],
) -> Item:
    """Make a sample: one of the forms is shown with its gaps and comes first among the references."""
    forms = rng.shuffled(texts["forms"])
    gaps = {key: f"<{_TEXTS['gaps'][language][key.rstrip('0123456789')]}>" for key in facts if key != "start"}
    form = _sentence(forms[0].format(**gaps), language)
    question = rng.pick(texts["asks"]).format(form=form, start=facts.get("start", ""))
    return Item(
        question=question,
        ground_truth=[_sentence(pattern.format(**facts), language) for pattern in forms],
        metric="bleu",
        pictures=tuple(pictures),
    )


def _sentence(text: str, language: str) -> str:
    if language == "zh":
        return text + "。"
    text = re.sub(r"\ba (?=[aeiou])", "an ", text)
    return text[0].upper() + text[1:] + "."


def _describe_object(piece: SceneObject, at: int, language: str) -> dict[str, str]:
    """Size, colour and kind of a piece under the number by which a pattern names it."""
    size = "large" if piece.radius > (_LARGE + _SMALL) / 2 else "small"
    return {
        f"size{at}": _SIZES[language][size],
        f"colour{at}": piece.colour.name_in(language),
        f"thing{at}": piece.thing.name_in(language),
    }


def _place_object(rng: SampleRng, piece: SceneObject, at: XY) -> SceneObject:
    return replace(piece, x=at[0], y=at[1], radius=rng.pick((_LARGE, _SMALL)))


def _two_objects(rng: SampleRng, language: str) -> Item:
    """Make a sample: two things, their places, the paper and its border."""
    columns = sorted(rng.some(range(3), 2))
    cells = [(rng.whole(0, 2), column) for column in columns]
    pieces = [_place_object(rng, piece, _GRID[cell]) for piece, cell in zip(unique_objects(rng, 2), cells, strict=True)]
    paper = rng.pick(_TEXTS["papers"])
    style = replace(random_style(rng), paper=paper["colour"], pattern="plain")
    facts = _describe_object(pieces[0], 1, language) | _describe_object(pieces[1], 2, language)
    facts |= {f"place{k}": _TEXTS["places"][language][row][column] for k, (row, column) in enumerate(cells, 1)}
    border = rng.pick(COLOURS)
    facts |= {"paper": paper[language], "border": border.name_in(language)}
    canvas = blank_canvas(_WIDE, _HIGH, style)
    canvas.rectangle((5, 5, _WIDE - 5, _HIGH - 5), None, rng.pick(border.shades), 10)
    draw_objects(canvas, pieces, style, rng)
    return _make_item(rng, language, _TEXTS["two"][language], facts, [render_png(canvas, style, rng)])


def _relate(rng: SampleRng, pieces: Sequence[SceneObject], start: str) -> tuple[list[SceneObject], str]:
    """Two pieces side by side or one above the other; the first is the near or the far one."""
    relation = rng.pick(("left", "above") if start == "near" else ("right", "below"))
    near, far = ((150, 210), (410, 210)) if relation in ("left", "right") else ((280, 110), (280, 310))
    ends: tuple[XY, XY] = (near, far) if relation in ("left", "above") else (far, near)
    return [_place_object(rng, piece, at) for piece, at in zip(pieces, ends, strict=True)], relation


def _pair(rng: SampleRng, language: str) -> Item:
    """Make a sample: two pictures with two things each."""
    four, style, start = unique_objects(rng, 4), random_style(rng, 0.5), rng.pick(("near", "far"))
    facts = {"start": _TEXTS["starts"][language][start]}
    pictures = []
    for k in range(2):
        pieces, relation = _relate(rng, four[2 * k : 2 * k + 2], start)
        facts |= _describe_object(pieces[0], 2 * k + 1, language) | _describe_object(pieces[1], 2 * k + 2, language)
        facts[f"relation{k + 1}"] = _TEXTS["relations"][language][relation]
        pictures.append(draw_scene(rng, pieces, (_WIDE, _HIGH), style))
    return _make_item(rng, language, _TEXTS["pair"][language], facts, pictures)


def _owned_halves(rng: SampleRng, language: str) -> Item:
    """Make a sample: two halves that the text gives to two people."""
    across = rng.chance()
    cells = [(0, 0), (0, 2), (2, 0), (2, 2)]
    pieces = [_place_object(rng, piece, _GRID[cell]) for piece, cell in zip(unique_objects(rng, 4), cells, strict=True)]
    names = rng.some(_TEXTS["people"][language], 2)
    halves = rng.shuffled(("left", "right") if across else ("top", "bottom"))
    facts: dict[str, str] = {}
    for k, half in enumerate(halves):
        objects = [p for p, cell in zip(pieces, cells, strict=True) if _in_half(cell, half)]
        for at, piece in enumerate(objects, 2 * k + 1):
            facts |= _describe_object(piece, at, language)
        facts[f"owner{k + 1}"] = names[k]
    style = random_style(rng, 0.5)
    canvas = blank_canvas(_WIDE, _HIGH, style)
    middle = [(_WIDE / 2, 0.0), (_WIDE / 2, float(_HIGH))] if across else [(0.0, 210.0), (float(_WIDE), 210.0)]
    canvas.line(middle, "#444444", 3, rng.pick((None, (12.0, 7.0))))
    draw_objects(canvas, pieces, style, rng)
    item = _make_item(rng, language, _TEXTS["owned"][language], facts, [render_png(canvas, style, rng)])
    owned = {f"half{k}": _TEXTS["halves"][language][half] for k, half in enumerate(halves, 1)}
    order = _TEXTS["orders"][language]["down" if across else "across"]
    ownership = fill_wording(rng, _TEXTS["given"], language, first=names[0], second=names[1], **owned, order=order)
    return replace(item, question=ownership + item.question)


def _in_half(cell: tuple[int, int], half: str) -> bool:
    return {"left": cell[1] == 0, "right": cell[1] == 2, "top": cell[0] == 0, "bottom": cell[0] == 2}[half]


def _story(rng: SampleRng, language: str) -> Item:
    """Make a sample: three panels: a start and two changes."""
    first, second, third = unique_objects(rng, 3)
    start = rng.pick(("near", "far"))
    scene, relation = _relate(rng, (first, second), start)
    scene = [replace(piece, radius=rng.pick((44.0, 48.0))) for piece in scene]
    facts = _describe_object(scene[0], 1, language) | _describe_object(scene[1], 2, language)
    facts |= {"relation1": _TEXTS["relations"][language][relation], "start": _TEXTS["starts"][language][start]}
    panels = [scene]
    for k, change in enumerate(rng.some(list(_CHANGES), 2), 1):
        scene, names = _CHANGES[change](rng, language, panels[-1], third)
        facts[f"change{k}"] = _TEXTS["change_texts"][language][change].format(**names)
        panels.append(scene)
    style = random_style(rng, 0.4)
    pictures = [draw_scene(rng, scene, (_WIDE, _HIGH), style) for scene in panels]
    del facts["size1"], facts["size2"]
    return _make_item(rng, language, _TEXTS["story"][language], facts, pictures)


Changed = tuple[list[SceneObject], dict[str, str]]
"""The scene after a change, and what its sentence names."""
Change = Callable[[SampleRng, str, list[SceneObject], SceneObject], Changed]


def _names(piece: SceneObject, language: str) -> dict[str, str]:
    return {"thing": piece.thing.name_in(language), "colour": piece.colour.name_in(language)}


def _turns(rng: SampleRng, language: str, scene: list[SceneObject], _: SceneObject) -> Changed:
    """One thing gets another colour."""
    at = rng.whole(0, 1)
    used = {piece.colour.name for piece in scene}
    fresh = replace(scene[at], colour=rng.pick([colour for colour in COLOURS if colour.name not in used]))
    return [fresh if k == at else piece for k, piece in enumerate(scene)], _names(fresh, language)


def _appears(rng: SampleRng, language: str, scene: list[SceneObject], guest: SceneObject) -> Changed:
    """A third thing comes to a corner."""
    (x, y), (row, column) = rng.pick(list(_CORNERS.items()))
    placed = replace(guest, x=x, y=y, radius=40.0)
    return [*scene, placed], _names(placed, language) | {"place": _TEXTS["places"][language][row][column]}


def _resizes(rng: SampleRng, language: str, scene: list[SceneObject], _: SceneObject) -> Changed:
    """One thing grows or shrinks."""
    at, grows = rng.whole(0, 1), rng.chance()
    fresh = replace(scene[at], radius=78.0 if grows else 22.0)
    how = _TEXTS["resized"][language]["larger" if grows else "smaller"]
    return [fresh if k == at else piece for k, piece in enumerate(scene)], _names(fresh, language) | {"how": how}


def _swaps(rng: SampleRng, language: str, scene: list[SceneObject], _: SceneObject) -> Changed:
    """The two things change places."""
    one, two = scene[:2]
    swapped = [replace(one, x=two.x, y=two.y), replace(two, x=one.x, y=one.y)]
    return [*swapped, *scene[2:]], {"thing": one.thing.name_in(language), "other": two.thing.name_in(language)}


_CHANGES: dict[str, Change] = {"turns": _turns, "appears": _appears, "resizes": _resizes, "swaps": _swaps}
