"""Beams: one level line with supports, hinges and free ends along it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from sightline.suites.structural.generator.model_builder import DOWN, ModelBuilder, RandomLoads, SeededRandom
from sightline.suites.structural.model import SupportKind

_SPANS = (2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0)
_OVERHANGS = (1.5, 2.0, 2.5, 3.0)
_TILTS = (30.0, 45.0, 60.0)
Station = str
"""What is at a point of a beam: pin, roller, fixed, slider, hinge, or free."""


def simple(rng: SeededRandom) -> ModelBuilder:
    """Two supports at the ends."""
    return _build(rng, ["pin", "roller"], slant=0.3)


def cantilever(rng: SeededRandom) -> ModelBuilder:
    """Built in at one end."""
    return _build(rng, ["fixed", "free"])


def overhanging(rng: SeededRandom) -> ModelBuilder:
    """Two or three supports, and one or two free ends beyond them."""
    stations = ["pin", "roller"] + ["roller"] * rng.chance(0.3)
    return _build(rng, ["free"] * rng.chance(0.4) + stations + ["free"])


def continuous(rng: SeededRandom) -> ModelBuilder:
    """Several spans."""
    return _build(rng, _with_pin(rng, ["roller"] * rng.whole(3, 5)))


def propped(rng: SeededRandom) -> ModelBuilder:
    """Built in at one end, with rollers."""
    return _build(rng, ["fixed"] + ["roller"] * rng.whole(1, 3) + ["free"] * rng.chance(0.3))


def clamped(rng: SeededRandom) -> ModelBuilder:
    """Built in at both ends."""
    return _build(rng, ["fixed"] + ["roller"] * rng.whole(0, 1) + ["fixed"])


def guided(rng: SeededRandom) -> ModelBuilder:
    """With a guide at one end."""
    rest = rng.pick((["roller"], ["fixed"], ["roller", "roller"], ["pin"], ["roller", "free"]))
    return _build(rng, ["slider", *rest])


def gerber(rng: SeededRandom) -> ModelBuilder:
    """Several spans joined by hinges."""
    stations = rng.pick(
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
    return _build(rng, stations)


Family = Callable[[SeededRandom], ModelBuilder]
FAMILIES: tuple[Family, ...] = (simple, cantilever, overhanging, continuous, propped, clamped, guided)
HINGED: tuple[Family, ...] = (gerber,)


def _with_pin(rng: SeededRandom, stations: list[Station]) -> list[Station]:
    index = rng.whole(0, len(stations) - 1)
    return [*stations[:index], "pin", *stations[index + 1 :]]


def _build(rng: SeededRandom, stations: list[Station], slant: float = 0.08) -> ModelBuilder:
    if rng.chance():
        stations = stations[::-1]
    builder = ModelBuilder()
    points = [builder.point(x) for x in _positions(rng, stations)]
    links = [builder.link(a, b, load=DOWN) for a, b in pairwise(points)]
    for k, (point, station) in enumerate(zip(points, stations, strict=True)):
        match station:
            case "free":
                builder.force_points[point] = DOWN
                builder.moment_points.append(point)
            case "hinge":
                builder.hinge(links[k - 1] if rng.chance() else links[k], point)
                builder.force_points[point] = DOWN
            case "pin" | "roller":
                kind: SupportKind = "pin" if station == "pin" else "roller"
                builder.support(point, kind, _slant(rng, station, k, len(points), slant))
                builder.moment_points.append(point)
            case "fixed":
                builder.support(point, "fixed")
            case _:
                builder.support(point, "slider", 0.0 if k == 0 else 180.0)
    span = builder.at(points[-1])[0]
    RandomLoads(builder, rng, gap=max(1.0, span / 15)).add(rng.pick((1, 2, 2, 3, 3, 4)))
    return builder


def _positions(rng: SeededRandom, stations: list[Station]) -> list[float]:
    """Free ends and hinges come nearer than supports do."""
    positions = [0.0]
    several = len(stations) > 4
    for before, after in pairwise(stations):
        short = ("free" in (before, after) and len(stations) > 2) or "hinge" in (before, after)
        options = _OVERHANGS if short else (_SPANS[2:7] if several else _SPANS[2:])
        positions.append(positions[-1] + rng.pick(options))
    return positions


def _slant(rng: SeededRandom, station: Station, k: int, count: int, share: float) -> float:
    """The angle of a roller: at an end its ground may be inclined, facing the beam."""
    if station != "roller" or k not in (0, count - 1) or not rng.chance(share):
        return 0.0
    return rng.pick(_TILTS) * (-1.0 if k == 0 else 1.0)
