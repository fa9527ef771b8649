"""A residential area: streets, gardens with houses, pools, trees and parked cars."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.places.builder import REACH, Builder, corners
from sightline.suites.remote_sensing.generator.places.parts import traffic
from sightline.suites.remote_sensing.generator.scene import SIDE

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Grass, turned anyhow."""
    return "lawn", (turn - 0.5) * 1.4


def lay_out(build: Builder) -> None:
    """Streets across, two rows of gardens between each two."""
    dice = build.dice
    depth, rows = dice.between(74, 88), []
    y = -REACH + dice.between(0, 80)
    while y < SIDE + REACH:
        build.road(((-REACH, y), (SIDE + REACH, y)), 19, kerb=True)
        rows.append(y)
        y += 2 * depth + 26
    cross = dice.between(180, 330)
    build.road(((cross, -REACH), (cross, SIDE + REACH)), 21, kerb=True)
    for y in rows:
        traffic(build, ((-40, y), (SIDE + 40, y)), 19, dice.whole(1, 5))
        gardens(build, y + 15, depth, -1)
        gardens(build, y + 15 + depth, depth, 1)
    traffic(build, ((cross, -40), (cross, SIDE + 40)), 21, dice.whole(1, 4))
    build.grove((-REACH, -REACH, SIDE + REACH, SIDE + REACH), 700, (5, 11))


def gardens(build: Builder, top: float, depth: float, street: int) -> None:
    """One row of gardens; the street runs above (-1) or below (1)."""
    dice = build.dice
    x = -REACH
    while x < SIDE + REACH:
        width = dice.between(58, 78)
        build.ground(
            dice.pick(("lawn", "lawn", "grass", "meadow")), corners(x + 1, top + 1, x + width - 1, top + depth - 1)
        )
        middle = top + depth / 2
        front = middle + street * depth * 0.16
        length = dice.between(38, min(56.0, width - 12))
        turn = 0.0 if length * 0.72 < 40 and dice.chance(0.75) else _UP
        if dice.chance(0.08):
            x += width
            continue
        placed = build.thing("house", (x + width / 2 - 4, front), turn, "in a garden", length=min(length, 50))
        if placed and dice.chance(0.5):
            edge = middle + street * depth * 0.5
            drive = x + width - 7.0
            build.ground("concrete", corners(drive - 5, min(front, edge), drive + 5, max(front, edge)))
            if dice.chance(0.7):
                build.vehicle("car", (drive, edge - street * 12), _UP * street, "in a driveway")
        if placed and dice.chance(0.34):
            at = (x + width / 2 + dice.between(-8, 8), middle - street * depth * 0.33)
            build.thing("swimming pool", at, dice.pick((0.0, 0.0, 0.2)), "in a garden", length=dice.between(18, 25))
        x += width
