"""Ordered indices: set measures by plain Python sets, and the laws of a state."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.scoring.metrics.ranks import (
    RECIPROCAL_RANK,
    RETRIEVAL_F1,
    RETRIEVAL_MACRO_F1,
    RETRIEVAL_MACRO_PRECISION,
    RETRIEVAL_MACRO_RECALL,
    RETRIEVAL_PRECISION,
    RETRIEVAL_RECALL,
    RankState,
    calculate_mrr,
    calculate_retrieval_f1,
    calculate_retrieval_precision,
    calculate_retrieval_recall,
    score_ranks,
)
from sightline.scoring.metrics.state import MetricContext
from sightline.scoring.parsers.columns.indices import INDICES
from tests.scoring.metrics.columns import Sample, batch_of, check_laws, tallied

MEANS = (RETRIEVAL_MACRO_RECALL, RETRIEVAL_MACRO_PRECISION, RETRIEVAL_MACRO_F1, RECIPROCAL_RANK)
SUMS = (RETRIEVAL_RECALL, RETRIEVAL_PRECISION, RETRIEVAL_F1)
FIGURES = (*MEANS, *SUMS)
FUNCTIONS = (calculate_retrieval_recall, calculate_retrieval_precision, calculate_retrieval_f1)
lists = st.lists(st.integers(0, 5), max_size=5).map(lambda many: ",".join(map(str, many)) or "none")
samples = st.lists(st.tuples(lists, lists | st.sampled_from(["", "x"]), st.integers(0, 5)), min_size=1, max_size=25)


def told(state: RankState) -> Any:
    return [figure.compute(state) for figure in FIGURES]


@settings(max_examples=20, deadline=None)
@given(rows=samples, seed=st.integers(0, 999))
def test_order_split_and_merge_change_nothing(rows: list[Sample], seed: int) -> None:
    check_laws(RankState, INDICES, rows, told, seed)


def indices(text: str) -> list[int] | None:
    return None if text in ("", "x") else [] if text == "none" else [int(one) for one in text.split(",")]


def measures(truth: list[int], reply: list[int] | None) -> tuple[float, float, float, float]:
    if reply is None or not truth or not reply:
        return (float(truth == reply),) * 4
    common = len(set(truth) & set(reply))
    recall, precision = common / len(set(truth)), common / len(set(reply))
    f1 = 2 * recall * precision / (recall + precision) if common else 0.0
    return recall, precision, f1, next((1 / (k + 1) for k, one in enumerate(reply) if one in truth), 0.0)


@settings(max_examples=80, deadline=None)
@given(rows=samples)
def test_measures_are_those_of_sets(rows: list[Sample]) -> None:
    state = tallied(RankState, INDICES, rows)
    truths, replies = [indices(row[0]) or [] for row in rows], [indices(row[1]) for row in rows]
    table = [measures(truth, reply) for truth, reply in zip(truths, replies, strict=True)]
    for k, figure in enumerate(MEANS):
        expected = sum(row[k] for row in table) / len(table)
        assert figure.compute(state).value == pytest.approx(expected)
        found = calculate_mrr(truths, replies) if k == 3 else FUNCTIONS[k](truths, replies, average="macro")
        assert found == pytest.approx(expected)
    common = sum(len(set(truth) & set(reply or ())) for truth, reply in zip(truths, replies, strict=True))
    wanted, given = (sum(len(set(one or ())) for one in side) for side in (truths, replies))
    for figure, function, whole, part in zip(SUMS, FUNCTIONS, (wanted, given, wanted + given), (1, 1, 2), strict=True):
        expected = part * common / whole if whole else None
        assert figure.compute(state).value == (expected if expected is None else pytest.approx(expected))
        assert function(truths, replies) == figure.compute(state).value
    right = [
        float(reply is not None and set(truth) == set(reply)) for truth, reply in zip(truths, replies, strict=True)
    ]
    assert score_ranks(batch_of(INDICES, rows))["score"].tolist() == right
    in_order = [float(truth == reply) for truth, reply in zip(truths, replies, strict=True)]
    ordered = MetricContext(options={"ordered": True})
    assert score_ranks(batch_of(INDICES, rows), ordered)["score"].tolist() == in_order


def test_recall_is_hits_over_targets() -> None:
    """One sample with many targets weighs as much as they do; its mean over samples is another figure."""
    truths, replies = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1]], [[1, 2, 3], [1]]
    assert calculate_retrieval_recall(truths, replies) == pytest.approx(4 / 10)
    assert calculate_retrieval_recall(truths, replies, average="macro") == pytest.approx((1 / 3 + 1) / 2)


def test_order_matters_where_the_task_says_so() -> None:
    rows = [("1,2", "2,1", 0), ("1,2", "1,2", 1), ("none", "", 2)]
    assert RankState().count(batch_of(INDICES, rows))["score"].tolist() == [1, 1, 0]
    values = RankState(MetricContext(options={"ordered": True})).count(batch_of(INDICES, rows))
    assert values["score"].tolist() == [0, 1, 0]
    assert values["f1"].tolist() == [1, 1, 0]


def test_nothing_is_no_data() -> None:
    state = tallied(RankState, INDICES, [])
    assert all(figure.compute(state).value is None for figure in FIGURES)
    assert all(function([], []) is None for function in (*FUNCTIONS, calculate_mrr))
