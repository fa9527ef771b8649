"""Frames of several bays and storeys, with steps, gables, cantilevers and hinges."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.structural.generator.dice import Dice
from sightline.suites.structural.generator.kinds.bases import hold_bases
from sightline.suites.structural.generator.loading import FORCES, Loading
from sightline.suites.structural.generator.sketch import DOWN, LEFT, RIGHT, Sketch

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


def grid(dice: Dice, difficulty: int) -> Sketch:
    """A frame of about as many members as the difficulty asks for."""
    shape = dice.pick(_SHAPES[difficulty])
    bays = _BAYS if len(shape) < 4 else _BAYS[:3]
    xs, ys = [0.0], [0.0]
    even = dice.pick(bays)
    for _ in shape:
        xs.append(xs[-1] + (even if dice.chance(0.4) else dice.pick(bays)))
    for _ in range(max(shape)):
        ys.append(ys[-1] + dice.pick(_STOREYS))
    frame = _Grid(tuple(xs), tuple(ys), shape)
    sketch = Sketch()
    _columns(sketch, frame)
    _floors(sketch, dice, frame)
    _cantilever(sketch, dice, frame)
    hold_bases(sketch, dice, [sketch.point(x) for x in xs])
    _free_some(sketch, dice)
    Loading(sketch, dice).add(dice.whole(2, 4 if difficulty < 5 else 5))
    return sketch


def _columns(sketch: Sketch, frame: _Grid) -> None:
    last = len(frame.xs) - 1
    for k, x in enumerate(frame.xs):
        for level in range(frame.column_top(k)):
            low, high = sketch.point(x, frame.ys[level]), sketch.point(x, frame.ys[level + 1])
            outward = {0: RIGHT, last: LEFT}.get(k)
            sketch.link(low, high, load=outward)
            if k == 0:
                sketch.pushes[high] = RIGHT
            elif k == last:
                sketch.pushes[high] = LEFT


def _floors(sketch: Sketch, dice: Dice, frame: _Grid) -> None:
    ridge = dice.chance(0.25)
    for k, storeys in enumerate(frame.storeys):
        for level in range(1, storeys + 1):
            left = sketch.point(frame.xs[k], frame.ys[level])
            right = sketch.point(frame.xs[k + 1], frame.ys[level])
            if ridge and level == storeys and storeys == max(frame.storeys):
                top = sketch.point((frame.xs[k] + frame.xs[k + 1]) / 2, frame.ys[level] + 1.5)
                sketch.link(left, top)
                sketch.link(top, right)
                sketch.pushes[top] = DOWN
            elif dice.chance(0.08):
                middle = sketch.point((frame.xs[k] + frame.xs[k + 1]) / 2, frame.ys[level])
                sketch.hinge(sketch.link(left, middle, load=DOWN), middle)
                sketch.link(middle, right, load=DOWN)
            else:
                sketch.link(left, right, load=DOWN)


def _cantilever(sketch: Sketch, dice: Dice, frame: _Grid) -> None:
    if not dice.chance(0.25):
        return
    right = dice.chance()
    k = len(frame.xs) - 1 if right else 0
    y = frame.ys[dice.whole(1, frame.column_top(k))]
    reach = dice.pick((1.5, 2.0))
    tip = sketch.point(frame.xs[k] + (reach if right else -reach), y)
    root = sketch.point(frame.xs[k], y)
    sketch.link(*((root, tip) if right else (tip, root)), load=DOWN)
    sketch.pushes.pop(root, None)
    # an arm without a load would be idle
    sketch.force(dice.pick(FORCES), DOWN, point=tip)


def _free_some(sketch: Sketch, dice: Dice) -> None:
    """Hinges at ends of beams, on one frame in three."""
    if not dice.chance(0.35):
        return
    beams = [link for link in sketch.links if link.id in sketch.spans and sketch.spans[link.id] == DOWN]
    ends = [end for link in sketch.links for end in (link.a, link.b)]
    for link in dice.sample(beams, dice.whole(1, 2)):
        point = dice.pick((link.a, link.b))
        # at a free end there is nothing to be hinged to
        if not (link.hinge_a or link.hinge_b) and ends.count(point) > 1:
            sketch.hinge(link.id, point)
