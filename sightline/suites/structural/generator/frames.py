"""Frames: small ones of up to four members, and grids of several bays and storeys."""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec import Struct

from sightline.suites.structural.generator.model_builder import (
    DOWN,
    FORCES,
    LEFT,
    RIGHT,
    ModelBuilder,
    RandomLoads,
    SeededRandom,
)
from sightline.suites.structural.model import SupportKind

_PAIRS: tuple[tuple[SupportKind, SupportKind], ...] = (
    ("pin", "pin"),
    ("fixed", "fixed"),
    ("pin", "roller"),
    ("fixed", "pin"),
    ("fixed", "roller"),
    ("fixed", "slider"),
    ("pin", "fixed"),
)
_TIP_SUPPORTS: dict[str, tuple[SupportKind, float]] = {
    "roller": ("roller", 0.0),
    "pin": ("pin", 0.0),
    "guide": ("slider", 180.0),
    "wall": ("roller", 90.0),
}


def add_base_supports(builder: ModelBuilder, rng: SeededRandom, feet: list[str]) -> None:
    """Add supports under columns: a stable pair for the first two, the others like the second."""
    first, second = rng.pick(_PAIRS)
    kinds = [first, *([second] * (len(feet) - 1))]
    if rng.chance(0.5):
        kinds.reverse()
    for foot, kind in zip(feet, kinds, strict=True):
        # a slider under a column restrains it vertically and against rotation
        builder.support(foot, kind, 90.0 if kind == "slider" else 0.0)


def add_end_supports(builder: ModelBuilder, rng: SeededRandom, foot: str, tip: str) -> None:
    """Support a column foot and the far end of a beam: fixed and free, or both supported."""
    kind = rng.pick(("free", "roller", "pin", "guide", "wall", "slant"))
    if kind == "free":
        builder.support(foot, "fixed")
        builder.force_points[tip] = DOWN
        builder.moment_points.append(tip)
        return
    builder.support(foot, rng.pick(("pin", "fixed")) if kind not in ("guide", "wall") else "fixed")
    if kind == "slant":
        builder.support(tip, "roller", rng.pick((30.0, 45.0, 60.0)))
    else:
        builder.support(tip, *_TIP_SUPPORTS[kind])


