"""Where things are: four options of the same kind, each right about as often as the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from sightline.suites.matrix.generator.canvas import XY
from sightline.suites.matrix.generator.item import Item, Scenes
from sightline.suites.matrix.generator.perception import spatial_maps
from sightline.suites.matrix.generator.perception.spatial_maps import SIZE, STEP, make_choice_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import (
    SceneObject,
    blank_canvas,
    draw_objects,
    draw_scene,
    random_style,
    render_png,
    scatter,
    unique_objects,
)
from sightline.suites.matrix.generator.wording import fill_wording, load_texts

_TEXTS = load_texts(__name__)

_WAYS = ("left", "right", "up", "down")
_FRAMES = {"en": {"box": "dashed box", "round": "dashed circle"}, "zh": {"box": "虚线方框", "round": "虚线圆圈"}}


_INNER = (10, 10, SIZE[0] - 10, SIZE[1] - 10)
_CLEAR = 30.0
"""Pixels by which a relation must hold."""


def make_label_item(
    rng: SampleRng, question: str, right: SceneObject, others: Sequence[SceneObject], language: str
) -> Callable[..., Item]:
    """A question whose options are things in the picture."""
    wrong = [piece.label(language) for piece in others]
    return lambda *pictures: make_choice_item(rng, question, right.label(language), wrong, *pictures)


def _labels(language: str, *pieces: SceneObject) -> dict[str, str]:
    return {key: piece.label(language) for key, piece in zip(("first", "second", "third"), pieces, strict=False)}


def offsets(first: SceneObject, second: SceneObject) -> dict[str, float]:
    """How far the first lies beyond the second in each direction."""
    dx, dy = first.x - second.x, first.y - second.y
    return {"left": -dx, "right": dx, "up": -dy, "down": dy}


def direction(rng: SampleRng, language: str) -> Item:
    """Make a sample: left, right, above or below: one of them clearly."""
    way = rng.balanced_choice("truth", _WAYS)
    dx, dy = STEP[way]
    while True:
        pieces = scatter(rng, unique_objects(rng, rng.whole(3, 5)), _INNER, (38, 52))
        first, second = pieces[:2]
        far = (first.x - second.x) * dx + (first.y - second.y) * dy
        aside = abs((first.x - second.x) * dy) + abs((first.y - second.y) * dx)
        if far > 90 and aside < 0.3 * far:
            break
    question = fill_wording(rng, _TEXTS["direction"], language, **_labels(language, first, second))
    sides = _TEXTS["side_texts"][language]
    wrong = [text for key, text in sides.items() if key != way]
    return make_choice_item(rng, question, sides[way], wrong, draw_scene(rng, pieces, SIZE, random_style(rng)))


def extreme(rng: SampleRng, language: str) -> Item:
    """Make a sample: farthest to one side."""
    way = rng.balanced_choice("extreme", _WAYS)
    dx, dy = STEP[way]
    while True:
        pieces = scatter(rng, unique_objects(rng, 4), _INNER, (38, 55))
        ranked = sorted(pieces, key=lambda piece: -(piece.x * dx + piece.y * dy))
        if offsets(ranked[0], ranked[1])[way] > 2 * _CLEAR:
            break
    ask = make_label_item(rng, _TEXTS["extreme"][way][language], ranked[0], ranked[1:], language)
    return ask(draw_scene(rng, pieces, SIZE, random_style(rng)))


def inside(rng: SampleRng, language: str) -> Item:
    """Make a sample: one thing in a frame."""
    pieces = scatter(rng, unique_objects(rng, 4), _INNER, (40, 52), gap=34)
    style, frame = random_style(rng), rng.pick(("box", "round"))
    canvas = blank_canvas(*SIZE, style)
    draw_objects(canvas, pieces, style, rng)
    chosen = pieces[0]
    corners, radius = (4, (chosen.radius + 12) * 1.3) if frame == "box" else (60, chosen.radius + 16)
    ring = [
        (chosen.x + radius * math.cos(a), chosen.y + radius * math.sin(a))
        for a in (math.pi * (2 * k + 1) / corners for k in range(corners + 1))
    ]
    dashes = (9.0, 6.0) if frame == "box" else None
    for k in range(0, corners, 2 if frame == "round" else 1):
        canvas.line(ring[k : k + 2], "#333333", 2.5, dashes)
    question = fill_wording(rng, _TEXTS["inside"], language, frame=_FRAMES[language][frame])
    return make_label_item(rng, question, chosen, pieces[1:], language)(render_png(canvas, style, rng))


def both(rng: SampleRng, language: str) -> Item:
    """Make a sample: one side of one thing and one side of another."""
    while True:
        pieces = scatter(rng, unique_objects(rng, 7), _INNER, (30, 42))
        first, second, *rest = pieces
        sides = (rng.pick(("left", "right")), rng.pick(("up", "down")))
        held = [(offsets(piece, first)[sides[0]], offsets(piece, second)[sides[1]]) for piece in rest]
        fitting = [piece for piece, far in zip(rest, held, strict=True) if min(far) > 0]
        half = sum((a > 0) != (b > 0) for a, b in held)
        if len(fitting) == 1 and half >= 3 and all(abs(far) > _CLEAR for pair in held for far in pair):
            break
    right = fitting[0]
    one_sided = [p for p, (a, b) in zip(rest, held, strict=True) if (a > 0) != (b > 0)]
    first_side, second_side = (_TEXTS["relations"][language][side] for side in sides)
    labels = _labels(language, first, second)
    question = fill_wording(rng, _TEXTS["both"], language, **labels, first_side=first_side, second_side=second_side)
    ask = make_label_item(rng, question, right, one_sided, language)
    return ask(draw_scene(rng, pieces, SIZE, random_style(rng, 0.5)))


def moved(rng: SampleRng, language: str) -> Item:
    """Make a sample: two pictures, one thing elsewhere."""
    way = rng.balanced_choice("truth", _WAYS)
    dx, dy = STEP[way]
    while True:
        pieces = scatter(rng, unique_objects(rng, 6), _INNER, (30, 42))
        far = rng.between(100, 170)
        first, *rest = pieces
        after = replace(first, x=first.x + far * dx, y=first.y + far * dy)
        free = all(math.hypot(after.x - p.x, after.y - p.y) > after.radius + p.radius + 8 for p in rest)
        if free and 45 < after.x < SIZE[0] - 45 and 45 < after.y < SIZE[1] - 45:
            break
    style = random_style(rng, 0.5)
    pictures = [draw_scene(rng, scene, SIZE, style) for scene in (pieces, [after, *rest])]
    if rng.balanced_choice("asked", ("which", "where")) == "which":
        return make_label_item(rng, fill_wording(rng, _TEXTS["moved"], language), first, rest, language)(*pictures)
    headings = _TEXTS["headings"][language]
    wrong = [text for key, text in headings.items() if key != way]
    question = fill_wording(rng, _TEXTS["moved_where"], language, first=first.label(language))
    return make_choice_item(rng, question, headings[way], wrong, *pictures)


def between(rng: SampleRng, language: str) -> Item:
    """Make a sample: on the line that joins two things."""
    while True:
        pieces = scatter(rng, unique_objects(rng, 7), _INNER, (26, 36))
        first, second, middle, *rest = pieces
        far = math.hypot(second.x - first.x, second.y - first.y)
        share = rng.between(0.38, 0.62)
        middle = replace(middle, x=first.x + share * (second.x - first.x), y=first.y + share * (second.y - first.y))
        clear = all(
            _distance_to_segment(piece, first, second) > piece.radius + 12
            and math.hypot(piece.x - middle.x, piece.y - middle.y) > piece.radius + middle.radius + 8
            for piece in rest
        )
        if far > 240 and clear:
            break
    question = fill_wording(rng, _TEXTS["between"], language, **_labels(language, first, second))
    ask = make_label_item(rng, question, middle, rest, language)
    return ask(draw_scene(rng, [first, second, middle, *rest], SIZE, random_style(rng, 0.5)))


def _distance_to_segment(piece: SceneObject, start: SceneObject, end: SceneObject) -> float:
    """Distance from the piece's middle to the stretch between two others."""
    dx, dy = end.x - start.x, end.y - start.y
    share = ((piece.x - start.x) * dx + (piece.y - start.y) * dy) / (dx * dx + dy * dy)
    share = min(1.0, max(0.0, share))
    return math.hypot(piece.x - start.x - share * dx, piece.y - start.y - share * dy)


