"""Mechanism or not, against exact arithmetic: on integer grids the rank of the deformations is one of fractions."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from sightline.suites.structural.fem import Frame, MechanismError, Member, Node, Structure, Support
from tests.suites.structural.fem.frames import hinged_joints

OBLIQUE = ((Fraction(3, 5), Fraction(4, 5)), (Fraction(-4, 5), Fraction(3, 5)), (Fraction(5, 13), Fraction(-12, 13)))


def rank(rows: list[list[Fraction]]) -> int:
    """By elimination."""
    rows = [row for row in rows if any(row)]
    found = 0
    while rows:
        pivot = rows.pop()
        column = next(i for i, value in enumerate(pivot) if value)
        found += 1
        cleared = []
        for row in rows:
            if row[column]:
                factor = row[column] / pivot[column]
                row = [a - factor * b for a, b in zip(row, pivot, strict=True)]
            if any(row):
                cleared.append(row)
        rows = cleared
    return found


def free_modes(frame: Frame, places: list[tuple[int, int]], held: list[tuple[int, list[Fraction]]]) -> int:
    """Displacements that neither deform a member nor move a support; idle rotations of hinged joints don't count."""
    size = 3 * len(places)
    rows: list[list[Fraction]] = []
    for member in frame.members:
        (x0, y0), (x1, y1) = places[member.start], places[member.end]
        dx, dy = Fraction(x1 - x0), Fraction(y1 - y0)
        square = dx * dx + dy * dy
        a, b = 3 * member.start, 3 * member.end
        stretch = {a: -dx, a + 1: -dy, b: dx, b + 1: dy}
        chord = {a: -dy / square, a + 1: dx / square, b: dy / square, b + 1: -dx / square}
        bends = [
            chord | {at + 2: Fraction(1)} for at, hinge in ((a, member.hinge_start), (b, member.hinge_end)) if not hinge
        ]
        for made in (stretch, *bends):
            rows.append([made.get(i, Fraction(0)) for i in range(size)])
    for node, direction in held:
        rows.append([direction[i - 3 * node] if 0 <= i - 3 * node < 3 else Fraction(0) for i in range(size)])
    turning = {node for node, direction in held if direction[2]}
    return size - rank(rows) - len(hinged_joints(frame) - turning)


def gridded(seed: int) -> tuple[Frame, int]:
    """A frame on an integer grid, often a mechanism, and how many ways it can move."""
    rng = random.Random(seed)
    count = rng.randint(2, 7)
    places = rng.sample([(x, y) for x in range(4) for y in range(3)], count)
    pairs = {tuple(sorted((i, rng.randrange(i)))) for i in range(1, count)}
    pairs |= {tuple(sorted(rng.sample(range(count), 2))) for _ in range(rng.randint(0, 2 * count))}
    often = rng.choice([0.1, 0.5, 0.9, 1.0])
    scale, young = 10.0 ** rng.uniform(-1.0, 2.5), 10.0 ** rng.uniform(3.0, 11.3)
    members = []
    for start, end in sorted(pairs):
        area = 1e-2 * scale**2 * 10.0 ** rng.uniform(-1.0, 1.0)
        inertia = area * scale**2 / 10.0 ** rng.uniform(1.0, 7.0)
        hinges = [rng.random() < often for _ in range(2)]
        members.append(
            Member(start=start, end=end, E=young, A=area, I=inertia, hinge_start=hinges[0], hinge_end=hinges[1])
        )
    x, y, turn = ([Fraction(int(i == k)) for i in range(3)] for k in range(3))
    slanted = [[*rng.choice(OBLIQUE), Fraction(0)] for _ in range(2)]
    kinds = [[x, y], [x, y, turn], [y], [x], [slanted[0]], [slanted[1], turn], [slanted[0], slanted[1], x]]
    chosen = [(node, rng.choice(kinds)) for node in rng.sample(range(count), rng.randint(1, min(3, count)))]
    frame = Frame(
        nodes=tuple(Node(scale * px, scale * py) for px, py in places),
        members=tuple(members),
        supports=tuple(Support(node, tuple(tuple(map(float, d)) for d in kind)) for node, kind in chosen),
    )
    return frame, free_modes(frame, places, [(node, d) for node, kind in chosen for d in kind])


@pytest.mark.parametrize("seed", range(400))
def test_rank_decisions_are_exact(seed: int) -> None:
    frame, modes = gridded(seed)
    if not modes:
        Structure(frame)
        return
    with pytest.raises(MechanismError) as caught:
        Structure(frame)
    assert caught.value.modes == modes


def test_both_kinds_are_frequent() -> None:
    """Else the law above would be half empty."""
    firm = sum(gridded(seed)[1] == 0 for seed in range(400))
    assert 80 < firm < 320
