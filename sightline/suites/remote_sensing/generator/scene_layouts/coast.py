"""A beach: sea with boats, sand, hotels with pools, palms and a road."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.scene import SIDE
from sightline.suites.remote_sensing.generator.scene_layouts.builder import MARGIN, SceneBuilder
from sightline.suites.remote_sensing.generator.scene_layouts.common import (
    add_traffic,
    band_between,
    shift_line,
    wavy_line,
)

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """The sea on any side."""
    return "sea", turn * 2 * math.pi


def lay_out(builder: SceneBuilder) -> None:
    """Sea above, then surf, sand and the town."""
    rng = builder.rng
    shore = wavy_line(builder, rng.between(190, 250), 14)
    floor = [(SIDE + MARGIN, SIDE + MARGIN), (-MARGIN, SIDE + MARGIN)]
    builder.add_ground("shallow", [*shift_line(shore, -rng.between(14, 26)), *floor])
    builder.add_ground("foam", [*shift_line(shore, -3), *floor])
    builder.add_ground("sand", [*shore, *floor])
    inland = shift_line(wavy_line(builder, 0, 6), max(y for _, y in shore) + rng.between(34, 60))
    builder.add_ground("lawn", [*inland, *floor])
    top = min(y for _, y in shore)
    for _ in range(rng.whole(3, 12)):
        at = (rng.between(-60, SIDE + 60), rng.between(-60, top))
        kind = rng.pick(("speed boat", "speed boat", "speed boat", "cargo ship"))
        builder.add_ship(kind, at, rng.between(0, 6.3), "at sea", room=12)
    builder.reserve(band_between(shift_line(shore, -400), shift_line(shore, 4)))
    street = max(y for _, y in inland) + rng.between(88, 104)
    builder.add_road(((-MARGIN, street), (SIDE + MARGIN, street)), 20, kerb=True)
    add_traffic(builder, ((-20, street), (SIDE + 20, street)), 20, rng.whole(2, 6))
    hotels(builder, max(y for _, y in inland), street)
    builder.scatter_trees((-MARGIN, street - 120, SIDE + MARGIN, SIDE + MARGIN), 330, (5, 9))


def hotels(builder: SceneBuilder, front: float, street: float) -> None:
    """Hotels with pools towards the sea, houses behind the street."""
    rng = builder.rng
    for x in range(-150, 660, 112):
        middle = x + rng.between(-6, 6)
        if rng.chance(0.8):
            builder.add_object(
                "apartment block",
                (middle, street - 34),
                0.0,
                "behind the beach",
                length=rng.between(70, 96),
                ratio=0.34,
            )
            if rng.chance(0.6):
                builder.add_object(
                    "swimming pool", (middle, front + 24), 0.0, "beside a hotel", length=rng.between(24, 36)
                )
    for x in range(-150, 660, 70):
        if rng.chance(0.75):
            builder.add_object(
                "house", (x, street + 48), rng.pick((0.0, _UP)), "behind the street", length=rng.between(38, 50)
            )
