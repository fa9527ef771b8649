"""Numbers: errors against scikit-learn, and the laws of a state."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.scoring.metrics.numbers import (
    MAE,
    RMSE,
    WITHIN_ONE,
    NumberState,
    calculate_accuracy,
    calculate_mae,
    calculate_rmse,
    calculate_within_one,
    score_numbers,
)
from sightline.scoring.parsers.columns.numbers import NUMBER
from tests.scoring.metrics.columns import Sample, batch_of, check_laws, tallied
from tests.support.peers import Peer

sklearn_metrics = Peer("sklearn.metrics")

counts = st.integers(0, 130).map(str)
samples = st.lists(
    st.tuples(counts, counts | st.sampled_from(["", "many", "1.5", "-3", "1000000000000"]), st.integers(0, 6)),
    min_size=1,
    max_size=30,
)


def told(state: NumberState) -> Any:
    return (
        MAE.compute(state),
        RMSE.compute(state),
        WITHIN_ONE.compute(state),
        state.best_constant(),
        state.breakdowns(),
    )


@settings(max_examples=25, deadline=None)
@given(rows=samples, seed=st.integers(0, 999))
def test_order_split_and_merge_change_nothing(rows: list[Sample], seed: int) -> None:
    check_laws(NumberState, NUMBER, rows, told, seed)


@settings(max_examples=60, deadline=None)
@given(rows=samples)
def test_errors_are_those_of_scikit_learn(rows: list[Sample]) -> None:
    state = tallied(NumberState, NUMBER, rows)
    values = [(float(truth), None if reply in ("", "many") else float(reply)) for truth, reply, _ in rows]
    read = [(truth, reply) for truth, reply in values if reply is not None]
    mae, rmse = MAE.compute(state), RMSE.compute(state)
    assert (mae.n, mae.unparsed) == (len(read), len(rows) - len(read))
    truths, replies = [pair[0] for pair in values], [pair[1] for pair in values]
    assert calculate_accuracy(truths, replies) == score_numbers(batch_of(NUMBER, rows))["score"].sum() / len(rows)
    assert WITHIN_ONE.compute(state).value == calculate_within_one(truths, replies)
    if not read:
        assert mae.value is None and calculate_mae(truths, replies) is None and calculate_rmse(truths, replies) is None
        return
    plain = list(zip(*read, strict=True))
    assert mae.value == pytest.approx(sklearn_metrics.mean_absolute_error(*plain), rel=1e-12)
    assert rmse.value == pytest.approx(sklearn_metrics.root_mean_squared_error(*plain), rel=1e-12)
    assert calculate_mae(truths, replies) == pytest.approx(mae.value, rel=1e-12)
    assert calculate_rmse(truths, replies) == pytest.approx(rmse.value, rel=1e-12)


def test_what_is_told() -> None:
    rows: list[Sample] = [("3", "3", 0), ("3", "5", 1), ("0", "1", 2), ("50", "", 3), ("200", "190", 4)]
    state = NumberState()
    values = state.count(batch_of(NUMBER, rows))
    assert values["score"].tolist() == [1, 0, 0, 0, 0]
    assert values["error"].tolist()[:3] == [0, 2, 1] and values["error"][3] != values["error"][3]
    assert state.best_constant() == ("always 3", 0.4)
    table, together = state.breakdowns()
    assert table.rows == (
        ("0", 1, 0.0, 1.0, 1.0),
        ("2–5", 2, 0.5, 1.0, 1.0),
        ("21–100", 1, 0.0, None, None),
        (">100", 1, 0.0, 10.0, -10.0),
    )
    # numbers above 20 are counted in steps of a tenth
    assert together.rows == ((0, 1, 1), (3, 3, 1), (3, 5, 1), (197, 197, 1))
    assert WITHIN_ONE.compute(state).value == 0.4


def test_nothing_is_no_data() -> None:
    state = NumberState()
    state.count(batch_of(NUMBER, []))
    assert MAE.compute(state).value is RMSE.compute(state).value is WITHIN_ONE.compute(state).value is None
    assert state.best_constant() is None and state.breakdowns() == ()
    assert calculate_mae([], []) is calculate_rmse([], []) is calculate_accuracy([], []) is None
