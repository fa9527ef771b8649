"""Terrain, roads and their markings, shadows and trees."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFilter

from sightline.suites.remote_sensing.generator.catalog import KINDS, MATERIALS
from sightline.suites.remote_sensing.generator.render.canvas import Canvas
from sightline.suites.remote_sensing.generator.render.sensor import Light
from sightline.suites.remote_sensing.generator.scene import Area, Road, Scene, is_over_water
from sightline.suites.remote_sensing.generator.seeded_random import SeededRandom
from sightline.suites.remote_sensing.generator.shapes import Point, distance, rotate, sweep

_TRANSMISSION = {"thermal": (0.86, 0.86, 0.86), "sar": (0.12, 0.12, 0.12)}
"""Share of the light in a shadow by channel, where it is not daylight; radar has nothing but its own echo."""


def paint_areas(canvas: Canvas, scene: Scene) -> None:
    """The pieces of ground, one over the other."""
    canvas.rough.paste(MATERIALS[scene.base].rough, (0, 0, canvas.side, canvas.side))
    for area in scene.areas:
        if canvas.window(area.outline) is None:
            continue
        canvas.ground(area.outline, canvas.palette.material(area.material), MATERIALS[area.material].rough)
        if area.pattern:
            _draw_pattern(canvas, area)


def _draw_pattern(canvas: Canvas, area: Area) -> None:
    """Furrows or joints between slabs: parallel lines, clipped by the outline."""
    window = canvas.window(area.outline)
    if window is None:
        return
    mask = Image.new("L", (window[2] - window[0], window[3] - window[1]))
    ring = [(x - window[0], y - window[1]) for x, y in canvas.scaled(area.outline)]
    ImageDraw.Draw(mask).polygon(ring, fill=255)
    piece = canvas.image.crop(window)
    pen = ImageDraw.Draw(piece)
    slabs = area.pattern == "slabs"
    step = (26.0 if slabs else 5.0) * canvas.factor
    step = max(step * canvas.scale, min(step, 3.0))  # finer lines would only be grey
    middle = (piece.width / 2, piece.height / 2)
    reach = math.hypot(*piece.size) / 2
    for angle in (area.angle, area.angle + math.pi / 2)[: 2 if slabs else 1]:
        for k in range(-int(reach / step) - 1, int(reach / step) + 2):
            ends = rotate(((-reach, k * step), (reach, k * step)), middle, angle)
            # every eighth furrow is a tramline: wheels keep to it
            shade = 0.93 if slabs else (0.78 if k % 8 == 0 else 0.92)
            width = max(round(canvas.factor * canvas.scale * (0.6 if slabs else 2.0)), 1)
            pen.line(ends, fill=canvas.palette.material(area.material, shade), width=width)
    canvas.image.paste(piece, window[:2], mask)


def paint_roads(canvas: Canvas, scene: Scene) -> None:
    """Kerbs first, then the carriageways, then what is painted on them, so that junctions are open."""
    tone = canvas.palette.material
    for road in scene.roads:
        if road.kerb:
            canvas.strip(road.points, road.width + 8 * canvas.scale, tone("kerb"), MATERIALS["kerb"].rough)
    for road in scene.roads:
        canvas.strip(road.points, road.width, tone(road.material), MATERIALS[road.material].rough)
    if canvas.palette.mode == "sar":
        return  # radar does not see paint
    for road in scene.roads:
        _mark(canvas, road.points, road.width, road.marking)
    _open_junctions(canvas, scene)
    for stripe in scene.stripes:
        canvas.line(stripe.points, stripe.width, tone(stripe.material))


def _open_junctions(canvas: Canvas, scene: Scene) -> None:
    """No lines where two marked roads cross."""
    marked = [road for road in scene.roads if road.marking == "dashes"]
    for k, first in enumerate(marked):
        for second in marked[:k]:
            at = _crossing((first.points[0], first.points[-1]), (second.points[0], second.points[-1]))
            if at:
                canvas.disc(at, max(first.width, second.width) / 2 - 1, canvas.palette.material(first.material))


def _crossing(first: tuple[Point, Point], second: tuple[Point, Point]) -> Point | None:
    (ax, ay), (bx, by) = first
    (cx, cy), (dx, dy) = second
    ux, uy, vx, vy = bx - ax, by - ay, dx - cx, dy - cy
    bend = ux * vy - uy * vx
    if abs(bend) < 1e-6:
        return None
    share = ((cx - ax) * vy - (cy - ay) * vx) / bend
    return ax + share * ux, ay + share * uy


def _mark(canvas: Canvas, points: tuple[Point, ...], width: float, marking: str) -> None:
    white, yellow = canvas.palette.material("marking"), canvas.palette.material("yellow line")
    begin, end = points[0], points[-1]
    # lengths in units of the standard scale
    scale, angle = canvas.scale, math.atan2(end[1] - begin[1], end[0] - begin[0])
    length, width = distance(begin, end) / scale, width / scale

    def local(*at: Point) -> tuple[Point, ...]:
        return rotate(((x * scale, y * scale) for x, y in at), begin, angle)

    if marking == "yellow":
        canvas.line((begin, end), 1.4 * scale, yellow)
    elif marking == "dashes":
        for k in range(int(length / 18)):
            canvas.line(local((k * 18, 0), (k * 18 + 9, 0)), 1.1 * scale, white)
        if width > 24:
            for side in (-1, 1):
                edge = side * (width / 2 - 1.8)
                canvas.line(local((0, edge), (length, edge)), 0.9 * scale, white)
    elif marking == "runway":
        for k in range(int(length / 52)):
            canvas.line(local((k * 52, 0), (k * 52 + 30, 0)), 2.0 * scale, white)
        for side in (-1, 1):
            canvas.line(local((0, side * (width / 2 - 3)), (length, side * (width / 2 - 3))), 1.6 * scale, white)
            for bar in range(5):
                across = side * (3.4 + bar * 3.6)
                canvas.line(local((length * 0.29, across), (length * 0.29 + 34, across)), 1.9 * scale, white)


def paint_wakes(canvas: Canvas, scene: Scene) -> None:
    """A pale wedge behind every boat that is under way and has room for it."""
    for obj in scene.objects:
        if obj.kind != "speed boat" or obj.location.startswith("moored"):
            continue
        half, stern, reach = obj.width / 2, -obj.length / 2, obj.length * 0.9
        outer = rotate(
            ((stern, -half), (stern - reach, -1.6 * half), (stern - reach, 1.6 * half), (stern, half)),
            obj.at,
            obj.angle,
        )
        if not is_over_water(scene.base, scene.areas, outer) or any(_near(outer, road) for road in scene.roads):
            continue
        for share, foam in ((1.0, 0.12), (0.7, 0.22), (0.4, 0.38)):
            end = stern - reach * share
            wedge = (
                (stern + 2, -half * 0.7),
                (end, -half * (0.7 + 0.7 * share)),
                (end, half * (0.7 + 0.7 * share)),
                (stern + 2, half * 0.7),
            )
            canvas.fill(rotate(wedge, obj.at, obj.angle), _foam_colour(canvas, 1 - foam))


def _near(outline: Sequence[Point], road: Road) -> bool:
    (ax, ay), (bx, by) = road.points[0], road.points[-1]
    length = distance((ax, ay), (bx, by))
    return any(abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / length < road.width for x, y in outline)


def _foam_colour(canvas: Canvas, share: float) -> tuple[int, int, int]:
    """Water with some foam."""
    sea, foam = canvas.palette.material("sea"), canvas.palette.material("foam")
    red, green, blue = (round(share * a + (1 - share) * b) for a, b in zip(sea, foam, strict=True))
    return red, green, blue


def cast_shadows(canvas: Canvas, scene: Scene, light: Light) -> None:
    """All shadows at once: where two meet it is not darker."""
    mask = Image.new("L", (canvas.side, canvas.side))
    pen = ImageDraw.Draw(mask)
    for obj in scene.objects:
        height = KINDS[obj.kind].height * scene.scale
        if height:
            for piece in sweep(obj.outline, light.shadow(height)):
                pen.polygon(canvas.scaled(piece), fill=255)
    for tree in scene.trees:
        x, y = light.shadow(tree.radius * 0.9)
        ((left, top),) = canvas.scaled(((tree.at[0] + x, tree.at[1] + y),))
        reach = tree.radius * canvas.factor
        pen.ellipse((left - reach, top - reach, left + reach, top + reach), fill=255)
    soft = mask.filter(ImageFilter.GaussianBlur(0.6 * canvas.factor))
    transmission = _TRANSMISSION.get(light.mode, (0.46, 0.5, 0.58))
    channels = [
        channel.point([round(value * share) for value in range(256)])
        for channel, share in zip(canvas.image.split(), transmission, strict=True)
    ]
    canvas.image.paste(Image.merge("RGB", channels), (0, 0), soft)


def paint_trees(canvas: Canvas, scene: Scene, light: Light, rng: SeededRandom) -> None:
    """Crowns of leaves, brighter towards the sun."""
    for tree in scene.trees:
        base = canvas.palette.material("crown", tree.shade * 0.72)
        canvas.crown(tree.at, tree.radius, base)
        for _ in range(9):
            off, way = tree.radius * rng.between(0.1, 0.66), rng.between(0, 2 * math.pi)
            at = (tree.at[0] + off * math.cos(way), tree.at[1] + off * math.sin(way))
            bright = tree.shade * (0.98 - 0.34 * math.cos(way - light.sun) * off / tree.radius + rng.between(-0.1, 0.1))
            canvas.disc(at, tree.radius * rng.between(0.18, 0.34), canvas.palette.material("crown", bright))
