"""Forces and displacements against the same equations solved with fifty digits."""

from __future__ import annotations

import random
from decimal import Decimal, localcontext

import numpy as np
import pytest
from msgspec.structs import replace

from sightline.suites.structural.fem import Frame, NodeLoad, solve
from tests.suites.structural.fem.frames import building, random_frame
from tests.suites.structural.fem.test_mechanisms import chain, stiff_and_soft

Row = list[Decimal]
ZERO, ONE = Decimal(0), Decimal(1)
FACTORS = {(False, False): (4, 2, 4), (False, True): (3, 0, 0), (True, False): (0, 0, 3), (True, True): (0, 0, 0)}


def eliminated(rows: list[Row]) -> Row:
    """The solution of equations whose right side is the last column."""
    count = len(rows)
    for k in range(count):
        largest = max(range(k, count), key=lambda i: abs(rows[i][k]))
        rows[k], rows[largest] = rows[largest], rows[k]
        for i in range(count):
            if i != k and rows[i][k]:
                share = rows[i][k] / rows[k][k]
                rows[i] = [a - share * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] / row[k] for k, row in enumerate(rows)]


def deformations(frame: Frame, member: int) -> tuple[Decimal, list[dict[int, Decimal]]]:
    """A member's length, and its elongation and end rotations as combinations of the displacements."""
    given = frame.members[member]
    a, b = frame.nodes[given.start], frame.nodes[given.end]
    dx, dy = Decimal(b.x) - Decimal(a.x), Decimal(b.y) - Decimal(a.y)
    length = (dx * dx + dy * dy).sqrt()
    c, s, i, j = dx / length, dy / length, 3 * given.start, 3 * given.end
    chord = {i: -s / length, i + 1: c / length, j: s / length, j + 1: -c / length}
    return length, [{i: -c, i + 1: -s, j: c, j + 1: s}, chord | {i + 2: ONE}, chord | {j + 2: ONE}]


def natural_forces(frame: Frame) -> tuple[list[Row], Row]:
    """N and both end moments of each member, and all displacements; supports by Lagrange multipliers."""
    size = 3 * len(frame.nodes)
    held = [(support.node, direction) for support in frame.supports for direction in support.held]
    rigid = {m.start for m in frame.members if not m.hinge_start} | {m.end for m in frame.members if not m.hinge_end}
    held += [(node, (0.0, 0.0, 1.0)) for node in range(len(frame.nodes)) if node not in rigid]
    rows = [[ZERO] * (size + 1) for _ in range(size)]
    members = []
    for number, member in enumerate(frame.members):
        length, made = deformations(frame, number)
        ea, ei = (Decimal(member.E * value) / length for value in (member.A, member.I))
        start, both, end = FACTORS[member.hinge_start, member.hinge_end]
        stiff = [[ea, ZERO, ZERO], [ZERO, start * ei, both * ei], [ZERO, both * ei, end * ei]]
        members.append((made, stiff))
        for p in range(3):
            for q in range(3):
                for i, x in made[p].items():
                    for j, y in made[q].items():
                        rows[i][j] += x * stiff[p][q] * y
    for load in frame.loads:
        assert isinstance(load, NodeLoad)
        for axis, value in enumerate((load.fx, load.fy, load.m)):
            rows[3 * load.node + axis][-1] += Decimal(value)
    weight = max(abs(value) for row in rows for value in row)  # multipliers of the size of the stiffnesses
    basis = independent(held)
    for row in rows:
        row[-1:-1] = [ZERO] * len(basis)
    for k, (node, direction) in enumerate(basis):
        extra = [ZERO] * (size + len(basis) + 1)
        for axis in range(3):
            extra[3 * node + axis] = rows[3 * node + axis][size + k] = weight * Decimal(direction[axis])
        rows.append(extra)
    moves = eliminated(rows)[:size]
    strains = [[sum(x * moves[i] for i, x in row.items()) for row in made] for made, _ in members]
    forces = [
        [sum(a * b for a, b in zip(row, strain, strict=True)) for row in stiff]
        for (_, stiff), strain in zip(members, strains, strict=True)
    ]
    return forces, moves


def independent(held: list[tuple[int, tuple[float, ...]]]) -> list[tuple[int, tuple[float, ...]]]:
    """Without directions that others at the node imply."""
    kept: list[tuple[int, tuple[float, ...]]] = []
    for node, direction in held:
        here = [other for at, other in kept if at == node]
        if np.linalg.matrix_rank(np.array([*here, direction]), tol=1e-9) > len(here):
            kept.append((node, direction))
    return kept


def firm_frames() -> dict[str, Frame]:
    frames = {f"random {seed}": random_frame(seed) for seed in range(24)}
    frames = {name: replace(frame, loads=everywhere(frame)) for name, frame in frames.items()}
    frames["building"] = replace(building(3, 2), loads=(NodeLoad(4, fx=1e4), NodeLoad(11, fy=-3e4, m=2e4)))
    return {**frames, "slender": chain(8, 30.0, 1e6), "stiff and soft": stiff_and_soft()}


def everywhere(frame: Frame) -> tuple[NodeLoad, ...]:
    rng = random.Random(len(frame.members))
    return tuple(NodeLoad(node, rng.uniform(-9.0, 9.0), rng.uniform(-9.0, 9.0)) for node in range(len(frame.nodes)))


FRAMES = firm_frames()


@pytest.mark.parametrize("name", FRAMES)
def test_as_with_fifty_digits(name: str) -> None:
    frame = FRAMES[name]
    with localcontext() as context:
        context.prec = 70  # pivots of the multipliers cost a few
        forces, moves = natural_forces(frame)
    solution = solve(frame)
    exact = np.array([[float(value) for value in row] for row in forces])
    ours = solution.end_forces[:, [3, 2, 5]]
    length = np.mean([float(deformations(frame, k)[0]) for k in range(len(frame.members))])
    unit = np.array([1.0, length, length])
    assert np.abs((ours - exact) / unit).max() <= 3e-12 * np.abs(exact / unit).max()
    shifts = np.array([float(value) for value in moves]).reshape(-1, 3)[:, :2]
    assert np.abs(solution.displacements[:, :2] - shifts).max() <= 1e-11 * np.abs(shifts).max()
