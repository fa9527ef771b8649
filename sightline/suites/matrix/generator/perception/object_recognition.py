"""Which things are in the picture: alone, in two pictures, under a rule, after several steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sightline.suites.matrix.generator.canvas import Box
from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.palette import COLOURS, Colour
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import (
    GLYPHS,
    SceneObject,
    arrange_in_grid,
    blank_canvas,
    draw_object,
    draw_scene,
    random_objects,
    random_style,
    render_png,
    scatter,
)
from sightline.suites.matrix.generator.wording import fill_wording

_ALL = {
    "en": (
        "Name every object in the picture.",
        "Which objects does the picture show?",
        "What is drawn here? Name each object once.",
    ),
    "zh": ("请说出图中的每一个物体。", "图中画了哪些物体？", "这里画的是什么？请逐一说出每个物体。"),
}
_BOTH = {
    "en": (
        "Two pictures are given. Which objects are in both, with the same colour and of the same type?",
        "Compare the two pictures and name the objects that occur in each of them (same colour, same type).",
        "Which coloured objects of the first picture are found again in the second one, wherever they stand?",
    ),
    "zh": (
        "给出两幅图。哪些物体在两幅图中都出现（颜色和种类都相同）？",
        "比较两幅图，说出两幅图中都有的物体（颜色相同、种类相同）。",
        "第一幅图中的哪些物体在第二幅图中也能找到（颜色和种类都相同，位置可以不同）？",
    ),
}
_RULES: dict[str, dict[str, tuple[str, ...]]] = {
    "two": {
        "en": (
            "List what is {first} or {second} and stands {side} the line.",
            "A line cuts the picture. Which {first} objects and which {second} objects are {side} it?",
            "Look only at the part of the picture {side} the line: what there is {first}, and what is {second}?",
        ),
        "zh": (
            "列出位于线{side}且为{first}或{second}的物体。",
            "图中有一条线。哪些{first}物体和哪些{second}物体在线的{side}？",
            "只看线{side}的部分：其中哪些物体是{first}，哪些是{second}？",
        ),
    },
    "not": {
        "en": (
            "List what stands {side} the line and is neither {first} nor {second}.",
            "Leave out everything {first} and everything {second}: what else stands {side} the line?",
        ),
        "zh": (
            "列出位于线{side}、既不是{first}也不是{second}的物体。",
            "不算{first}的和{second}的，线{side}还有哪些物体？",
        ),
    },
    "warm": {
        "en": ("List the objects {side} the line that have a warm colour.", "What stands {side} the line and is warm?"),
        "zh": ("列出位于线{side}的暖色物体。", "线{side}有哪些物体是暖色的？"),
    },
    "cold": {
        "en": ("List the objects {side} the line that have a cold colour.", "What stands {side} the line and is cold?"),
        "zh": ("列出位于线{side}的冷色物体。", "线{side}有哪些物体是冷色的？"),
    },
}
_SIDES: dict[str, dict[str, str]] = {
    "en": {"left": "to the left of", "right": "to the right of", "above": "above", "below": "below"},
    "zh": {"left": "左侧", "right": "右侧", "above": "上方", "below": "下方"},
}
_WARMTH = {
    "en": "Here red, orange, yellow and pink are warm colours, blue, green, purple and gray cold ones, "
    "black and brown neither. ",
    "zh": "这里红色、橙色、黄色和粉色是暖色，蓝色、绿色、紫色和灰色是冷色，黑色和棕色都不算。",
}
_STEPS = {
    "en": {
        "start": "The objects stand in rows and columns. Work in steps: ",
        "colour": "find the colour that most objects have and take all objects of that colour away",
        "top": "take the whole top row away",
        "bottom": "take the whole bottom row away",
        "left": "take the whole leftmost column away",
        "right": "take the whole rightmost column away",
        "rest": "list all objects that are left",
        "repeated": "of the objects that are left, list those whose type (whatever the colour) occurs at least twice",
        "end": ".",
    },
    "zh": {
        "start": "物体排成行和列。请分步完成：",
        "colour": "找出物体数量最多的颜色，去掉所有这种颜色的物体",
        "top": "去掉最上面的一整行",
        "bottom": "去掉最下面的一整行",
        "left": "去掉最左边的一整列",
        "right": "去掉最右边的一整列",
        "rest": "列出剩下的所有物体",
        "repeated": "在剩下的物体中，列出种类（不论颜色）至少出现两次的物体",
        "end": "。",
    },
}
_FORM = {
    "en": (
        "Answer with a colour and a type for each, separated by commas. Colours: {colours}. Types: {things}.",
        "Give each as colour and type, with commas between. Allowed colours: {colours}; allowed types: {things}.",
    ),
    "zh": (
        "每个物体按“颜色＋种类”作答，用逗号分隔，例如“某色某物, 某色某物”。颜色：{colours}。种类：{things}。",
        "请用“颜色＋种类”表示每个物体，用逗号隔开。可用颜色：{colours}；可用种类：{things}。",
    ),
}


_SIZES = ((560, 420), (640, 400), (480, 480), (600, 450))
_WARM, _COLD = ("red", "orange", "yellow", "pink"), ("blue", "green", "purple", "gray")


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return {"l1": _single_picture, "l2": _two_pictures, "l3": _text_rule, "l4": _multi_step}[level](rng, language)


def _make_item(
    rng: SampleRng, language: str, question: str, found: Sequence[SceneObject], pictures: tuple[bytes, ...]
) -> Item:
    """The question with the words that are allowed, in another order each time so that they tell nothing."""
    zh = language == "zh"
    comma = "、" if zh else ", "
    colours = comma.join(colour.zh if zh else colour.name for colour in rng.shuffled(COLOURS))
    things = comma.join(thing.zh if zh else thing.name for thing in rng.shuffled(GLYPHS))
    form = fill_wording(rng, _FORM, language, colours=colours, things=things)
    return Item(
        question=f"{question}{'' if zh else ' '}{form}",
        ground_truth=[piece.label(language) for piece in found],
        metric="f1",
        pictures=pictures,
    )


def _single_picture(rng: SampleRng, language: str) -> Item:
    size = rng.pick(_SIZES)
    pieces = random_objects(rng, rng.balanced_choice("count", (1, 2)))
    placed = scatter(rng, pieces, (10, 10, size[0] - 10, size[1] - 10), (75, 110))
    picture = draw_scene(rng, placed, size, random_style(rng))
    return _make_item(rng, language, fill_wording(rng, _ALL, language), placed, (picture,))


def _two_pictures(rng: SampleRng, language: str) -> Item:
    size = rng.pick(_SIZES)
    shared = rng.balanced_choice("shared", (1, 2, 3))
    own = rng.whole(3, 4)
    few = rng.some(COLOURS, 5)
    pieces = random_objects(rng, shared + 2 * own, few, rng.some(GLYPHS, 8))
    common, rest = pieces[:shared], pieces[shared:]
    look = random_style(rng, rough=0.5)
    pictures = tuple(
        draw_scene(
            rng,
            scatter(rng, rng.shuffled([*common, *part]), (10, 10, size[0] - 10, size[1] - 10), (38, 58)),
            size,
            look,
        )
        for part in (rest[:own], rest[own:])
    )
    return _make_item(rng, language, fill_wording(rng, _BOTH, language), common, pictures)


def _text_rule(rng: SampleRng, language: str) -> Item:
    """A rule on colour and on the side of a line."""
    size, side = rng.pick(_SIZES), rng.balanced_choice("side", tuple(_SIDES["en"]))
    middle = rng.between(0.42, 0.58)
    rule = rng.balanced_choice("rule", ("two", "not", "warm", "cold"))
    while True:
        named = rng.some(COLOURS, 2)
        pieces = random_objects(rng, rng.whole(9, 11), rng.some(COLOURS, 6))
        placed = _off_the_line(rng, pieces, size, side, middle)
        found = [p for p in placed if _on_side(p, size, side, middle) and _matches_rule(p.colour, rule, named)]
        fitting = sum(_matches_rule(p.colour, rule, named) for p in placed)
        if 2 <= len(found) <= 4 and fitting > len(found):
            break
    look = random_style(rng, rough=0.6)
    canvas = blank_canvas(*size, look)
    for piece in placed:
        draw_object(canvas, piece, look, rng)
    ends = ((middle, 0.0), (middle, 1.0)) if side in ("left", "right") else ((0.0, middle), (1.0, middle))
    line = [(x * size[0], y * size[1]) for x, y in ends]
    canvas.line(line, "#333333", rng.pick((2.0, 3.0)), rng.pick((None, (12.0, 8.0))))
    names = [colour.zh if language == "zh" else colour.name for colour in named]
    question = fill_wording(
        rng, {language: _RULES[rule][language]}, language, first=names[0], second=names[1], side=_SIDES[language][side]
    )
    if rule in ("warm", "cold"):
        question = f"{_WARMTH[language]}{question}"
    return _make_item(rng, language, question, found, (render_png(canvas, look, rng),))


def _off_the_line(
    rng: SampleRng, pieces: list[SceneObject], size: tuple[int, int], side: str, middle: float
) -> list[SceneObject]:
    """Each piece wholly on one side."""
    wide, high = size
    half = len(pieces) // 2
    boxes: tuple[Box, Box]
    if side in ("left", "right"):
        boxes = ((8, 8, middle * wide - 8, high - 8), (middle * wide + 8, 8, wide - 8, high - 8))
    else:
        boxes = ((8, 8, wide - 8, middle * high - 8), (8, middle * high + 8, wide - 8, high - 8))
    first = scatter(rng, pieces[:half], boxes[0], (30, 44))
    return first + scatter(rng, pieces[half:], boxes[1], (30, 44))


def _on_side(piece: SceneObject, size: tuple[int, int], side: str, middle: float) -> bool:
    before = piece.x < middle * size[0] if side in ("left", "right") else piece.y < middle * size[1]
    return before == (side in ("left", "above"))


def _matches_rule(colour: Colour, rule: str, named: Sequence[Colour]) -> bool:
    match rule:
        case "two":
            return colour in named
        case "not":
            return colour not in named
        case "warm":
            return colour.name in _WARM
    return colour.name in _COLD


def _multi_step(rng: SampleRng, language: str) -> Item:
    """Take away the commonest colour, then a row or column, then keep the things whose kind still occurs twice."""
    columns = rng.pick((4, 5))
    last = rng.balanced_choice("last", ("rest", "repeated"))
    while True:
        pieces = rng.shuffled(random_objects(rng, 4 * columns - 2, rng.some(COLOURS, 5), rng.some(GLYPHS, 6)))[
            : 3 * columns
        ]
        colours = Counter(piece.colour.name for piece in pieces).most_common()
        strip = rng.pick(("top", "bottom", "left", "right"))
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
    look = random_style(rng, rough=0.6)
    canvas = blank_canvas(*size, look)
    for piece in arrange_in_grid(rng, pieces, columns, (10, 10, size[0] - 10, size[1] - 10)):
        draw_object(canvas, piece, look, rng)
    words = _STEPS[language]
    steps = [words["colour"], words[strip], words[last]]
    comma = "；" if language == "zh" else "; "
    question = words["start"] + comma.join(f"({k}) {step}" for k, step in enumerate(steps, 1)) + words["end"]
    return _make_item(rng, language, question, found, (render_png(canvas, look, rng),))


def _in_strip(at: int, columns: int, strip: str) -> bool:
    row, column = divmod(at, columns)
    return {"top": row == 0, "bottom": row == 2, "left": column == 0, "right": column == columns - 1}[strip]
