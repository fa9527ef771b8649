"""Questions on pixels: what is there, and the outlines of a class or of each of its members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from PIL import Image, ImageDraw

from sightline.suites.remote_sensing.generator.catalog import GROUNDS, GROUPS, ZH
from sightline.suites.remote_sensing.generator.dice import Dice
from sightline.suites.remote_sensing.generator.materials import MATERIALS
from sightline.suites.remote_sensing.generator.questions.base import Question, View, ordered, points_text, worded
from sightline.suites.remote_sensing.generator.questions.grounds import ground_rings
from sightline.suites.remote_sensing.generator.scene import SIDE, Scene
from sightline.suites.remote_sensing.generator.shapes import Point

LABELS = (*GROUNDS, *GROUPS)
_UNSURE = 255
_CLEARANCE = 3


def label_map(scene: Scene) -> Image.Image:
    """What each unit square shows, as an index of LABELS; 255 where it is not clear."""
    side = int(SIDE)
    image = Image.new("L", (side, side), LABELS.index(MATERIALS[scene.base].ground))
    pen = ImageDraw.Draw(image)
    for area in scene.areas:
        pen.polygon(area.outline, fill=LABELS.index(area.ground))
    for road in scene.roads:
        if road.kerb:
            pen.line(road.points, fill=LABELS.index("pavement"), width=round(road.width + 8), joint="curve")
    for road in scene.roads:
        ground = LABELS.index(MATERIALS[road.material].ground)
        pen.line(road.points, fill=ground, width=round(road.width), joint="curve")
    for stripe in scene.stripes:
        if stripe.width > 3:
            pen.line(stripe.points, fill=_UNSURE, width=round(stripe.width + 2))
    for thing in scene.things:
        pen.polygon(thing.outline, fill=LABELS.index(thing.group))
    for tree in scene.trees:
        (x, y), reach = tree.at, tree.radius
        pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=LABELS.index("trees"))
    return image


def main_ground(scene: Scene) -> str:
    """The ground that shows most."""
    counts = np.bincount(np.asarray(label_map(scene)).ravel(), minlength=len(GROUNDS))[: len(GROUNDS)]
    return GROUNDS[int(counts.argmax())]


def clear_points(scene: Scene, dice: Dice) -> dict[str, Point]:
    """For each label in sight a point that nothing else comes near."""
    labels = np.asarray(label_map(scene))
    near = _CLEARANCE
    core = labels[near:-near, near:-near]
    alike = np.ones((labels.shape[0], core.shape[1]), bool)
    for off in range(2 * near + 1):
        alike &= labels[:, off : off + core.shape[1]] == labels[:, near:-near]
    same = np.ones(core.shape, bool)
    for off in range(2 * near + 1):
        same &= alike[off : off + core.shape[0]] & (labels[off : off + core.shape[0], near:-near] == core)
    found: dict[str, Point] = {}
    for index in np.unique(core[same]):
        if index != _UNSURE:
            rows, columns = np.nonzero(same & (core == index))
            k = dice.whole(0, len(rows) - 1)
            found[LABELS[index]] = (float(columns[k] + near) + 0.5, float(rows[k] + near) + 0.5)
    return found


def pixel_class(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """What a pixel shows."""
    view = views[0]
    for label, (x, y) in clear_points(view.scene, dice).items():
        options = ", ".join(sorted((label, *dice.some([each for each in LABELS if each != label], 6))))
        at = f"({int(x * view.scale)}, {int(y * view.scale)})"
        prompt = worded(
            dice,
            f"Which class does the pixel {at} (x to the right, y down) belong to? Answer with one of: {options}.",
            f"像素 {at}（x向右，y向下）属于哪一类？请只回答以下英文类别之一：{options}。",
        )
        yield Question(shots=(view.shot,), prompt=prompt, gt=label, keys=(label,))


def semantic(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """All pixels of a class as polygons."""
    view = views[0]
    for name in dice.some(sorted({thing.group for thing in view.scene.things} - {"running track"}), 3):
        found = ordered(view, view.scene.of(name))
        if len(found) <= 30 and not (name == "football pitch" and view.scene.of("running track")):
            yield _segments(view, dice, name, [view.poly(thing) for thing in found])
    for ground in ("water", "cropland", "runway"):
        rings = ground_rings(view.seed, view.scene.number, ground, view.scale)
        if rings:
            yield _segments(view, dice, ground, rings)


def _segments(view: View, dice: Dice, name: str, rings: list[list[tuple[int, int]]]) -> Question:
    prompt = worded(
        dice,
        f"Segment all pixels of the class {name}. Answer with polygons in pixels: <poly><x1><y1><x2><y2>...</poly>.",
        f"请分割图中所有属于{ZH[name]}（{name}）的像素，用像素坐标多边形回答：<poly><x1><y1><x2><y2>...</poly>。",
    )
    answer = "".join(points_text("poly", ring) for ring in rings)
    return Question(shots=(view.shot,), prompt=prompt, gt=answer, keys=(name,))


def instances(views: Sequence[View], dice: Dice) -> Iterator[Question]:
    """One polygon for each member of a group."""
    view = views[0]
    for name in dice.some(sorted({thing.group for thing in view.scene.things} - {"running track"}), 4):
        found = ordered(view, view.scene.of(name))
        if len(found) > 20:
            continue
        prompt = worded(
            dice,
            f"Outline each object of the class {name} with a polygon of its own, in pixels: "
            "<poly><x1><y1><x2><y2>...</poly>.",
            f"请用多边形逐个勾画图中的{ZH[name]}（{name}），使用像素坐标：<poly><x1><y1><x2><y2>...</poly>。",
        )
        answer = "".join(points_text("poly", view.poly(thing)) for thing in found)
        yield Question(shots=(view.shot,), prompt=prompt, gt=answer, keys=(name, str(len(found))))
