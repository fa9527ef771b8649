"""Products and inverses in a fixed order of operations: right, and the same digits whatever stands beside."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from sightline.suites.structural.fem import Frame, Member, Node, NodeLoad, Support, solve
from sightline.suites.structural.fem.linear_algebra import invert, multiply, multiply_each, orthonormal_basis, solve_few

EPS = np.finfo(float).eps


def drawn(*shape: int) -> NDArray[np.float64]:
    return np.random.default_rng(sum(shape)).standard_normal(shape)


@pytest.mark.parametrize(("rows", "inner", "columns"), [(1, 1, 1), (3, 6, 1), (40, 40, 3), (70, 65, 60), (5, 0, 2)])
def test_a_product_is_the_exact_one_but_for_rounding(rows: int, inner: int, columns: int) -> None:
    left, right = drawn(rows, inner), drawn(inner, columns)
    found = multiply(left, right)
    assert found.shape == (rows, columns)
    for i in range(0, rows, 7):
        for j in range(0, columns, 5):
            terms = [Fraction(a) * Fraction(b) for a, b in zip(left[i], right[:, j], strict=True)]
            size = float(sum(map(abs, terms)))
            assert abs(Fraction(float(found[i, j])) - sum(terms)) <= inner * EPS * size


def test_a_product_does_not_depend_on_its_neighbours() -> None:
    """A load case has the same digits alone as among others."""
    left, right = drawn(80, 70), drawn(70, 50)
    whole = multiply(left, right)
    for j in (0, 17, 49):
        assert (multiply(left, right[:, [j]]) == whole[:, [j]]).all()
    assert (multiply(left[33:34], right) == whole[33:34]).all()


def test_products_of_stacks() -> None:
    left, right = drawn(9, 3, 6), drawn(9, 6, 2)
    assert multiply_each(left, right) == pytest.approx(left @ right, rel=1e-13, abs=1e-14)


@pytest.mark.parametrize("size", [1, 2, 9, 40])
@pytest.mark.parametrize("softest", [1.0, 1e-4, 1e-8])
def test_an_inverse_inverts(size: int, softest: float) -> None:
    turn = np.linalg.qr(drawn(size, size))[0]
    matrix = turn * np.geomspace(1.0, softest, size) @ turn.T
    scale = 1.0 / np.sqrt(matrix.diagonal())
    matrix = scale[:, None] * (matrix + matrix.T) / 2.0 * scale
    error = np.abs(invert(matrix) @ matrix - np.eye(size)).max()
    assert error <= 50 * size * EPS * np.linalg.cond(matrix)


@pytest.mark.parametrize("matrix", [[[0.0]], [[1.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]], [[math.nan]]])
def test_what_is_not_positive_definite_has_no_inverse(matrix: list[list[float]]) -> None:
    with pytest.raises(np.linalg.LinAlgError):
        invert(np.array(matrix))


@pytest.mark.parametrize(
    ("vectors", "rank"),
    [
        ([[1.0, 0.0]], 1),
        ([[0.6, 0.8], [-0.6, -0.8]], 1),
        ([[0.6, 0.8], [0.8, 0.6]], 2),
        ([[1.0, 0.0], [1.0, 1e-12]], 1),
        ([[1.0, 0.0, 0.0], [1.0, 1e-6, 0.0]], 2),
        ([[0.0, 0.0, 1.0], [0.6, 0.8, 0.0], [0.6, 0.8, 1.0]], 2),
        ([[0.0, 0.0]], 0),
    ],
)
def test_a_basis_is_orthonormal_and_spans_the_vectors(vectors: list[list[float]], rank: int) -> None:
    rows, found = orthonormal_basis(vectors, 1e-9)
    assert found == rank
    assert rows @ rows.T == pytest.approx(np.eye(len(vectors[0])), abs=1e-15)
    assert np.array(vectors) @ rows[rank:].T == pytest.approx(0.0, abs=1e-9)


def test_few_equations_are_solved() -> None:
    matrix = drawn(3, 3)
    matrix[0, 0] = 0.0  # needs another pivot
    assert solve_few(matrix.tolist(), [1.0, 2.0, 3.0]) == pytest.approx(np.linalg.solve(matrix, [1.0, 2.0, 3.0]))


@pytest.mark.parametrize("apart", [90.0, 30.0, 1e-3, 1e-6, 0.0])
def test_rollers_at_one_node_share_its_reaction(apart: float) -> None:
    """Their components add up to what the node needs, however near their directions are, and are as small as can be."""
    frame = Frame(
        nodes=(Node(0.0, 0.0), Node(4.0, 0.0)),
        members=(Member(start=0, end=1, E=1e6, A=1.0, I=1.0),),
        supports=(Support.fixed(0), Support.roller(1, 60.0), Support.roller(1, 60.0 + apart)),
        loads=(NodeLoad(1, fx=3.0, fy=-5.0),),
    )
    solution = solve(frame)
    shared = np.array([reaction.vector for reaction in solution.reactions[1:]]).sum(axis=0)
    assert shared == pytest.approx(solution.node_reactions[1], abs=1e-7 * max(map(abs, solution.node_reactions[1])))
    if not apart:
        assert solution.reactions[1].components == pytest.approx(solution.reactions[2].components)
