"""Beams: one level line with supports, hinges and free ends along it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from sightline.suites.structural.generator.dice import Dice
from sightline.suites.structural.generator.loading import Loading
from sightline.suites.structural.generator.sketch import DOWN, Sketch
from sightline.suites.structural.model import SupportKind

_SPANS = (2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0)
_OVERHANGS = (1.5, 2.0, 2.5, 3.0)
_TILTS = (30.0, 45.0, 60.0)
Station = str
"""What is at a place of a beam: pin, roller, fixed, slider, hinge, or free."""


def simple(dice: Dice) -> Sketch:
    """Two supports at the ends."""
    return _build(dice, ["pin", "roller"], slant=0.3)


def cantilever(dice: Dice) -> Sketch:
    """Built in at one end."""
    return _build(dice, ["fixed", "free"])


def overhanging(dice: Dice) -> Sketch:
    """Two or three supports, and one or two free ends beyond them."""
    stations = ["pin", "roller"] + ["roller"] * dice.chance(0.3)
    return _build(dice, ["free"] * dice.chance(0.4) + stations + ["free"])


def continuous(dice: Dice) -> Sketch:
    """Several spans."""
    return _build(dice, _with_pin(dice, ["roller"] * dice.whole(3, 5)))


def propped(dice: Dice) -> Sketch:
    """Built in at one end, with rollers."""
    return _build(dice, ["fixed"] + ["roller"] * dice.whole(1, 3) + ["free"] * dice.chance(0.3))


def clamped(dice: Dice) -> Sketch:
    """Built in at both ends."""
    return _build(dice, ["fixed"] + ["roller"] * dice.whole(0, 1) + ["fixed"])


def guided(dice: Dice) -> Sketch:
    """With a guide at one end."""
    other = dice.pick((["roller"], ["fixed"], ["roller", "roller"], ["pin"], ["roller", "free"]))
    return _build(dice, ["slider", *other])


def gerber(dice: Dice) -> Sketch:
    """Several spans joined by hinges."""
    stations = dice.pick(
        (
            ["fixed", "hinge", "roller"],
            ["fixed", "hinge", "roller", "free"],
            ["fixed", "hinge", "roller", "roller"],
            ["pin", "roller", "hinge", "roller"],
            ["pin", "roller", "hinge", "roller", "free"],
            ["pin", "roller", "hinge", "roller", "roller"],
            ["pin", "roller", "hinge", "hinge", "roller", "roller"],
            ["pin", "hinge", "roller", "roller", "hinge", "roller"],
            ["fixed", "hinge", "fixed"],
            ["fixed", "hinge", "roller", "hinge", "fixed"],
            ["fixed", "roller", "hinge", "roller"],
            ["fixed", "hinge", "slider"],
            ["slider", "hinge", "roller", "roller"],
        )
    )
    return _build(dice, stations)


FAMILIES: tuple[Callable[[Dice], Sketch], ...] = (
    simple,
    cantilever,
    overhanging,
    continuous,
    propped,
    clamped,
    guided,
)
HINGED: tuple[Callable[[Dice], Sketch], ...] = (gerber,)


def _with_pin(dice: Dice, stations: list[Station]) -> list[Station]:
    place = dice.whole(0, len(stations) - 1)
    return [*stations[:place], "pin", *stations[place + 1 :]]


def _build(dice: Dice, stations: list[Station], slant: float = 0.08) -> Sketch:
    if dice.chance():
        stations = stations[::-1]
    sketch = Sketch()
    points = [sketch.point(x) for x in _places(dice, stations)]
    links = [sketch.link(a, b, load=DOWN) for a, b in pairwise(points)]
    for k, (point, station) in enumerate(zip(points, stations, strict=True)):
        match station:
            case "free":
                sketch.pushes[point] = DOWN
                sketch.turns.append(point)
            case "hinge":
                sketch.hinge(links[k - 1] if dice.chance() else links[k], point)
                sketch.pushes[point] = DOWN
            case "pin" | "roller":
                kind: SupportKind = "pin" if station == "pin" else "roller"
                sketch.support(point, kind, _slant(dice, station, k, len(points), slant))
                sketch.turns.append(point)
            case "fixed":
                sketch.support(point, "fixed")
            case _:
                sketch.support(point, "slider", 0.0 if k == 0 else 180.0)
    span = sketch.at(points[-1])[0]
    Loading(sketch, dice, gap=max(1.0, span / 15)).add(dice.pick((1, 2, 2, 3, 3, 4)))
    return sketch


def _places(dice: Dice, stations: list[Station]) -> list[float]:
    """Free ends and hinges come nearer than supports do."""
    places = [0.0]
    several = len(stations) > 4
    for before, after in pairwise(stations):
        short = ("free" in (before, after) and len(stations) > 2) or "hinge" in (before, after)
        options = _OVERHANGS if short else (_SPANS[2:7] if several else _SPANS[2:])
        places.append(places[-1] + dice.pick(options))
    return places


def _slant(dice: Dice, station: Station, k: int, count: int, share: float) -> float:
    """The angle of a roller: at an end its ground may be inclined, facing the beam."""
    if station != "roller" or k not in (0, count - 1) or not dice.chance(share):
        return 0.0
    return dice.pick(_TILTS) * (-1.0 if k == 0 else 1.0)
