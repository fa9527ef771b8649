"""A river valley: the river with bridges and boats, woods, fields and a few houses."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts.builder import MARGIN, SceneBuilder, corners
from sightline.suites.remote_sensing.generator.scene_layouts.common import (
    add_traffic,
    band_between,
    shift_line,
    wavy_line,
)
from sightline.suites.remote_sensing.generator.scene_layouts.farmland import CROPS

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Meadows, the river from anywhere to anywhere."""
    return "grass", turn * 2 * math.pi


def lay_out(builder: SceneBuilder) -> None:
    """The river across the middle, one or two roads over it."""
    rng = builder.rng
    width = rng.between(70, 105)
    bank = wavy_line(builder, 256 - width / 2, 16)
    fields(builder, bank, width)
    builder.add_ground("gravel", band_between(shift_line(bank, -5), shift_line(bank, width + 5)))
    builder.add_ground("water", band_between(bank, shift_line(bank, width)))
    for x in rng.some((130.0, 256.0, 390.0), rng.whole(1, 2)):
        crossing(builder, x, bank, width)
    boats(builder, bank, width)
    builder.reserve(band_between(shift_line(bank, -7), shift_line(bank, width + 7)))
    for x in (-120, 30, 150, 300, 440, 560):
        if rng.chance(0.8):
            for side in (-1, 1):
                at = (x + rng.between(0, 60), 256 + side * (width / 2 + rng.between(60, 130)))
                builder.add_object("house", at, rng.between(-0.3, 0.3), "near the river")
    for side in (-1, 1):
        y = 256 + side * (width / 2 + 120)
        builder.scatter_trees((-MARGIN, y - 110, SIDE + MARGIN, y + 110), 420 if rng.chance(0.7) else 130, (6, 12))


def fields(builder: SceneBuilder, bank: list[tuple[float, float]], width: float) -> None:
    """Some cropland beyond the woods."""
    rng = builder.rng
    for top in (-MARGIN, 256 + width / 2 + 60):
        x = -MARGIN
        while x < SIDE + MARGIN:
            size = rng.between(110, 190)
            if rng.chance(0.55):
                block = corners(x, top, x + size - 6, top + rng.between(150, 205))
                builder.add_ground(rng.pick(CROPS), block, "furrows", rng.pick((0.0, _UP)))
                if rng.chance(0.6):
                    builder.reserve(block)
            x += size


def crossing(builder: SceneBuilder, x: float, bank: list[tuple[float, float]], width: float) -> None:
    """A road with a bridge."""
    rng = builder.rng
    near = [y for px, y in bank if abs(px - x) < 22]
    top, bottom = min(near) - 8, max(near) + width + 8
    road = rng.between(20, 26)
    builder.add_road(((x, -MARGIN), (x, SIDE + MARGIN)), road)
    length = bottom - top
    builder.add_object(
        "bridge", (x, (top + bottom) / 2), _UP, "across the river", length=length, ratio=(road + 5) / length, free=True
    )
    add_traffic(builder, ((x, -20), (x, top - 20)), road, rng.whole(1, 3))
    add_traffic(builder, ((x, bottom + 20), (x, SIDE + 20)), road, rng.whole(1, 3))


def boats(builder: SceneBuilder, bank: list[tuple[float, float]], width: float) -> None:
    """Speed boats along the river, clear of its bridges."""
    rng = builder.rng
    for _ in range(rng.whole(2, 7)):
        at = rng.between(-40, SIDE + 40)
        y = next((py for px, py in bank if abs(px - at) <= 10), 256 - width / 2)
        where = (at, y + rng.between(0.3, 0.7) * width)
        nose = rng.between(-0.25, 0.25) + rng.pick((0.0, math.pi))
        builder.add_ship("speed boat", where, nose, "on the river", room=7)
