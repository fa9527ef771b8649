"""A residential area: streets, gardens with houses, pools, trees and parked cars."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts.builder import MARGIN, SceneBuilder, corners
from sightline.suites.remote_sensing.generator.scene_layouts.common import add_traffic

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """Grass, turned anyhow."""
    return "lawn", (turn - 0.5) * 1.4


def lay_out(builder: SceneBuilder) -> None:
    """Streets across, two rows of gardens between each two."""
    rng = builder.rng
    depth, rows = rng.between(74, 88), []
    y = -MARGIN + rng.between(0, 80)
    while y < SIDE + MARGIN:
        builder.add_road(((-MARGIN, y), (SIDE + MARGIN, y)), 19, kerb=True)
        rows.append(y)
        y += 2 * depth + 26
    cross = rng.between(180, 330)
    builder.add_road(((cross, -MARGIN), (cross, SIDE + MARGIN)), 21, kerb=True)
    for y in rows:
        add_traffic(builder, ((-40, y), (SIDE + 40, y)), 19, rng.whole(1, 5))
        gardens(builder, y + 15, depth, -1)
        gardens(builder, y + 15 + depth, depth, 1)
    add_traffic(builder, ((cross, -40), (cross, SIDE + 40)), 21, rng.whole(1, 4))
    builder.scatter_trees((-MARGIN, -MARGIN, SIDE + MARGIN, SIDE + MARGIN), 700, (5, 11))


def gardens(builder: SceneBuilder, top: float, depth: float, street: int) -> None:
    """One row of gardens; the street runs above (-1) or below (1)."""
    rng = builder.rng
    x = -MARGIN
    while x < SIDE + MARGIN:
        width = rng.between(58, 78)
        builder.add_ground(
            rng.pick(("lawn", "lawn", "grass", "meadow")), corners(x + 1, top + 1, x + width - 1, top + depth - 1)
        )
        middle = top + depth / 2
        front = middle + street * depth * 0.16
        length = rng.between(38, min(56.0, width - 12))
        turn = 0.0 if length * 0.72 < 40 and rng.chance(0.75) else _UP
        if rng.chance(0.08):
            x += width
            continue
        placed = builder.add_object("house", (x + width / 2 - 4, front), turn, "in a garden", length=min(length, 50))
        if placed and rng.chance(0.5):
            edge = middle + street * depth * 0.5
            drive = x + width - 7.0
            builder.add_ground("concrete", corners(drive - 5, min(front, edge), drive + 5, max(front, edge)))
            if rng.chance(0.7):
                builder.add_vehicle("car", (drive, edge - street * 12), _UP * street, "in a driveway")
        if placed and rng.chance(0.34):
            at = (x + width / 2 + rng.between(-8, 8), middle - street * depth * 0.33)
            builder.add_object(
                "swimming pool", at, rng.pick((0.0, 0.0, 0.2)), "in a garden", length=rng.between(18, 25)
            )
        x += width
