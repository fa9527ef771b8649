"""The same answers as PyNite and OpenSees, and the size that is promised."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sightline.suites.structural.fem import Frame, Structure, solve
from tests.suites.structural.fem.frames import building, random_frame
from tests.suites.structural.fem.references import Answer, with_opensees, with_pynite


def agree(frame: Frame, reference: Callable[[Frame], Answer]) -> None:
    """All three tables to 1e-9 of their largest force, and of their largest moment."""
    ours, theirs = solve(frame), reference(frame)
    tables = (ours.displacements, ours.node_reactions, ours.end_forces)
    for got, wanted in zip(tables, theirs, strict=True):
        got, wanted = got.reshape(-1, 3), wanted.reshape(-1, 3)
        for part in (slice(0, 2), slice(2, 3)):
            size = max(np.abs(wanted[:, part]).max(), 1e-3 * np.abs(wanted).max())
            assert np.abs(got[:, part] - wanted[:, part]).max() <= 1e-9 * size


@pytest.mark.parametrize("seed", range(60))
def test_pynite(seed: int) -> None:
    pytest.importorskip("Pynite", reason="PyNiteFEA is not installed")
    agree(random_frame(seed, oblique=False), with_pynite)


@pytest.mark.parametrize("seed", range(60))
def test_opensees(seed: int) -> None:
    try:
        import openseespy.opensees  # noqa: F401
    except (ImportError, RuntimeError) as error:  # the wheel raises the latter where the system has no BLAS
        pytest.skip(f"openseespy can't be loaded: {error}")
    agree(random_frame(seed, oblique=False, whole_lines=True), with_opensees)


def test_two_thousand_members() -> None:
    """By a chain of blocks, which on a smaller frame gives the answer of the plain dense matrix."""
    frame = building(30, 33)
    assert len(frame.members) >= 2000
    solution = solve(frame)
    lifted = sum(r.vector[1] for r in solution.reactions)
    assert lifted == pytest.approx(2.0e4 * 4.0 * 30 * 33, rel=1e-9)


@pytest.mark.parametrize("shuffled", [False, True])
def test_the_chain_of_blocks_is_the_dense_matrix(shuffled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from sightline.suites.structural.fem import factorization

    frame = building(6, 9)
    if shuffled:
        order = np.random.default_rng(5).permutation(len(frame.nodes))
        from msgspec.structs import replace

        rank = np.argsort(order)
        frame = Frame(
            nodes=tuple(frame.nodes[i] for i in order),
            members=tuple(replace(m, start=int(rank[m.start]), end=int(rank[m.end])) for m in frame.members),
            supports=tuple(replace(s, node=int(rank[s.node])) for s in frame.supports),
            loads=tuple(replace(v, node=int(rank[v.node])) if hasattr(v, "node") else v for v in frame.loads),
        )
    chained = solve(frame)
    init = factorization.BlockFactor.__init__
    monkeypatch.setattr(factorization.BlockFactor, "__init__", lambda *given: init(*given, one_block=10**9))
    dense = solve(frame)
    assert chained.end_forces == pytest.approx(dense.end_forces, abs=1e-9 * max(dense.peak()))
    assert chained.displacements == pytest.approx(dense.displacements, abs=1e-9 * np.abs(dense.displacements).max())


def test_more_cases_need_one_factorisation(monkeypatch: pytest.MonkeyPatch) -> None:
    from sightline.suites.structural.fem import factorization

    frame = building(6, 9)
    alone = solve(frame)
    made = []
    init = factorization.BlockFactor.__init__
    monkeypatch.setattr(factorization.BlockFactor, "__init__", lambda *given: made.append(1) or init(*given))
    many = Structure(frame).solve_many([frame.loads] * 50)
    assert len(made) == 1
    assert len(many) == 50
    assert many[-1].end_forces == pytest.approx(alone.end_forces, abs=1e-9 * max(alone.peak()))
    assert Structure(frame).solve_many([]) == []
