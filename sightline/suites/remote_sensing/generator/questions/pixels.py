"""Pixel-level questions: pixel class, semantic segmentation, instance segmentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from PIL import Image, ImageDraw

from sightline.suites.remote_sensing.generator.catalog import GROUNDS, GROUPS, ZH
from sightline.suites.remote_sensing.generator.materials import MATERIALS
from sightline.suites.remote_sensing.generator.questions.base import (
    Question,
    View,
    format_prompt,
    points_text,
    sort_by_position,
)
from sightline.suites.remote_sensing.generator.questions.ground_outlines import ground_rings
from sightline.suites.remote_sensing.generator.scene import SIDE, Scene
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Point

LABELS = (*GROUNDS, *GROUPS)
_AMBIGUOUS = 255
_CLEARANCE = 3


def label_map(scene: Scene) -> Image.Image:
    """Label map of the scene as indices of LABELS; 255 for ambiguous pixels."""
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
            pen.line(stripe.points, fill=_AMBIGUOUS, width=round(stripe.width + 2))
    for obj in scene.objects:
        pen.polygon(obj.outline, fill=LABELS.index(obj.group))
    for tree in scene.trees:
        (x, y), reach = tree.at, tree.radius
        pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=LABELS.index("trees"))
    return image


def main_ground(scene: Scene) -> str:
    """The ground class with the largest visible area."""
    counts = np.bincount(np.asarray(label_map(scene)).ravel(), minlength=len(GROUNDS))[: len(GROUNDS)]
    return GROUNDS[int(counts.argmax())]


def clear_points(scene: Scene, rng: SeededRandom) -> dict[str, Point]:
    """For each visible label, a point surrounded by pixels of the same label."""
    labels = np.asarray(label_map(scene))
    near = _CLEARANCE
    core = labels[near:-near, near:-near]
    alike = np.ones((labels.shape[0], core.shape[1]), bool)
    for shift in range(2 * near + 1):
        alike &= labels[:, shift : shift + core.shape[1]] == labels[:, near:-near]
    same = np.ones(core.shape, bool)
    for shift in range(2 * near + 1):
        same &= alike[shift : shift + core.shape[0]] & (labels[shift : shift + core.shape[0], near:-near] == core)
    points: dict[str, Point] = {}
    for index in np.unique(core[same]):
        if index != _AMBIGUOUS:
            rows, columns = np.nonzero(same & (core == index))
            k = rng.whole(0, len(rows) - 1)
            points[LABELS[index]] = (float(columns[k] + near) + 0.5, float(rows[k] + near) + 0.5)
    return points


def pixel_class(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """What a pixel shows."""
    view = views[0]
    for label, (x, y) in clear_points(view.scene, rng).items():
        options = ", ".join(sorted((label, *rng.some([other for other in LABELS if other != label], 6))))
        at = f"({int(x * view.scale)}, {int(y * view.scale)})"
        prompt = format_prompt(
            rng,
            f"Which class does the pixel {at} (x to the right, y down) belong to? Answer with one of: {options}.",
            f"像素 {at}（x向右，y向下）属于哪一类？请只回答以下英文类别之一：{options}。",
        )
        yield Question(image_refs=(view.image_ref,), prompt=prompt, gt=label, keys=(label,))


def semantic(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """All pixels of a class as polygons."""
    view = views[0]
    for name in rng.some(sorted({obj.group for obj in view.scene.objects} - {"running track"}), 3):
        objects = sort_by_position(view, view.scene.objects_of(name))
        if len(objects) <= 30 and not (name == "football pitch" and view.scene.objects_of("running track")):
            yield _segments(view, rng, name, [view.poly(obj) for obj in objects])
    for ground in ("water", "cropland", "runway"):
        rings = ground_rings(view.seed, view.scene.number, ground, view.scale)
        if rings:
            yield _segments(view, rng, ground, rings)


def _segments(view: View, rng: SeededRandom, name: str, rings: list[list[tuple[int, int]]]) -> Question:
    prompt = format_prompt(
        rng,
        f"Segment all pixels of the class {name}. Answer with polygons in pixels: <poly><x1><y1><x2><y2>...</poly>.",
        f"请分割图中所有属于{ZH[name]}（{name}）的像素，用像素坐标多边形回答：<poly><x1><y1><x2><y2>...</poly>。",
    )
    answer = "".join(points_text("poly", ring) for ring in rings)
    return Question(image_refs=(view.image_ref,), prompt=prompt, gt=answer, keys=(name,))


def instances(views: Sequence[View], rng: SeededRandom) -> Iterator[Question]:
    """One polygon for each member of a group."""
    view = views[0]
    for name in rng.some(sorted({obj.group for obj in view.scene.objects} - {"running track"}), 4):
        objects = sort_by_position(view, view.scene.objects_of(name))
        if len(objects) > 20:
            continue
        prompt = format_prompt(
            rng,
            f"Outline each object of the class {name} with a polygon of its own, in pixels: "
            "<poly><x1><y1><x2><y2>...</poly>.",
            f"请用多边形逐个勾画图中的{ZH[name]}（{name}），使用像素坐标：<poly><x1><y1><x2><y2>...</poly>。",
        )
        answer = "".join(points_text("poly", view.poly(obj)) for obj in objects)
        yield Question(image_refs=(view.image_ref,), prompt=prompt, gt=answer, keys=(name, str(len(objects))))
