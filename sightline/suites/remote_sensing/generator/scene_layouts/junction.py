"""A road junction in a city: a roundabout or a crossing among blocks of flats."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts.builder import MARGIN, SceneBuilder, corners
from sightline.suites.remote_sensing.generator.scene_layouts.common import add_car_park, add_traffic

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Paved or green, turned anyhow."""
    return ("concrete" if turn > 0.6 else "lawn"), (turn - 0.5) * 1.5


def lay_out(builder: SceneBuilder) -> None:
    """Two broad roads through the middle, four blocks about them."""
    rng = builder.rng
    x, y = 256 + rng.between(-30, 30), 256 + rng.between(-30, 30)
    wide, narrow = rng.between(38, 44), rng.between(30, 40)
    builder.add_road(((-MARGIN, y), (SIDE + MARGIN, y)), wide, kerb=True)
    builder.add_road(((x, -MARGIN), (x, SIDE + MARGIN)), narrow, kerb=True)
    clear = wide / 2 + 18
    if rng.chance(0.6):
        size = rng.between(118, 140)
        builder.add_object("roundabout", (x, y), 0.0, "at the junction", length=size, free=True)
        clear = size / 2 + 16
    else:
        zebra(builder, (x, y), (narrow / 2 + 6, wide / 2 + 6))
        clear += 14
    for line, width in (
        (((-30, y), (x - clear, y)), wide),
        (((x + clear, y), (SIDE + 30, y)), wide),
        (((x, -30), (x, y - clear)), narrow),
        (((x, y + clear), (x, SIDE + 30)), narrow),
    ):
        add_traffic(builder, line, width, rng.whole(2, 6))
    for side in (-1, 1):
        for height in (-1, 1):
            quarter(builder, x + side * (clear + 62), y + height * (clear + 62))
    builder.scatter_trees((-MARGIN, -MARGIN, SIDE + MARGIN, SIDE + MARGIN), 360, (5, 10))


def zebra(builder: SceneBuilder, at: tuple[float, float], off: tuple[float, float]) -> None:
    """Pedestrian crossings on all four arms."""
    (x, y), (aside, above) = at, off
    for k in range(-4, 5):
        for side in (-1, 1):
            across, along = y + k * above / 5.2, x + k * aside / 5.2
            builder.add_stripe(((x + side * aside, across), (x + side * (aside + 9), across)), 1.8)
            builder.add_stripe(((along, y + side * above), (along, y + side * (above + 9))), 1.8)


def quarter(builder: SceneBuilder, x: float, y: float) -> None:
    """One block: flats round a court, or a car park."""
    rng = builder.rng
    builder.add_ground(rng.pick(("lawn", "concrete", "lawn")), corners(x - 75, y - 75, x + 75, y + 75))
    if rng.chance(0.3):
        add_car_park(builder, (x - 62, y - 50), 10, 3, rng.between(0.3, 0.85))
        return
    length = rng.between(84, 108)
    builder.add_object("apartment block", (x, y - 42), 0.0, "near the junction", length=length, ratio=0.36)
    if rng.chance(0.8):
        builder.add_object("apartment block", (x, y + 42), 0.0, "near the junction", length=length, ratio=0.36)
    if rng.chance(0.4):
        builder.add_object(rng.pick(("basketball court", "swimming pool")), (x, y), 0.0, "between the buildings")
