"""Small frames: up to four members, or a few more where hinges divide them."""

from __future__ import annotations

import math
from collections.abc import Callable

from sightline.suites.structural.generator.families.supports import add_base_supports, add_end_supports
from sightline.suites.structural.generator.model_builder import DOWN, LEFT, RIGHT, ModelBuilder
from sightline.suites.structural.generator.random_loads import RandomLoads
from sightline.suites.structural.generator.seeded_random import SeededRandom

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