def nearest(rng: SampleRng, language: str) -> Item:
    """Make a sample: nearest to one of two things; a decoy stands close to the other."""
    while True:
        pieces = scatter(rng, unique_objects(rng, 6), _INNER, (26, 36))
        first, second, *rest = pieces
        near = sorted(rest, key=lambda piece: math.dist((piece.x, piece.y), (first.x, first.y)))
        gaps = [math.dist((p.x, p.y), (first.x, first.y)) for p in near]
        other = [math.dist((p.x, p.y), (second.x, second.y)) for p in near]
        if gaps[1] > 1.35 * gaps[0] and other[0] > 1.3 * gaps[0] and min(other[1:]) < 0.9 * gaps[0]:
            break
    question = fill_wording(rng, _TEXTS["nearest"], language, **_labels(language, first, second))
    ask = make_label_item(rng, question, near[0], near[1:], language)
    return ask(draw_scene(rng, pieces, SIZE, random_style(rng, 0.5)))


def standpoint(rng: SampleRng, language: str) -> Item:
    """Make a sample: in front, behind, left or right of a person who faces a given direction."""
    side = rng.balanced_choice("truth", ("front", "behind", "left", "right"))
    facing = rng.between(0, 360)
    turn = {"front": 0, "behind": 180, "left": -90, "right": 90}[side] + rng.pick((-1, 1)) * rng.between(0, 18)
    middle = (SIZE[0] / 2 + rng.between(-30, 30), SIZE[1] / 2 + rng.between(-15, 15))
    if side == "front":
        turn = rng.pick((-20, 20))
    ways = (facing, facing + turn)
    reach = [(rng.between(125, 165)) for _ in ways]
    first, second, third, *rest = unique_objects(rng, 6)
    placed = [replace(first, x=middle[0], y=middle[1], radius=32)]
    for piece, angle, far in zip((second, third), ways, reach, strict=True):
        if side == "front":
            far = 100 if piece is third else 172
        at = (middle[0] + far * math.cos(math.radians(angle)), middle[1] + far * math.sin(math.radians(angle)))
        placed.append(replace(piece, x=at[0], y=at[1], radius=28))
    for piece in rest:
        free = _free_position(rng, placed, 26)
        placed.append(replace(piece, x=free[0], y=free[1], radius=26))
    question = fill_wording(rng, _TEXTS["standpoint"], language, **_labels(language, *placed[:3]))
    body = _TEXTS["person_sides"][language]
    wrong = [text for key, text in body.items() if key != side]
    return make_choice_item(rng, question, body[side], wrong, draw_scene(rng, placed, SIZE, random_style(rng, 0.5)))


def _free_position(rng: SampleRng, placed: Sequence[SceneObject], radius: float) -> XY:
    while True:
        x, y = rng.between(40, SIZE[0] - 40), rng.between(40, SIZE[1] - 40)
        if all(math.hypot(x - piece.x, y - piece.y) > radius + piece.radius + 12 for piece in placed):
            return x, y


_QUESTIONS: Scenes = {
    "l1": (direction, extreme, direction, inside),
    "l2": (both, moved, between, nearest),
    "l3": (standpoint, spatial_maps.compass, spatial_maps.neighbour),
    "l4": (spatial_maps.steps, spatial_maps.robot, spatial_maps.doors),
}


def make(rng: SampleRng, level: str, language: str) -> Item:
    """Make a sample of this kind at a level."""
    return rng.balanced_choice("way", _QUESTIONS[level])(rng, language)
