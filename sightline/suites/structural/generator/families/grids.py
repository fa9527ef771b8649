"""Frames of several bays and storeys, with steps, gables, cantilevers and hinges."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.structural.generator.families.supports import add_base_supports
from sightline.suites.structural.generator.model_builder import DOWN, LEFT, RIGHT, ModelBuilder
from sightline.suites.structural.generator.random_loads import FORCES, RandomLoads
from sightline.suites.structural.generator.seeded_random import SeededRandom

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
    RandomLoads(builder, rng).add(rng.integer(2, 4 if difficulty < 5 else 5))
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
    y = frame.ys[rng.integer(1, frame.column_top(k))]
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
    for link in rng.sample(beams, rng.integer(1, 2)):
        point = rng.pick((link.a, link.b))
        # at a free end there is nothing to be hinged to
        if not (link.hinge_a or link.hinge_b) and ends.count(point) > 1:
            builder.hinge(link.id, point)
