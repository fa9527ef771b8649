"""An industrial area: warehouses, lorry yards, car parks and a tank farm."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts.builder import MARGIN, SceneBuilder, corners
from sightline.suites.remote_sensing.generator.scene_layouts.common import add_car_park, add_tank_farm, add_traffic

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Bare ground or dry grass."""
    return ("gravel", "desert", "meadow")[int(turn * 30) % 3], (turn - 0.5) * 1.0


def lay_out(builder: SceneBuilder) -> None:
    """Two roads make four yards, each of its own use."""
    rng = builder.rng
    x, y = rng.between(215, 300), rng.between(215, 300)
    builder.add_road(((-MARGIN, y), (SIDE + MARGIN, y)), 26, kerb=True)
    builder.add_road(((x, -MARGIN), (x, SIDE + MARGIN)), 24, kerb=True)
    add_traffic(builder, ((-20, y), (SIDE + 20, y)), 26, rng.whole(3, 7))
    add_traffic(builder, ((x, -20), (x, SIDE + 20)), 24, rng.whole(2, 5))
    uses = rng.shuffled((halls, halls, parking, rng.pick((tanks, halls)), rng.pick((tanks, parking))))
    far = 30.0
    yards = ((x - 260, y - 260), (x + far, y - 260), (x - 260, y + far), (x + far, y + far))
    for use, (left, top) in zip(uses, yards, strict=False):
        builder.add_ground(rng.pick(("concrete", "lot", "gravel")), corners(left, top, left + 230, top + 230), "slabs")
        use(builder, left, top)
    builder.scatter_trees((-MARGIN, -MARGIN, SIDE + MARGIN, SIDE + MARGIN), 45, (5, 9))


def halls(builder: SceneBuilder, left: float, top: float) -> None:
    """Warehouses with lorries at their docks."""
    rng = builder.rng
    for row in range(2):
        y = top + 48 + row * 128
        x = left + rng.between(58, 72)
        while x < left + 210:
            length = rng.between(84, 112)
            if builder.add_object("warehouse", (x, y), 0.0, "in a yard", length=length, ratio=rng.between(0.5, 0.68)):
                for dock in range(int(length / 16) - 1):
                    at = (x - length / 2 + 14 + dock * 15, y + length * 0.31 + 26)
                    if rng.chance(0.34):
                        builder.add_vehicle("truck", at, -_UP, "at a loading dock")
            x += length + rng.between(10, 26)


def parking(builder: SceneBuilder, left: float, top: float) -> None:
    """A car park and an office."""
    rng = builder.rng
    fill = rng.between(0.25, 0.85)
    add_car_park(builder, (left + 12, top + 12), rng.whole(12, 18), 4, fill)
    builder.add_object(
        "apartment block", (left + 90, top + 192), 0.0, "beside the parking lot", length=rng.between(80, 120)
    )


def tanks(builder: SceneBuilder, left: float, top: float) -> None:
    """A tank farm and a few lorries."""
    rng = builder.rng
    add_tank_farm(builder, (left + 14, top + 14), 3, rng.whole(2, 3))
    for _ in range(6):
        at = (left + rng.between(10, 220), top + rng.between(10, 220))
        builder.add_vehicle("truck", at, rng.pick((0.0, _UP)), "in a yard")
