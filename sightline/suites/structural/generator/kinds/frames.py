"""Small frames: up to four members, or a few more where hinges divide them."""

from __future__ import annotations

import math
from collections.abc import Callable

from sightline.suites.structural.generator.dice import Dice
from sightline.suites.structural.generator.kinds.bases import hold_bases, hold_end
from sightline.suites.structural.generator.loading import Loading
from sightline.suites.structural.generator.sketch import DOWN, LEFT, RIGHT, Sketch

HEIGHTS = (3.0, 3.5, 4.0, 4.5, 5.0, 6.0)
WIDTHS = (3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
_TRIPLES = ((3.0, 4.0), (4.0, 3.0), (1.5, 2.0), (2.0, 1.5), (6.0, 2.5))
"""Legs of triangles whose third side is a round number too."""


def portal(dice: Dice) -> Sketch:
    """Two columns and a beam; the columns may differ in height, and the beam may reach beyond one of them."""
    sketch, height, width = Sketch(), dice.pick(HEIGHTS), dice.pick(WIDTHS)
    sunk = dice.pick((0.0, 0.0, 0.0, -1.0, -2.0))
    left, right = sketch.point(0.0), sketch.point(width, sunk)
    top_left, top_right = sketch.point(0.0, height), sketch.point(width, height)
    sketch.link(left, top_left, load=RIGHT)
    _beam(sketch, dice, top_left, top_right)
    sketch.link(top_right, right, load=LEFT)
    if dice.chance(0.25):
        tip = sketch.point(width + dice.pick((1.5, 2.0, 2.5)), height)
        sketch.link(top_right, tip, load=DOWN)
        sketch.pushes[tip] = DOWN
        sketch.turns.append(tip)
    hold_bases(sketch, dice, [left, right])
    sketch.pushes[top_left] = RIGHT
    sketch.turns += [top_left, top_right]
    return _loaded(sketch, dice)


def corner(dice: Dice) -> Sketch:
    """A column and a beam: built in at the foot, or held at both ends."""
    sketch, height, width = Sketch(), dice.pick(HEIGHTS), dice.pick(WIDTHS[:5])
    foot, knee, tip = sketch.point(0.0), sketch.point(0.0, height), sketch.point(width, height)
    sketch.link(foot, knee, load=RIGHT)
    sketch.link(knee, tip, load=DOWN)
    hold_end(sketch, dice, foot, tip)
    sketch.pushes[knee] = RIGHT
    sketch.turns.append(knee)
    return _loaded(sketch, dice)


def crossing(dice: Dice) -> Sketch:
    """A T: a column that carries a beam to both sides."""
    sketch, height = Sketch(), dice.pick(HEIGHTS)
    left, right = dice.pick((2.0, 2.5, 3.0, 4.0)), dice.pick((2.0, 3.0, 4.0, 5.0))
    foot, head = sketch.point(0.0), sketch.point(0.0, height)
    start, tip = sketch.point(-left, height), sketch.point(right, height)
    sketch.link(foot, head, load=RIGHT)
    sketch.link(start, head, load=DOWN)
    sketch.link(head, tip, load=DOWN)
    hold_end(sketch, dice, foot, tip)
    sketch.pushes[start] = DOWN
    sketch.turns.append(start)
    return _loaded(sketch, dice)


def gable(dice: Dice) -> Sketch:
    """Two columns and two rafters, with or without hinges at the ridge and the feet."""
    sketch, height = Sketch(), dice.pick(HEIGHTS)
    half, rise = dice.pick((*_TRIPLES[:2], (3.0, 1.5), (4.0, 2.0), (3.0, 2.0)))
    left, right = sketch.point(0.0), sketch.point(2 * half)
    eaves = (sketch.point(0.0, height), sketch.point(2 * half, height))
    ridge = sketch.point(half, height + rise)
    sketch.link(left, eaves[0], load=RIGHT)
    rafters = (sketch.link(eaves[0], ridge), sketch.link(ridge, eaves[1]))
    sketch.link(eaves[1], right, load=LEFT)
    if dice.chance(0.6):
        _across(sketch, rafters[0])
    if dice.chance(0.5):
        sketch.hinge(rafters[0], ridge)
    else:
        sketch.turns.append(eaves[1])
    hold_bases(sketch, dice, [left, right])
    sketch.pushes[ridge] = DOWN
    sketch.pushes[eaves[0]] = RIGHT
    return _loaded(sketch, dice)


def splayed(dice: Dice) -> Sketch:
    """A portal whose one or both columns are inclined."""
    sketch, width = Sketch(), dice.pick(WIDTHS[1:5])
    run, height = dice.pick(_TRIPLES[:2])
    both = dice.chance()
    left, right = sketch.point(0.0), sketch.point(run + width + (run if both else 0.0))
    top_left, top_right = sketch.point(run, height), sketch.point(run + width, height)
    leg = sketch.link(left, top_left)
    _beam(sketch, dice, top_left, top_right)
    sketch.link(top_right, right, load=None if both else LEFT)
    if dice.chance(0.4):
        _across(sketch, leg)
    hold_bases(sketch, dice, [left, right])
    sketch.pushes[top_left] = RIGHT
    sketch.turns += [top_left, top_right]
    return _loaded(sketch, dice)


def stair(dice: Dice) -> Sketch:
    """An inclined member between level ones."""
    sketch = Sketch()
    run, rise = dice.pick(_TRIPLES[:2])
    before, after = dice.pick((0.0, 2.0, 3.0)), dice.pick((2.0, 3.0, 4.0))
    start = sketch.point(0.0)
    foot = sketch.point(before)
    head, tip = sketch.point(before + run, rise), sketch.point(before + run + after, rise)
    if before:
        sketch.link(start, foot, load=DOWN)
    slope = sketch.link(foot, head)
    _across(sketch, slope)
    sketch.link(head, tip, load=DOWN)
    sketch.support(start, dice.pick(("pin", "fixed")))
    if dice.chance(0.7):
        sketch.support(tip, "roller", dice.pick((0.0, 0.0, 30.0, 45.0)))
    else:
        sketch.support(tip, "fixed")
    sketch.pushes[head] = DOWN
    sketch.turns.append(head)
    return _loaded(sketch, dice)


FAMILIES: tuple[Callable[[Dice], Sketch], ...] = (portal, corner, crossing, gable, splayed, stair, portal)


def _beam(sketch: Sketch, dice: Dice, a: str, b: str) -> None:
    """One member, or two with a hinge between them."""
    (ax, y), (bx, _) = sketch.at(a), sketch.at(b)
    if not dice.chance(0.35):
        sketch.link(a, b, load=DOWN)
        return
    middle = sketch.point((ax + bx) / 2, y)
    first = sketch.link(a, middle, load=DOWN)
    sketch.link(middle, b, load=DOWN)
    sketch.hinge(first, middle)
    sketch.pushes[middle] = DOWN


def _across(sketch: Sketch, link: str) -> None:
    """Let loads act at right angles to an inclined member, from above."""
    known = next(known for known in sketch.links if known.id == link)
    (ax, ay), (bx, by) = sketch.at(known.a), sketch.at(known.b)
    sketch.spans[link] = math.degrees(math.atan2(by - ay, bx - ax)) - 90.0


def _loaded(sketch: Sketch, dice: Dice) -> Sketch:
    Loading(sketch, dice).add(dice.pick((1, 2, 2, 3, 3, 4)))
    return sketch