HEIGHTS = (3.0, 3.5, 4.0, 4.5, 5.0, 6.0)
WIDTHS = (3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
_TRIPLES = ((3.0, 4.0), (4.0, 3.0), (1.5, 2.0), (2.0, 1.5), (6.0, 2.5))
"""Legs of triangles whose third side is a round number too."""


def portal(rng: SeededRandom) -> ModelBuilder:
    """Two columns and a beam; the columns may differ in height, and the beam may reach beyond one of them."""
    builder, height, width = ModelBuilder(), rng.pick(HEIGHTS), rng.pick(WIDTHS)
    sunk = rng.pick((0.0, 0.0, 0.0, -1.0, -2.0))
    left, right = builder.point(0.0), builder.point(width, sunk)
    top_left, top_right = builder.point(0.0, height), builder.point(width, height)
    builder.link(left, top_left, load=RIGHT)
    _beam(builder, rng, top_left, top_right)
    builder.link(top_right, right, load=LEFT)
    if rng.chance(0.25):
        tip = builder.point(width + rng.pick((1.5, 2.0, 2.5)), height)
        builder.link(top_right, tip, load=DOWN)
        builder.force_points[tip] = DOWN
        builder.moment_points.append(tip)
    add_base_supports(builder, rng, [left, right])
    builder.force_points[top_left] = RIGHT
    builder.moment_points += [top_left, top_right]
    return _with_loads(builder, rng)


def corner(rng: SeededRandom) -> ModelBuilder:
    """A column and a beam: built in at the foot, or held at both ends."""
    builder, height, width = ModelBuilder(), rng.pick(HEIGHTS), rng.pick(WIDTHS[:5])
    foot, knee, tip = builder.point(0.0), builder.point(0.0, height), builder.point(width, height)
    builder.link(foot, knee, load=RIGHT)
    builder.link(knee, tip, load=DOWN)
    add_end_supports(builder, rng, foot, tip)
    builder.force_points[knee] = RIGHT
    builder.moment_points.append(knee)
    return _with_loads(builder, rng)


def crossing(rng: SeededRandom) -> ModelBuilder:
    """A T: a column that carries a beam to both sides."""
    builder, height = ModelBuilder(), rng.pick(HEIGHTS)
    left, right = rng.pick((2.0, 2.5, 3.0, 4.0)), rng.pick((2.0, 3.0, 4.0, 5.0))
    foot, head = builder.point(0.0), builder.point(0.0, height)
    start, tip = builder.point(-left, height), builder.point(right, height)
    builder.link(foot, head, load=RIGHT)
    builder.link(start, head, load=DOWN)
    builder.link(head, tip, load=DOWN)
    add_end_supports(builder, rng, foot, tip)
    builder.force_points[start] = DOWN
    builder.moment_points.append(start)
    return _with_loads(builder, rng)


def gable(rng: SeededRandom) -> ModelBuilder:
    """Two columns and two rafters, with or without hinges at the ridge and the feet."""
    builder, height = ModelBuilder(), rng.pick(HEIGHTS)
    half, rise = rng.pick((*_TRIPLES[:2], (3.0, 1.5), (4.0, 2.0), (3.0, 2.0)))
    left, right = builder.point(0.0), builder.point(2 * half)
    eaves = (builder.point(0.0, height), builder.point(2 * half, height))
    ridge = builder.point(half, height + rise)
    builder.link(left, eaves[0], load=RIGHT)
    rafters = (builder.link(eaves[0], ridge), builder.link(ridge, eaves[1]))
    builder.link(eaves[1], right, load=LEFT)
    if rng.chance(0.6):
        _load_across(builder, rafters[0])
    if rng.chance(0.5):
        builder.hinge(rafters[0], ridge)
    else:
        builder.moment_points.append(eaves[1])
    add_base_supports(builder, rng, [left, right])
    builder.force_points[ridge] = DOWN
    builder.force_points[eaves[0]] = RIGHT
    return _with_loads(builder, rng)


def splayed(rng: SeededRandom) -> ModelBuilder:
    """A portal whose one or both columns are inclined."""
    builder, width = ModelBuilder(), rng.pick(WIDTHS[1:5])
    run, height = rng.pick(_TRIPLES[:2])
    both = rng.chance()
    left, right = builder.point(0.0), builder.point(run + width + (run if both else 0.0))
    top_left, top_right = builder.point(run, height), builder.point(run + width, height)
    leg = builder.link(left, top_left)
    _beam(builder, rng, top_left, top_right)
    builder.link(top_right, right, load=None if both else LEFT)
    if rng.chance(0.4):
        _load_across(builder, leg)
    add_base_supports(builder, rng, [left, right])
    builder.force_points[top_left] = RIGHT
    builder.moment_points += [top_left, top_right]
    return _with_loads(builder, rng)


def stair(rng: SeededRandom) -> ModelBuilder:
    """An inclined member between level ones."""
    builder = ModelBuilder()
    run, rise = rng.pick(_TRIPLES[:2])
    before, after = rng.pick((0.0, 2.0, 3.0)), rng.pick((2.0, 3.0, 4.0))
    start = builder.point(0.0)
    foot = builder.point(before)
    head, tip = builder.point(before + run, rise), builder.point(before + run + after, rise)
    if before:
        builder.link(start, foot, load=DOWN)
    slope = builder.link(foot, head)
    _load_across(builder, slope)
    builder.link(head, tip, load=DOWN)
    builder.support(start, rng.pick(("pin", "fixed")))
    if rng.chance(0.7):
        builder.support(tip, "roller", rng.pick((0.0, 0.0, 30.0, 45.0)))
    else:
        builder.support(tip, "fixed")
    builder.force_points[head] = DOWN
    builder.moment_points.append(head)
    return _with_loads(builder, rng)


FAMILIES: tuple[Callable[[SeededRandom], ModelBuilder], ...] = (portal, corner, crossing, gable, splayed, stair, portal)


def _beam(builder: ModelBuilder, rng: SeededRandom, a: str, b: str) -> None:
    """One member, or two with a hinge between them."""
    (ax, y), (bx, _) = builder.at(a), builder.at(b)
    if not rng.chance(0.35):
        builder.link(a, b, load=DOWN)
        return
    middle = builder.point((ax + bx) / 2, y)
    first = builder.link(a, middle, load=DOWN)
    builder.link(middle, b, load=DOWN)
    builder.hinge(first, middle)
    builder.force_points[middle] = DOWN


def _load_across(builder: ModelBuilder, link: str) -> None:
    """Let loads act at right angles to an inclined member, from above."""
    member = next(member for member in builder.links if member.id == link)
    (ax, ay), (bx, by) = builder.at(member.a), builder.at(member.b)
    builder.loadable_links[link] = math.degrees(math.atan2(by - ay, bx - ax)) - 90.0


def _with_loads(builder: ModelBuilder, rng: SeededRandom) -> ModelBuilder:
    RandomLoads(builder, rng).add(rng.pick((1, 2, 2, 3, 3, 4)))
    return builder


_BAYS = (3.0, 4.0, 5.0, 6.0)
_STOREYS = (3.0, 3.5, 4.0)
_SHAPES: dict[int, tuple[tuple[int, ...], ...]] = {
    3: ((1, 1), (1, 1, 1), (2,), (1, 2), (2, 1), (1, 1, 1, 1), (3,)),
    4: ((2, 2), (1, 2, 1), (2, 1, 1), (1, 1, 2), (1, 3), (3, 1), (4,), (1, 1, 1, 1, 1), (2, 1, 2)),
    5: ((2, 2, 2), (3, 3), (2, 3), (3, 2), (1, 2, 3), (2, 3, 2), (3, 3, 3), (1, 3, 1), (4, 4), (2, 2, 2, 2)),
}
"""By difficulty: storeys of each bay. What is added may lead to the next difficulty, so the count is checked after."""


class _Grid(Struct, frozen=True):
    """Where columns and floors are, and how many storeys each bay has."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    storeys: tuple[int, ...]

    def column_top(self, k: int) -> int:
        """The storeys of the higher neighbouring bay."""
        return max(self.storeys[max(0, k - 1) : k + 1])


def grid(rng: SeededRandom, difficulty: int) -> ModelBuilder:
    """A frame of about as many members as the difficulty asks for."""
    shape = rng.pick(_SHAPES[difficulty])
    bays = _BAYS if len(shape) < 4 else _BAYS[:3]
    xs, ys = [0.0], [0.0]
    even = rng.pick(bays)
    for _ in shape:
        xs.append(xs[-1] + (even if rng.chance(0.4) else rng.pick(bays)))
    for _ in range(max(shape)):
        ys.append(ys[-1] + rng.pick(_STOREYS))
    frame = _Grid(tuple(xs), tuple(ys), shape)
    builder = ModelBuilder()
    _columns(builder, frame)
    _floors(builder, rng, frame)
    _cantilever(builder, rng, frame)
    add_base_supports(builder, rng, [builder.point(x) for x in xs])
    _add_hinges(builder, rng)
    RandomLoads(builder, rng).add(rng.whole(2, 4 if difficulty < 5 else 5))
    return builder


def _columns(builder: ModelBuilder, frame: _Grid) -> None:
    last = len(frame.xs) - 1
    for k, x in enumerate(frame.xs):
        for level in range(frame.column_top(k)):
            low, high = builder.point(x, frame.ys[level]), builder.point(x, frame.ys[level + 1])
            outward = {0: RIGHT, last: LEFT}.get(k)
            builder.link(low, high, load=outward)
            if k == 0:
                builder.force_points[high] = RIGHT
            elif k == last:
                builder.force_points[high] = LEFT


def _floors(builder: ModelBuilder, rng: SeededRandom, frame: _Grid) -> None:
    ridge = rng.chance(0.25)
    for k, storeys in enumerate(frame.storeys):
        for level in range(1, storeys + 1):
            left = builder.point(frame.xs[k], frame.ys[level])
            right = builder.point(frame.xs[k + 1], frame.ys[level])
            if ridge and level == storeys and storeys == max(frame.storeys):
                top = builder.point((frame.xs[k] + frame.xs[k + 1]) / 2, frame.ys[level] + 1.5)
                builder.link(left, top)
                builder.link(top, right)
                builder.force_points[top] = DOWN
            elif rng.chance(0.08):
                middle = builder.point((frame.xs[k] + frame.xs[k + 1]) / 2, frame.ys[level])
                builder.hinge(builder.link(left, middle, load=DOWN), middle)
                builder.link(middle, right, load=DOWN)
            else:
                builder.link(left, right, load=DOWN)


def _cantilever(builder: ModelBuilder, rng: SeededRandom, frame: _Grid) -> None:
    if not rng.chance(0.25):
        return
    right = rng.chance()
    k = len(frame.xs) - 1 if right else 0
    y = frame.ys[rng.whole(1, frame.column_top(k))]
    reach = rng.pick((1.5, 2.0))
    tip = builder.point(frame.xs[k] + (reach if right else -reach), y)
    root = builder.point(frame.xs[k], y)
    builder.link(*((root, tip) if right else (tip, root)), load=DOWN)
    builder.force_points.pop(root, None)
    # an arm without a load would be idle
    builder.force(rng.pick(FORCES), DOWN, point=tip)


def _add_hinges(builder: ModelBuilder, rng: SeededRandom) -> None:
    """Hinges at ends of beams, on one frame in three."""
    if not rng.chance(0.35):
        return
    beams = [
        link for link in builder.links if link.id in builder.loadable_links and builder.loadable_links[link.id] == DOWN
    ]
    ends = [end for link in builder.links for end in (link.a, link.b)]
    for link in rng.sample(beams, rng.whole(1, 2)):
        point = rng.pick((link.a, link.b))
        # at a free end there is nothing to be hinged to
        if not (link.hinge_a or link.hinge_b) and ends.count(point) > 1:
            builder.hinge(link.id, point)
