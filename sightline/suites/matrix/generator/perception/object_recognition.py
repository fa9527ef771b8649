"""Which things are in the picture: alone, in two pictures, under a rule, after several steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sightline.suites.matrix.generator import scenes
from sightline.suites.matrix.generator.canvas import COLOURS, Box, Colour
from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import GLYPHS, SceneObject
from sightline.suites.matrix.generator.wording import fill_wording, join_sentences, load_texts

_TEXTS = load_texts(__name__)


_SIZES = ((560, 420), (640, 400), (480, 480), (600, 450))
_WARM, _COLD = ("red", "orange", "yellow", "pink"), ("blue", "green", "purple", "gray")


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return {"l1": _single_picture, "l2": _two_pictures, "l3": _text_rule, "l4": _multi_step}[level](rng, language)


def _make_item(rng: SampleRng, language: str, question: str, targets: Sequence[SceneObject], *pictures: bytes) -> Item:
    """Make a sample: the question with the allowed words, shuffled so that their order tells nothing."""
    comma = "、" if language == "zh" else ", "
    colours = comma.join(colour.name_in(language) for colour in rng.shuffled(COLOURS))
    things = comma.join(thing.name_in(language) for thing in rng.shuffled(GLYPHS))
    form = fill_wording(rng, _TEXTS["form"], language, colours=colours, things=things)
    return Item(
        question=join_sentences(language, question, form),
        ground_truth=[piece.label(language) for piece in targets],
        metric="f1",
        pictures=pictures,
    )


def _single_picture(rng: SampleRng, language: str) -> Item:
    size = rng.pick(_SIZES)
    pieces = scenes.random_objects(rng, rng.balanced_choice("count", (1, 2)))
    placed = scenes.scatter(rng, pieces, (10, 10, size[0] - 10, size[1] - 10), (75, 110))
    picture = scenes.draw_scene(rng, placed, size, scenes.random_style(rng))
    return _make_item(rng, language, fill_wording(rng, _TEXTS["all"], language), placed, picture)


def _two_pictures(rng: SampleRng, language: str) -> Item:
    size = rng.pick(_SIZES)
    shared = rng.balanced_choice("shared", (1, 2, 3))
    unique = rng.whole(3, 4)
    few = rng.some(COLOURS, 5)
    pieces = scenes.random_objects(rng, shared + 2 * unique, few, rng.some(GLYPHS, 8))
    common, rest = pieces[:shared], pieces[shared:]
    style = scenes.random_style(rng, rough=0.5)
    pictures = []
    for part in (rest[:unique], rest[unique:]):
        placed = scenes.scatter(rng, rng.shuffled([*common, *part]), (10, 10, size[0] - 10, size[1] - 10), (38, 58))
        pictures.append(scenes.draw_scene(rng, placed, size, style))
    return _make_item(rng, language, fill_wording(rng, _TEXTS["both"], language), common, *pictures)


def _text_rule(rng: SampleRng, language: str) -> Item:
    """Make a sample: a rule on colour and on the side of a line."""
    size, side = rng.pick(_SIZES), rng.balanced_choice("side", tuple(_TEXTS["sides"]["en"]))
    middle = rng.between(0.42, 0.58)
    rule = rng.balanced_choice("rule", ("two", "not", "warm", "cold"))
    while True:
        named = rng.some(COLOURS, 2)
        pieces = scenes.random_objects(rng, rng.whole(9, 11), rng.some(COLOURS, 6))
        placed = _off_the_line(rng, pieces, size, side, middle)
        targets = [p for p in placed if _on_side(p, size, side, middle) and _matches_rule(p.colour, rule, named)]
        fitting = sum(_matches_rule(p.colour, rule, named) for p in placed)
        if 2 <= len(targets) <= 4 and fitting > len(targets):
            break
    style = scenes.random_style(rng, rough=0.6)
    canvas = scenes.blank_canvas(*size, style)
    scenes.draw_objects(canvas, placed, style, rng)
    ends = ((middle, 0.0), (middle, 1.0)) if side in ("left", "right") else ((0.0, middle), (1.0, middle))
    line = [(x * size[0], y * size[1]) for x, y in ends]
    canvas.line(line, "#333333", rng.pick((2.0, 3.0)), rng.pick((None, (12.0, 8.0))))
    first, second = (colour.name_in(language) for colour in named)
    side_name = _TEXTS["sides"][language][side]
    question = fill_wording(rng, _TEXTS["rules"][rule], language, first=first, second=second, side=side_name)
    if rule in ("warm", "cold"):
        question = f"{_TEXTS['warmth'][language]}{question}"
    return _make_item(rng, language, question, targets, scenes.render_png(canvas, style, rng))


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
    first = scenes.scatter(rng, pieces[:half], boxes[0], (30, 44))
    return first + scenes.scatter(rng, pieces[half:], boxes[1], (30, 44))


def _on_side(piece: SceneObject, size: tuple[int, int], side: str, middle: float) -> bool:
    before = piece.x < middle * size[0] if side in ("left", "right") else piece.y < middle * size[1]
    return before == (side in ("left", "above"))


def _matches_rule(colour: Colour, rule: str, named: Sequence[Colour]) -> bool:
    if rule in ("warm", "cold"):
        return colour.name in (_WARM if rule == "warm" else _COLD)
    return (colour in named) == (rule == "two")


def _multi_step(rng: SampleRng, language: str) -> Item:
    """Make a sample: without the commonest colour and a row or column, the things whose kind still occurs twice."""
    columns = rng.pick((4, 5))
    last = rng.balanced_choice("last", ("rest", "repeated"))
    while True:
        pool = scenes.random_objects(rng, 4 * columns - 2, rng.some(COLOURS, 5), rng.some(GLYPHS, 6))
        pieces = rng.shuffled(pool)[: 3 * columns]
        colours = Counter(piece.colour.name for piece in pieces).most_common()
        strip = rng.pick(("top", "bottom", "left", "right"))
        rest = [piece for k, piece in enumerate(pieces) if not _in_strip(k, columns, strip)]
        keep = [piece for piece in rest if piece.colour.name != colours[0][0]]
        types = Counter(piece.thing.name for piece in keep)
        targets = [piece for piece in keep if last == "rest" or types[piece.thing.name] > 1]
        if colours[0][1] > colours[1][1] and 2 <= len(targets) <= 6 and (last == "rest" or len(targets) < len(keep)):
            break
    size = (140 * columns, 420)
    style = scenes.random_style(rng, rough=0.6)
    canvas = scenes.blank_canvas(*size, style)
    placed = scenes.arrange_in_grid(rng, pieces, columns, (10, 10, size[0] - 10, size[1] - 10))
    scenes.draw_objects(canvas, placed, style, rng)
    words = _TEXTS["steps"][language]
    steps = [words["colour"], words[strip], words[last]]
    comma = "；" if language == "zh" else "; "
    question = words["start"] + comma.join(f"({k}) {step}" for k, step in enumerate(steps, 1)) + words["end"]
    return _make_item(rng, language, question, targets, scenes.render_png(canvas, style, rng))


def _in_strip(at: int, columns: int, strip: str) -> bool:
    row, column = divmod(at, columns)
    return {"top": row == 0, "bottom": row == 2, "left": column == 0, "right": column == columns - 1}[strip]
