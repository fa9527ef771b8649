"""A beach: sea with boats, sand, hotels with pools, palms and a road."""

from __future__ import annotations

import math

from sightline.suites.remote_sensing.generator.places.builder import REACH, Builder
from sightline.suites.remote_sensing.generator.places.parts import band, moved, traffic, wave
from sightline.suites.remote_sensing.generator.scene import SIDE

_UP = -math.pi / 2


def base(turn: float) -> tuple[str, float]:
    """The sea on any side."""
    return "sea", turn * 2 * math.pi


def lay_out(build: Builder) -> None:
    """Sea above, then surf, sand and the town."""
    dice = build.dice
    shore = wave(build, dice.between(190, 250), 14)
    floor = [(SIDE + REACH, SIDE + REACH), (-REACH, SIDE + REACH)]
    build.ground("shallow", [*moved(shore, -dice.between(14, 26)), *floor])
    build.ground("foam", [*moved(shore, -3), *floor])
    build.ground("sand", [*shore, *floor])
    inland = moved(wave(build, 0, 6), max(y for _, y in shore) + dice.between(34, 60))
    build.ground("lawn", [*inland, *floor])
    top = min(y for _, y in shore)
    for _ in range(dice.whole(3, 12)):
        at = (dice.between(-60, SIDE + 60), dice.between(-60, top))
        kind = dice.pick(("speed boat", "speed boat", "speed boat", "cargo ship"))
        build.ship(kind, at, dice.between(0, 6.3), "at sea", room=12)
    build.block(band(moved(shore, -400), moved(shore, 4)))
    street = max(y for _, y in inland) + dice.between(88, 104)
    build.road(((-REACH, street), (SIDE + REACH, street)), 20, kerb=True)
    traffic(build, ((-20, street), (SIDE + 20, street)), 20, dice.whole(2, 6))
    hotels(build, max(y for _, y in inland), street)
    build.grove((-REACH, street - 120, SIDE + REACH, SIDE + REACH), 330, (5, 9))


def hotels(build: Builder, front: float, street: float) -> None:
    """Hotels with pools towards the sea, houses behind the street."""
    dice = build.dice
    for x in range(-150, 660, 112):
        middle = x + dice.between(-6, 6)
        if dice.chance(0.8):
            build.thing(
                "apartment block",
                (middle, street - 34),
                0.0,
                "behind the beach",
                length=dice.between(70, 96),
                ratio=0.34,
            )
            if dice.chance(0.6):
                build.thing("swimming pool", (middle, front + 24), 0.0, "beside a hotel", length=dice.between(24, 36))
    for x in range(-150, 660, 70):
        if dice.chance(0.75):
            build.thing(
                "house", (x, street + 48), dice.pick((0.0, _UP)), "behind the street", length=dice.between(38, 50)
            )
