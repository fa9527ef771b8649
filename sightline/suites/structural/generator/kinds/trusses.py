"""Trusses: joints on two chords, loads on joints alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from sightline.suites.structural.generator.dice import Dice
from sightline.suites.structural.generator.loading import FORCES
from sightline.suites.structural.generator.sketch import DOWN, LEFT, RIGHT, Sketch

_PANELS = (1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
_HEIGHTS = (1.5, 2.0, 2.5, 3.0, 3.5, 4.0)


def parallel(dice: Dice, panels: int) -> Sketch:
    """Pratt or Howe with upright ends: 4n + 1 members."""
    sketch, width, height = Sketch(), dice.pick(_PANELS[1:]), dice.pick(_HEIGHTS[1:])
    bottom = [sketch.point(k * width) for k in range(panels + 1)]
    top = [sketch.point(k * width, height) for k in range(panels + 1)]
    _chords(sketch, bottom, top)
    for low, high in zip(bottom, top, strict=True):
        sketch.link(low, high)
    pratt = dice.chance()
    for k in range(panels):
        left = k < panels / 2
        sketch.link(*((top[k], bottom[k + 1]) if left == pratt else (bottom[k], top[k + 1])))
    _finish(sketch, dice, bottom, top)
    return sketch


def trapezoid(dice: Dice, panels: int) -> Sketch:
    """Pratt or Howe with inclined ends: 4n − 3 members."""
    sketch, width, height = Sketch(), dice.pick(_PANELS[1:]), dice.pick(_HEIGHTS[1:])
    bottom = [sketch.point(k * width) for k in range(panels + 1)]
    top = [sketch.point(k * width, height) for k in range(1, panels)]
    _chords(sketch, bottom, top)
    sketch.link(bottom[0], top[0])
    sketch.link(top[-1], bottom[-1])
    for low, high in zip(bottom[1:-1], top, strict=True):
        sketch.link(low, high)
    pratt = dice.chance()
    for k in range(1, panels - 1):
        left = k < panels / 2
        sketch.link(*((top[k - 1], bottom[k + 1]) if left == pratt else (bottom[k], top[k])))
    _finish(sketch, dice, bottom, top)
    return sketch


def warren(dice: Dice, panels: int) -> Sketch:
    """Triangles one beside the other, upright or on their heads: 4n − 1 members."""
    sketch, width, height = Sketch(), dice.pick((2.0, 3.0, 4.0)), dice.pick(_HEIGHTS[1:])
    level, other = (0.0, height) if dice.chance(0.7) else (height, 0.0)
    long = [sketch.point(k * width, level) for k in range(panels + 1)]
    short = [sketch.point((k + 0.5) * width, other) for k in range(panels)]
    _chords(sketch, long, short)
    for k, apex in enumerate(short):
        sketch.link(long[k], apex)
        sketch.link(apex, long[k + 1])
    _finish(sketch, dice, long, short)
    return sketch


def roof(dice: Dice, panels: int) -> Sketch:
    """Two rafters over a tie: 4n − 3 members, panels even."""
    half = panels // 2
    sketch, width, rise = Sketch(), dice.pick(_PANELS), dice.pick((0.5, 1.0, 1.5) if half > 1 else (1.5, 2.0, 3.0))
    bottom = [sketch.point(k * width) for k in range(panels + 1)]
    top = [sketch.point(k * width, rise * min(k, panels - k)) for k in range(1, panels)]
    _chords(sketch, bottom, [bottom[0], *top, bottom[-1]])
    for low, high in zip(bottom[1:-1], top, strict=True):
        sketch.link(low, high)
    inwards = dice.chance()
    for k in range(1, half):
        mirrored = panels - k
        for near, far in ((k, k + 1), (mirrored, mirrored - 1)):
            sketch.link(*((bottom[far], top[near - 1]) if inwards else (bottom[near], top[far - 1])))
    _finish(sketch, dice, bottom, top)
    return sketch


def bracket(dice: Dice, panels: int) -> Sketch:
    """Held at its two left joints, free at the right; its lower chord may rise: 4n members, or one more."""
    sketch, width = Sketch(), dice.pick(_PANELS[1:])
    height = dice.pick(_HEIGHTS[1:])
    drop = dice.pick((0.0, 0.5)) if height - 0.5 * panels >= 1.0 else 0.0
    top = [sketch.point(k * width, height) for k in range(panels + 1)]
    bottom = [sketch.point(k * width, drop * k) for k in range(panels + 1)]
    _chords(sketch, bottom, top)
    down = dice.chance()
    for k in range(1, panels + 1):
        sketch.link(bottom[k], top[k])
        sketch.link(*((top[k - 1], bottom[k]) if down else (bottom[k - 1], top[k])))
    sketch.support(top[0], "pin")
    if dice.chance():
        sketch.link(bottom[0], top[0])
        sketch.support(bottom[0], "roller", 270.0)
    else:
        sketch.support(bottom[0], "pin")
    _load(sketch, dice, dice.pick((top[1:], bottom[1:], [top[-1], bottom[-1]])))
    if dice.chance(0.7):
        sketch.hinge_everywhere()
    return sketch


Family = tuple[Callable[[Dice, int], Sketch], tuple[int, ...]]
FAMILIES: dict[int, tuple[Family, ...]] = {
    2: ((parallel, (2,)), (trapezoid, (2, 3)), (warren, (2,)), (roof, (2,)), (bracket, (1, 2))),
    3: ((parallel, (3, 4)), (trapezoid, (4, 5)), (warren, (3, 4, 5)), (roof, (4,)), (bracket, (3, 4, 5))),
    4: ((parallel, (5, 6)), (trapezoid, (6, 8)), (warren, (6, 7)), (roof, (6, 8)), (bracket, (6,))),
}
"""By difficulty: which families with how many panels have that many members."""


def _chords(sketch: Sketch, *chords: list[str]) -> None:
    for chord in chords:
        for a, b in pairwise(chord):
            sketch.link(a, b)


def _finish(sketch: Sketch, dice: Dice, held: list[str], other: list[str]) -> None:
    """A pin and a roller at the ends of one chord, loads on either."""
    ends = [held[0], held[-1]] if dice.chance() else [held[-1], held[0]]
    sketch.support(ends[0], "pin")
    slanted = dice.chance(0.12)
    turn = dice.pick((30.0, 45.0)) * (1.0 if ends[1] == held[-1] else -1.0)
    if dice.chance(0.1):
        sketch.support(ends[1], "pin")
    else:
        sketch.support(ends[1], "roller", turn if slanted else 0.0)
    inner = held[1:-1]
    if len(inner) > 2 and dice.chance(0.15):
        sketch.support(dice.pick(inner), "roller")
    _load(sketch, dice, inner if inner and dice.chance(0.4) else other)
    if dice.chance(0.7):
        sketch.hinge_everywhere()


def _load(sketch: Sketch, dice: Dice, joints: list[str]) -> None:
    """Weights on joints, equal or not, and sometimes wind from one side."""
    held = {support.point for support in sketch.supports}
    free = [joint for joint in joints if joint not in held]
    chosen = free if dice.chance(0.4) else dice.sample(free, dice.whole(1, min(3, len(free))))
    same = dice.pick(FORCES)
    equal = dice.chance(0.5)
    for joint in chosen:
        sketch.force(same if equal else dice.pick(FORCES), DOWN, point=joint)
    rest = [point.id for point in sketch.points if point.id not in held and point.id not in chosen]
    if rest and dice.chance(0.35):
        _wind(sketch, dice, rest)


def _wind(sketch: Sketch, dice: Dice, rest: list[str]) -> None:
    """A level force on the outermost free joint of one side, towards the truss."""
    from_left = dice.chance()
    outer = min(rest, key=lambda joint: sketch.at(joint)[0] * (1 if from_left else -1))
    sketch.force(dice.pick(FORCES), RIGHT if from_left else LEFT, point=outer)
