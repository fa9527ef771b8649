"""Trusses: joints on two chords, loads on joints alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from sightline.suites.structural.generator.model_builder import DOWN, FORCES, LEFT, RIGHT, ModelBuilder, SeededRandom

_PANELS = (1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
_HEIGHTS = (1.5, 2.0, 2.5, 3.0, 3.5, 4.0)


def parallel(rng: SeededRandom, panels: int) -> ModelBuilder:
    """Pratt or Howe with upright ends: 4n + 1 members."""
    builder, width, height = ModelBuilder(), rng.pick(_PANELS[1:]), rng.pick(_HEIGHTS[1:])
    bottom = [builder.point(k * width) for k in range(panels + 1)]
    top = [builder.point(k * width, height) for k in range(panels + 1)]
    _chords(builder, bottom, top)
    for low, high in zip(bottom, top, strict=True):
        builder.link(low, high)
    pratt = rng.chance()
    for k in range(panels):
        left = k < panels / 2
        builder.link(*((top[k], bottom[k + 1]) if left == pratt else (bottom[k], top[k + 1])))
    _finish(builder, rng, bottom, top)
    return builder


def trapezoid(rng: SeededRandom, panels: int) -> ModelBuilder:
    """Pratt or Howe with inclined ends: 4n − 3 members."""
    builder, width, height = ModelBuilder(), rng.pick(_PANELS[1:]), rng.pick(_HEIGHTS[1:])
    bottom = [builder.point(k * width) for k in range(panels + 1)]
    top = [builder.point(k * width, height) for k in range(1, panels)]
    _chords(builder, bottom, top)
    builder.link(bottom[0], top[0])
    builder.link(top[-1], bottom[-1])
    for low, high in zip(bottom[1:-1], top, strict=True):
        builder.link(low, high)
    pratt = rng.chance()
    for k in range(1, panels - 1):
        left = k < panels / 2
        builder.link(*((top[k - 1], bottom[k + 1]) if left == pratt else (bottom[k], top[k])))
    _finish(builder, rng, bottom, top)
    return builder


def warren(rng: SeededRandom, panels: int) -> ModelBuilder:
    """Triangles one beside the other, upright or on their heads: 4n − 1 members."""
    builder, width, height = ModelBuilder(), rng.pick((2.0, 3.0, 4.0)), rng.pick(_HEIGHTS[1:])
    level, opposite_level = (0.0, height) if rng.chance(0.7) else (height, 0.0)
    long = [builder.point(k * width, level) for k in range(panels + 1)]
    short = [builder.point((k + 0.5) * width, opposite_level) for k in range(panels)]
    _chords(builder, long, short)
    for k, apex in enumerate(short):
        builder.link(long[k], apex)
        builder.link(apex, long[k + 1])
    _finish(builder, rng, long, short)
    return builder


def roof(rng: SeededRandom, panels: int) -> ModelBuilder:
    """Two rafters over a tie: 4n − 3 members, panels even."""
    half = panels // 2
    builder, width, rise = ModelBuilder(), rng.pick(_PANELS), rng.pick((0.5, 1.0, 1.5) if half > 1 else (1.5, 2.0, 3.0))
    bottom = [builder.point(k * width) for k in range(panels + 1)]
    top = [builder.point(k * width, rise * min(k, panels - k)) for k in range(1, panels)]
    _chords(builder, bottom, [bottom[0], *top, bottom[-1]])
    for low, high in zip(bottom[1:-1], top, strict=True):
        builder.link(low, high)
    inwards = rng.chance()
    for k in range(1, half):
        mirrored = panels - k
        for near, far in ((k, k + 1), (mirrored, mirrored - 1)):
            builder.link(*((bottom[far], top[near - 1]) if inwards else (bottom[near], top[far - 1])))
    _finish(builder, rng, bottom, top)
    return builder


def bracket(rng: SeededRandom, panels: int) -> ModelBuilder:
    """Held at its two left joints, free at the right; its lower chord may rise: 4n members, or one more."""
    builder, width = ModelBuilder(), rng.pick(_PANELS[1:])
    height = rng.pick(_HEIGHTS[1:])
    drop = rng.pick((0.0, 0.5)) if height - 0.5 * panels >= 1.0 else 0.0
    top = [builder.point(k * width, height) for k in range(panels + 1)]
    bottom = [builder.point(k * width, drop * k) for k in range(panels + 1)]
    _chords(builder, bottom, top)
    down = rng.chance()
    for k in range(1, panels + 1):
        builder.link(bottom[k], top[k])
        builder.link(*((top[k - 1], bottom[k]) if down else (bottom[k - 1], top[k])))
    builder.support(top[0], "pin")
    if rng.chance():
        builder.link(bottom[0], top[0])
        builder.support(bottom[0], "roller", 270.0)
    else:
        builder.support(bottom[0], "pin")
    _load(builder, rng, rng.pick((top[1:], bottom[1:], [top[-1], bottom[-1]])))
    if rng.chance(0.7):
        builder.hinge_everywhere()
    return builder


Family = tuple[Callable[[SeededRandom, int], ModelBuilder], tuple[int, ...]]
FAMILIES: dict[int, tuple[Family, ...]] = {
    2: ((parallel, (2,)), (trapezoid, (2, 3)), (warren, (2,)), (roof, (2,)), (bracket, (1, 2))),
    3: ((parallel, (3, 4)), (trapezoid, (4, 5)), (warren, (3, 4, 5)), (roof, (4,)), (bracket, (3, 4, 5))),
    4: ((parallel, (5, 6)), (trapezoid, (6, 8)), (warren, (6, 7)), (roof, (6, 8)), (bracket, (6,))),
}
"""By difficulty: which families with how many panels have that many members."""


def _chords(builder: ModelBuilder, *chords: list[str]) -> None:
    for chord in chords:
        for a, b in pairwise(chord):
            builder.link(a, b)


def _finish(builder: ModelBuilder, rng: SeededRandom, held: list[str], other: list[str]) -> None:
    """A pin and a roller at the ends of one chord, loads on either."""
    ends = [held[0], held[-1]] if rng.chance() else [held[-1], held[0]]
    builder.support(ends[0], "pin")
    slanted = rng.chance(0.12)
    turn = rng.pick((30.0, 45.0)) * (1.0 if ends[1] == held[-1] else -1.0)
    if rng.chance(0.1):
        builder.support(ends[1], "pin")
    else:
        builder.support(ends[1], "roller", turn if slanted else 0.0)
    inner = held[1:-1]
    if len(inner) > 2 and rng.chance(0.15):
        builder.support(rng.pick(inner), "roller")
    _load(builder, rng, inner if inner and rng.chance(0.4) else other)
    if rng.chance(0.7):
        builder.hinge_everywhere()


def _load(builder: ModelBuilder, rng: SeededRandom, joints: list[str]) -> None:
    """Weights on joints, equal or not, and sometimes wind from one side."""
    held = {support.point for support in builder.supports}
    free = [joint for joint in joints if joint not in held]
    chosen = free if rng.chance(0.4) else rng.sample(free, rng.whole(1, min(3, len(free))))
    same = rng.pick(FORCES)
    equal = rng.chance(0.5)
    for joint in chosen:
        builder.force(same if equal else rng.pick(FORCES), DOWN, point=joint)
    rest = [point.id for point in builder.points if point.id not in held and point.id not in chosen]
    if rest and rng.chance(0.35):
        _wind(builder, rng, rest)


def _wind(builder: ModelBuilder, rng: SeededRandom, rest: list[str]) -> None:
    """A level force on the outermost free joint of one side, towards the truss."""
    from_left = rng.chance()
    outer = min(rest, key=lambda joint: builder.at(joint)[0] * (1 if from_left else -1))
    builder.force(rng.pick(FORCES), RIGHT if from_left else LEFT, point=outer)
