"""A road junction in a city: a roundabout or a crossing among blocks of flats."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.places.builder import REACH, Builder, corners
from sightline.suites.remote_sensing.generator.places.parts import car_park, traffic
from sightline.suites.remote_sensing.generator.scene import SIDE

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Paved or green, turned anyhow."""
    return ("concrete" if turn > 0.6 else "lawn"), (turn - 0.5) * 1.5


def lay_out(build: Builder) -> None:
    """Two broad roads through the middle, four blocks about them."""
    dice = build.dice
    x, y = 256 + dice.between(-30, 30), 256 + dice.between(-30, 30)
    wide, other = dice.between(38, 44), dice.between(30, 40)
    build.road(((-REACH, y), (SIDE + REACH, y)), wide, kerb=True)
    build.road(((x, -REACH), (x, SIDE + REACH)), other, kerb=True)
    clear = wide / 2 + 18
    if dice.chance(0.6):
        size = dice.between(118, 140)
        build.thing("roundabout", (x, y), 0.0, "at the junction", length=size, free=True)
        clear = size / 2 + 16
    else:
        zebra(build, (x, y), (other / 2 + 6, wide / 2 + 6))
        clear += 14
    for line, width in (
        (((-30, y), (x - clear, y)), wide),
        (((x + clear, y), (SIDE + 30, y)), wide),
        (((x, -30), (x, y - clear)), other),
        (((x, y + clear), (x, SIDE + 30)), other),
    ):
        traffic(build, line, width, dice.whole(2, 6))
    for side in (-1, 1):
        for height in (-1, 1):
            quarter(build, x + side * (clear + 62), y + height * (clear + 62))
    build.grove((-REACH, -REACH, SIDE + REACH, SIDE + REACH), 360, (5, 10))


def zebra(build: Builder, at: tuple[float, float], off: tuple[float, float]) -> None:
    """Pedestrian crossings on all four arms."""
    (x, y), (aside, above) = at, off
    for k in range(-4, 5):
        for side in (-1, 1):
            across, along = y + k * above / 5.2, x + k * aside / 5.2
            build.stripe(((x + side * aside, across), (x + side * (aside + 9), across)), 1.8)
            build.stripe(((along, y + side * above), (along, y + side * (above + 9))), 1.8)


def quarter(build: Builder, x: float, y: float) -> None:
    """One block: flats round a court, or a car park."""
    dice = build.dice
    build.ground(dice.pick(("lawn", "concrete", "lawn")), corners(x - 75, y - 75, x + 75, y + 75))
    if dice.chance(0.3):
        car_park(build, (x - 62, y - 50), 10, 3, dice.between(0.3, 0.85))
        return
    length = dice.between(84, 108)
    build.thing("apartment block", (x, y - 42), 0.0, "near the junction", length=length, ratio=0.36)
    if dice.chance(0.8):
        build.thing("apartment block", (x, y + 42), 0.0, "near the junction", length=length, ratio=0.36)
    if dice.chance(0.4):
        build.thing(dice.pick(("basketball court", "swimming pool")), (x, y), 0.0, "between the buildings")
