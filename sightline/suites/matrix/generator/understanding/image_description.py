"""One sentence on a picture: which facts in which order is said, so that words can be compared.

The references hardly hold words that are not facts: who has not seen the picture shares few runs of words with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from sightline.suites.matrix.generator.canvas import XY
from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.palette import COLOUR_BY_NAME as COLOUR_NAMED
from sightline.suites.matrix.generator.palette import COLOURS
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import (
    SceneObject,
    SceneStyle,
    blank_canvas,
    draw_object,
    random_style,
    render_png,
    unique_objects,
)
from sightline.suites.matrix.generator.wording import fill_wording

_SIZES = {"en": {"large": "large", "small": "small"}, "zh": {"large": "大", "small": "小"}}
_ROWS = {"en": ("top", "middle", "bottom"), "zh": ("上", "中", "下")}
_COLUMNS = {"en": ("left", "centre", "right"), "zh": ("左", "中", "右")}
_ZH_PLACES = (("左上角", "正上方", "右上角"), ("左侧", "正中", "右侧"), ("左下角", "正下方", "右下角"))
_PLACES: dict[str, dict[tuple[int, int], str]] = {
    "en": {(r, c): f"{_ROWS['en'][r]} {_COLUMNS['en'][c]}" for r in range(3) for c in range(3)},
    "zh": {(r, c): _ZH_PLACES[r][c] for r in range(3) for c in range(3)},
}
_CORNERS = {(0, 0): (90.0, 70.0), (0, 2): (470.0, 70.0), (2, 0): (90.0, 350.0), (2, 2): (470.0, 350.0)}
_RELATIONS = {
    "en": {"left": "left of", "right": "right of", "above": "above", "below": "below"},
    "zh": {"left": "左边", "right": "右边", "above": "上方", "below": "下方"},
}
_PAPERS = {
    "white": {"en": "white", "zh": "白", "paper": "#ffffff"},
    "blue": {"en": "blue", "zh": "蓝", "paper": "#c5defa"},
    "green": {"en": "green", "zh": "绿", "paper": "#c9ecc5"},
    "yellow": {"en": "yellow", "zh": "黄", "paper": "#fbf0b4"},
    "gray": {"en": "gray", "zh": "灰", "paper": "#d3d3d3"},
    "purple": {"en": "purple", "zh": "紫", "paper": "#dfcff3"},
}
_STARTS = {
    "en": {"near": "at the left or on top", "far": "at the right or at the bottom"},
    "zh": {"near": "左边或上面", "far": "右边或下面"},
}
_HALVES = {
    "en": {"left": "left", "right": "right", "top": "upper", "bottom": "lower"},
    "zh": {"left": "左半边", "right": "右半边", "top": "上半边", "bottom": "下半边"},
}
_ORDERS = {
    "en": {"down": "from top to bottom", "across": "from left to right"},
    "zh": {"down": "从上到下", "across": "从左到右"},
}
_PEOPLE = {
    "en": ("Ada", "Boris", "Chen", "Dora", "Emil", "Farid", "Greta", "Hugo", "Ines", "Jakob", "Keiko", "Luis"),
    "zh": ("阿明", "小芳", "老陈", "丽丽", "大伟", "小雪", "阿强", "文文", "老赵", "晓东", "阿珍", "小磊"),
}
_GAPS = {
    "en": {
        "size": "size",
        "colour": "colour",
        "thing": "object",
        "place": "place",
        "paper": "paper colour",
        "border": "border colour",
        "relation": "left of, right of, above or below",
        "owner": "name",
        "change": "what changes",
    },
    "zh": {
        "size": "大/小",
        "colour": "颜色",
        "thing": "物体",
        "place": "位置",
        "paper": "底色",
        "border": "边框颜色",
        "relation": "左边/右边/上方/下方",
        "owner": "姓名",
        "change": "变化",
    },
}
_TWO = {
    "en": {
        "forms": (
            "a {size1} {colour1} {thing1} {place1}, a {size2} {colour2} {thing2} {place2}, {paper} paper, {border} "
            "border",
            "{place1} a {size1} {colour1} {thing1}, {place2} a {size2} {colour2} {thing2}, {paper} paper with {border} "
            "border",
            "{border} border and {paper} paper, a {size1} {colour1} {thing1} {place1}, a {size2} {colour2} {thing2} "
            "{place2}",
        ),
        "asks": (
            "Describe the picture in one sentence of this form: {form} Of the two objects take the one farther left "
            'first. Sizes are large and small, places are words such as "top centre" or "middle right", paper is '
            "white, blue, green, yellow, gray or purple.",
            "Fill in this form for the picture, beginning with the object that stands farther left. Sizes are large "
            "and small, places are top, middle or bottom with left, centre or right; the paper is white or a pale "
            "blue, green, yellow, gray or purple (write it without pale). Reply with the sentence only: {form}",
        ),
    },
    "zh": {
        "forms": (
            "{place1}{size1}{colour1}{thing1}，{place2}{size2}{colour2}{thing2}，{paper}底{border}边",
            "{size1}{colour1}{thing1}在{place1}，{size2}{colour2}{thing2}在{place2}，{border}边框{paper}底",
            "{paper}底{border}边，{place1}有{size1}{colour1}{thing1}，{place2}有{size2}{colour2}{thing2}",
        ),
        "asks": (
            "用一句话描述图片，先说靠左的物体，再说另一个。请按此句式：{form} 大小只用“大”和“小”；位置用左上角、"
            "正上方、右上角、左侧、正中、右侧、左下角、正下方、右下角；底色用白、蓝、绿、黄、灰、紫。",
            "请按图片填写下面的句子，先写靠左的物体，只回复填好的句子：{form} 位置用左上角、正上方、右上角、左侧、"
            "正中、右侧、左下角、正下方、右下角；底色为白、蓝、绿、黄、灰、紫之一（浅色也这样写）；大小用“大”或“小”。",
        ),
    },
}
_PAIR = {
    "en": {
        "forms": (
            "first a {size1} {colour1} {thing1} {relation1} a {size2} {colour2} {thing2}, then a {size3} {colour3} "
            "{thing3} {relation2} a {size4} {colour4} {thing4}",
            "picture one: {size1} {colour1} {thing1} {relation1} a {size2} {colour2} {thing2}; picture two: {size3} "
            "{colour3} {thing3} {relation2} a {size4} {colour4} {thing4}",
        ),
        "asks": (
            "Describe both pictures in one sentence, the first picture first. In each, name the two objects with size "
            "(large or small), colour and kind and how the one named first stands to the other; begin in each with the "
            "object {start}. Keep to this form: {form}",
            "Fill in this form for the two pictures; sizes are large and small. Start in each picture with the object "
            "{start}. Reply with the sentence only: {form}",
        ),
    },
    "zh": {
        "forms": (
            "先看{size1}{colour1}{thing1}在{size2}{colour2}{thing2}{relation1}，再看{size3}{colour3}{thing3}在"
            "{size4}{colour4}{thing4}{relation2}",
            "{size1}{colour1}{thing1}位于{size2}{colour2}{thing2}{relation1}，接着{size3}{colour3}{thing3}位于"
            "{size4}{colour4}{thing4}{relation2}",
        ),
        "asks": (
            "用一句话依次描述两幅图：每幅图说出两个物体的大小（大或小）、颜色、种类和相互位置，先说{start}的物体。"
            "请按此句式：{form}",
            "请按两幅图填写下面的句子（大小只用“大”和“小”），每幅图先写{start}的物体，只回复填好的句子：{form}",
        ),
    },
}
_OWNED = {
    "en": {
        "forms": (
            "{owner1} owns a {size1} {colour1} {thing1} and a {size2} {colour2} {thing2}, {owner2} a {size3} {colour3} "
            "{thing3} and a {size4} {colour4} {thing4}",
            "a {size1} {colour1} {thing1} and {size2} {colour2} {thing2} belong to {owner1}, a {size3} {colour3} "
            "{thing3} and {size4} {colour4} {thing4} to {owner2}",
        ),
        "asks": (
            "Say in one sentence who owns what, each object with size (large or small), colour and kind. Keep to this "
            "form: {form}",
            "Write one sentence of this form, with sizes large and small: {form}",
        ),
    },
    "zh": {
        "forms": (
            "{owner1}有{size1}{colour1}{thing1}和{size2}{colour2}{thing2}，{owner2}有{size3}{colour3}{thing3}和"
            "{size4}{colour4}{thing4}",
            "{size1}{colour1}{thing1}和{size2}{colour2}{thing2}归{owner1}，{size3}{colour3}{thing3}和"
            "{size4}{colour4}{thing4}归{owner2}",
        ),
        "asks": (
            "用一句话说明谁有什么，每个物体说出大小（大或小）、颜色和种类。请按此句式：{form}",
            "请写一句这样的话（大小只用“大”和“小”）：{form}",
        ),
    },
}
_GIVEN = {
    "en": (
        "A line cuts the picture. All in the {half1} half belongs to {first}, all in the {half2} half to {second}; "
        "name {first} first, and within a half go {order}. ",
        "{first} has everything in the {half1} half of the picture, {second} everything in the {half2} half. Take "
        "{first} before {second}, and the objects of a half {order}. ",
    ),
    "zh": (
        "一条线把图分成两半：{half1}的东西都归{first}，{half2}的东西都归{second}。先说{first}，同一半内{order}。",
        "图中{half1}的物体属于{first}，{half2}的物体属于{second}。先写{first}再写{second}，每一半内{order}。",
    ),
}
_STORY = {
    "en": {
        "forms": (
            "first a {colour1} {thing1} is {relation1} a {colour2} {thing2}, then {change1}, finally {change2}",
            "a {colour1} {thing1} begins {relation1} a {colour2} {thing2}, next {change1}, at last {change2}",
        ),
        "asks": (
            "The three pictures are a sequence. Tell it in one sentence of this form, starting with the object {start} "
            'in the first picture: {form} Changes are told as "the <object> turns <colour>", "the <object> gets '
            'larger" (or "smaller"), "the <object named first> and the <other object> swap places", or "a <colour> '
            '<object> appears <place such as top left>".',
            "Tell in one sentence what the three pictures show one after the other. Begin with the object {start} in "
            'the first one and keep to this form: {form} Say changes like this: "the <object> turns <colour>", "the '
            '<object> gets larger" (or "smaller"), "the <object named first> and the <other object> swap places", "a '
            '<colour> <object> appears <place such as bottom right>".',
        ),
    },
    "zh": {
        "forms": (
            "起初{colour1}{thing1}在{colour2}{thing2}{relation1}，然后{change1}，最后{change2}",
            "一开始{colour1}{thing1}位于{colour2}{thing2}{relation1}，接着{change1}，末了{change2}",
        ),
        "asks": (
            "三幅图是一个序列。请用一句话按此句式叙述，从第一幅图中{start}的物体说起：{form} 变化的说法为“<物体>变成<"
            "颜色>”、“<物体>变大”或“变小”、“<先说的物体>与<另一物体>互换位置”或“<位置，如左上角>出现<颜色><物体>”。",
            "请用一句话依次说出三幅图的内容，先说第一幅图中{start}的物体，句式为：{form} 变化写作“<物体>变成<颜色>”、"
            "“<物体>变大”或“变小”、“<先说的物体>与<另一物体>互换位置”、“<位置，如右下角>出现<颜色><物体>”。",
        ),
    },
}
_CHANGE_TEXTS = {
    "en": {
        "turns": "the {thing} turns {colour}",
        "appears": "a {colour} {thing} appears {place}",
        "resizes": "the {thing} gets {how}",
        "swaps": "the {thing} and the {other} swap places",
    },
    "zh": {
        "turns": "{thing}变成{colour}",
        "appears": "{place}出现{colour}{thing}",
        "resizes": "{thing}变{how}",
        "swaps": "{thing}与{other}互换位置",
    },
}


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
    """One of the forms is shown with its gaps and comes first among the references."""
    forms = rng.shuffled(texts["forms"])
    gaps = {key: f"<{_GAPS[language][key.rstrip('0123456789')]}>" for key in facts if key != "start"}
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
    zh = language == "zh"
    size = "large" if piece.radius > (_LARGE + _SMALL) / 2 else "small"
    return {
        f"size{at}": _SIZES[language][size],
        f"colour{at}": piece.colour.zh if zh else piece.colour.name,
        f"thing{at}": piece.thing.zh if zh else piece.thing.name,
    }


def _place_object(rng: SampleRng, piece: SceneObject, at: XY) -> SceneObject:
    return replace(piece, x=at[0], y=at[1], radius=rng.pick((_LARGE, _SMALL)))


def _draw_objects(rng: SampleRng, pieces: Sequence[SceneObject], look: SceneStyle) -> bytes:
    canvas = blank_canvas(_WIDE, _HIGH, look)
    for piece in pieces:
        draw_object(canvas, piece, look, rng)
    return render_png(canvas, look, rng)


def _two_objects(rng: SampleRng, language: str) -> Item:
    """Two things, their places, the paper and its border."""
    columns = sorted(rng.some(range(3), 2))
    cells = [(rng.whole(0, 2), column) for column in columns]
    pieces = [_place_object(rng, piece, _GRID[cell]) for piece, cell in zip(unique_objects(rng, 2), cells, strict=True)]
    paper = rng.pick(list(_PAPERS))
    look = replace(random_style(rng), paper=_PAPERS[paper]["paper"], pattern="plain")
    facts = _describe_object(pieces[0], 1, language) | _describe_object(pieces[1], 2, language)
    facts |= {f"place{k}": _PLACES[language][cell] for k, cell in enumerate(cells, 1)}
    border = rng.pick(COLOURS)
    facts |= {"paper": _PAPERS[paper][language], "border": border.zh if language == "zh" else border.name}
    canvas = blank_canvas(_WIDE, _HIGH, look)
    canvas.rectangle((5, 5, _WIDE - 5, _HIGH - 5), None, rng.pick(border.shades), 10)
    for piece in pieces:
        draw_object(canvas, piece, look, rng)
    return _make_item(rng, language, _TWO[language], facts, [render_png(canvas, look, rng)])


def _relate(rng: SampleRng, pieces: Sequence[SceneObject], start: str) -> tuple[list[SceneObject], str]:
    """Two pieces side by side or one above the other; the first is the near or the far one."""
    relation = rng.pick(("left", "above") if start == "near" else ("right", "below"))
    near, far = ((150, 210), (410, 210)) if relation in ("left", "right") else ((280, 110), (280, 310))
    ends: tuple[XY, XY] = (near, far) if relation in ("left", "above") else (far, near)
    return [_place_object(rng, piece, at) for piece, at in zip(pieces, ends, strict=True)], relation


def _pair(rng: SampleRng, language: str) -> Item:
    """Two pictures with two things each."""
    four, look, start = unique_objects(rng, 4), random_style(rng, 0.5), rng.pick(("near", "far"))
    facts = {"start": _STARTS[language][start]}
    pictures = []
    for k in range(2):
        pieces, relation = _relate(rng, four[2 * k : 2 * k + 2], start)
        facts |= _describe_object(pieces[0], 2 * k + 1, language) | _describe_object(pieces[1], 2 * k + 2, language)
        facts[f"relation{k + 1}"] = _RELATIONS[language][relation]
        pictures.append(_draw_objects(rng, pieces, look))
    return _make_item(rng, language, _PAIR[language], facts, pictures)


def _owned_halves(rng: SampleRng, language: str) -> Item:
    """Two halves that the text gives to two people."""
    across = rng.chance()
    cells = [(0, 0), (0, 2), (2, 0), (2, 2)]
    pieces = [_place_object(rng, piece, _GRID[cell]) for piece, cell in zip(unique_objects(rng, 4), cells, strict=True)]
    names = rng.some(_PEOPLE[language], 2)
    halves = rng.shuffled(("left", "right") if across else ("top", "bottom"))
    facts: dict[str, str] = {}
    at = 1
    for k, half in enumerate(halves):
        mine = [p for p, cell in zip(pieces, cells, strict=True) if _in_half(cell, half)]
        for piece in mine:
            facts |= _describe_object(piece, at, language)
            at += 1
        facts[f"owner{k + 1}"] = names[k]
    look = random_style(rng, 0.5)
    canvas = blank_canvas(_WIDE, _HIGH, look)
    middle = [(_WIDE / 2, 0.0), (_WIDE / 2, float(_HIGH))] if across else [(0.0, 210.0), (float(_WIDE), 210.0)]
    canvas.line(middle, "#444444", 3, rng.pick((None, (12.0, 7.0))))
    for piece in pieces:
        draw_object(canvas, piece, look, rng)
    item = _make_item(rng, language, _OWNED[language], facts, [render_png(canvas, look, rng)])
    given = fill_wording(
        rng,
        _GIVEN,
        language,
        first=names[0],
        second=names[1],
        half1=_HALVES[language][halves[0]],
        half2=_HALVES[language][halves[1]],
        order=_ORDERS[language]["down" if across else "across"],
    )
    return Item(
        question=given + item.question, ground_truth=item.ground_truth, metric=item.metric, pictures=item.pictures
    )


def _in_half(cell: tuple[int, int], half: str) -> bool:
    return {"left": cell[1] == 0, "right": cell[1] == 2, "top": cell[0] == 0, "bottom": cell[0] == 2}[half]


def _story(rng: SampleRng, language: str) -> Item:
    """Three panels: a start and two changes."""
    first, second, third = unique_objects(rng, 3)
    start = rng.pick(("near", "far"))
    scene, relation = _relate(rng, (first, second), start)
    scene = [replace(piece, radius=rng.pick((44.0, 48.0))) for piece in scene]
    facts = _describe_object(scene[0], 1, language) | _describe_object(scene[1], 2, language)
    facts |= {"relation1": _RELATIONS[language][relation], "start": _STARTS[language][start]}
    panels = [scene]
    for k, change in enumerate(rng.some(list(_CHANGES), 2), 1):
        scene, said = _CHANGES[change](rng, panels[-1], third)
        zh = language == "zh"
        instruction = {key: value[1] if zh else value[0] for key, value in said.items()}
        facts[f"change{k}"] = _CHANGE_TEXTS[language][change].format(**instruction)
        panels.append(scene)
    look = random_style(rng, 0.4)
    pictures = [_draw_objects(rng, scene, look) for scene in panels]
    del facts["size1"], facts["size2"]
    return _make_item(rng, language, _STORY[language], facts, pictures)


Change = Callable[[SampleRng, list[SceneObject], SceneObject], tuple[list[SceneObject], dict[str, tuple[str, str]]]]


def _names(piece: SceneObject) -> dict[str, tuple[str, str]]:
    return {"thing": (piece.thing.name, piece.thing.zh), "colour": (piece.colour.name, piece.colour.zh)}


def _turns(
    rng: SampleRng, scene: list[SceneObject], _: SceneObject
) -> tuple[list[SceneObject], dict[str, tuple[str, str]]]:
    """One thing gets another colour."""
    at = rng.whole(0, 1)
    used = {piece.colour.name for piece in scene}
    fresh = replace(scene[at], colour=COLOUR_NAMED[rng.pick([c.name for c in COLOURS if c.name not in used])])
    return [fresh if k == at else piece for k, piece in enumerate(scene)], _names(fresh)


def _appears(
    rng: SampleRng, scene: list[SceneObject], guest: SceneObject
) -> tuple[list[SceneObject], dict[str, tuple[str, str]]]:
    """A third thing comes to a corner."""
    corner = rng.pick(((90.0, 70.0), (470.0, 70.0), (90.0, 350.0), (470.0, 350.0)))
    there = next(key for key, at in _CORNERS.items() if at == corner)
    placed = replace(guest, x=corner[0], y=corner[1], radius=40.0)
    place = (_PLACES["en"][there], _PLACES["zh"][there])
    return [*scene, placed], _names(placed) | {"place": place}


def _resizes(
    rng: SampleRng, scene: list[SceneObject], _: SceneObject
) -> tuple[list[SceneObject], dict[str, tuple[str, str]]]:
    """One thing grows or shrinks."""
    at, grows = rng.whole(0, 1), rng.chance()
    fresh = replace(scene[at], radius=78.0 if grows else 22.0)
    how = ("larger", "大") if grows else ("smaller", "小")
    return [fresh if k == at else piece for k, piece in enumerate(scene)], _names(fresh) | {"how": how}


def _swaps(
    rng: SampleRng, scene: list[SceneObject], _: SceneObject
) -> tuple[list[SceneObject], dict[str, tuple[str, str]]]:
    """The two things change places."""
    one, two = scene[:2]
    swapped = [replace(one, x=two.x, y=two.y), replace(two, x=one.x, y=one.y)]
    return [*swapped, *scene[2:]], {"thing": (one.thing.name, one.thing.zh), "other": (two.thing.name, two.thing.zh)}


_CHANGES: dict[str, Change] = {"turns": _turns, "appears": _appears, "resizes": _resizes, "swaps": _swaps}
