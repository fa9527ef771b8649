"""Labels: figures by class against scikit-learn, and that no reply can change what the classes are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.scoring.metrics.label_counts import ClusterCounts
from sightline.scoring.metrics.labels import (
    KAPPA,
    MACRO_F1,
    MACRO_PRECISION,
    MACRO_RECALL,
    MICRO_F1,
    LabelState,
    calculate_kappa,
    calculate_macro_f1,
    calculate_macro_precision,
    calculate_macro_recall,
    calculate_micro_f1,
    score_labels,
)
from sightline.scoring.parsers.columns.labels import LABEL, LABELS
from sightline.stats.cluster_sums import FOLDED_CLUSTERS
from tests.scoring.metrics.columns import Sample, batch_of, check_laws, fitted, tallied
from tests.support.peers import Peer

sklearn_metrics = Peer("sklearn.metrics")
sklearn_preprocessing = Peer("sklearn.preprocessing")

FIGURES = (MACRO_F1, MACRO_RECALL, MACRO_PRECISION, MICRO_F1, KAPPA)
names = st.sampled_from(["car", "bus", "ship", "plane"])
said = names | st.sampled_from(["tank", "nothing", ""])
single = st.lists(st.tuples(names, said, st.integers(0, 5)), min_size=1, max_size=30)
sets = st.lists(
    st.tuples(st.sets(names, min_size=1).map(";".join), st.sets(said, max_size=4).map(";".join), st.integers(0, 5)),
    min_size=1,
    max_size=30,
)


def told(state: LabelState) -> Any:
    figures = [figure.compute(state) for figure in FIGURES]
    return (
        figures,
        state.best_constant(),
        list(state.breakdowns()),
        dict(state.remarks()),
    )


@pytest.mark.parametrize(("parser", "worlds"), [(LABEL, single), (LABELS, sets)])
@settings(max_examples=12, deadline=None)
@given(data=st.data(), seed=st.integers(0, 999))
def test_order_split_and_merge_change_nothing(parser: Any, worlds: Any, data: st.DataObject, seed: int) -> None:
    check_laws(LabelState, parser, data.draw(worlds), told, seed)


@settings(max_examples=60, deadline=None)
@given(rows=single)
def test_single_labels_as_scikit_learn_has_them(rows: list[Sample]) -> None:
    state = tallied(LabelState, LABEL, rows, fitted(LabelState, LABEL, rows))
    truths, replies = [row[0] for row in rows], [row[1] or "(unread)" for row in rows]
    classes = sorted(set(truths))
    how: dict[str, Any] = {"labels": classes, "zero_division": 0}
    assert MACRO_F1.compute(state).value == pytest.approx(
        sklearn_metrics.f1_score(truths, replies, average="macro", **how)
    )
    assert MACRO_RECALL.compute(state).value == pytest.approx(
        sklearn_metrics.recall_score(truths, replies, average="macro", **how)
    )
    assert MACRO_PRECISION.compute(state).value == pytest.approx(
        sklearn_metrics.precision_score(truths, replies, average="macro", **how)
    )
    assert MICRO_F1.compute(state).value == pytest.approx(
        sklearn_metrics.f1_score(truths, replies, average="micro", **how)
    )
    kappa = KAPPA.compute(state)
    if len({*truths, *replies}) == 1:
        assert kappa.value is None and kappa.reason
    else:
        assert kappa.value == pytest.approx(sklearn_metrics.cohen_kappa_score(truths, replies))
    given = [row[1] or None for row in rows]
    assert calculate_macro_f1(truths, given) == MACRO_F1.compute(state).value
    assert calculate_kappa(truths, given) == kappa.value


@settings(max_examples=60, deadline=None)
@given(rows=sets)
def test_sets_of_labels_as_scikit_learn_has_them(rows: list[Sample]) -> None:
    state = tallied(LabelState, LABELS, rows, fitted(LabelState, LABELS, rows))
    truths = [set(row[0].split(";")) for row in rows]
    replies = [{one for one in row[1].split(";") if one} for row in rows]
    classes = sorted(set().union(*truths))
    binary = sklearn_preprocessing.MultiLabelBinarizer(classes=classes).fit([classes])
    known = [reply & set(classes) for reply in replies]
    pair = binary.transform(truths), binary.transform(known)
    how: dict[str, Any] = {"zero_division": 0}
    if len(classes) == 1:  # a single column is taken for a binary task, whose absence is a class too
        how["labels"] = [1]
    expected = {
        calculate_macro_f1: sklearn_metrics.f1_score(*pair, average="macro", **how),
        calculate_macro_recall: sklearn_metrics.recall_score(*pair, average="macro", **how),
        calculate_macro_precision: sklearn_metrics.precision_score(*pair, average="macro", **how),
        calculate_micro_f1: sklearn_metrics.f1_score(*pair, average="micro", **how),
    }
    figures = (MACRO_F1, MACRO_RECALL, MACRO_PRECISION, MICRO_F1)
    for figure, (function, value) in zip(figures, expected.items(), strict=True):
        assert figure.compute(state).value == pytest.approx(value)
        assert function(truths, [reply or None for reply in replies]) == pytest.approx(value)
    right = [truth == reply for truth, reply in zip(truths, replies, strict=True)]
    assert score_labels(batch_of(LABELS, rows))["score"].tolist() == right


def test_what_is_told() -> None:
    rows: list[Sample] = [("car", "car", 0), ("car", "bus", 1), ("bus", "tank", 2), ("car", "", 3), ("bus", "bus", 4)]
    state = LabelState(fitted(LabelState, LABEL, rows))
    values = state.count(batch_of(LABEL, rows))
    assert values["score"].tolist() == values["f1"].tolist() == [1, 0, 0, 0, 1]
    by_class, confusion = state.breakdowns()
    assert by_class.rows == (("bus", 2, 0.5, 0.5, 0.5), ("car", 3, 1.0, pytest.approx(1 / 3), 0.5))
    assert confusion.head == ("truth", "bus", "car", "(other)", "(unread)")
    assert confusion.rows == (("bus", 1, 0, 1, 0), ("car", 1, 1, 0, 1))
    assert state.remarks() == {"unknown label": 1}
    control = state.best_constant()
    assert control == ("always car", 0.6)
    found = MACRO_F1.compute(state)
    assert (found.n, found.unparsed, found.clusters, found.method) == (5, 1, 5, "wilson over clusters")
    assert found.low is not None and found.high is not None and found.low <= 0.5 <= found.high


def test_hostile_replies_add_no_class_and_no_memory() -> None:
    rows: list[Sample] = [("car", f"made up {k}", k) for k in range(300)] + [("bus", "bus", 1000)]
    state = tallied(LabelState, LABEL, rows, fitted(LabelState, LABEL, rows))
    assert isinstance(state, LabelState)
    assert MACRO_F1.compute(state).value == 0.5
    assert state.counts.names and len(state.counts.totals) == 7
    assert state.remarks() == {"unknown label": 300}


def test_many_classes_have_values_without_intervals_or_confusion() -> None:
    rows: list[Sample] = [(f"class {k}", f"class {k}", k) for k in range(150)]
    state = tallied(LabelState, LABEL, rows, fitted(LabelState, LABEL, rows))
    found = MACRO_F1.compute(state)
    assert found.value == 1 and found.low is None
    assert [table.name for table in state.breakdowns()] == ["per_class"]


def test_nothing_is_no_data() -> None:
    for context in (None, fitted(LabelState, LABEL, [])):
        state = tallied(LabelState, LABEL, [], context)
        assert all(figure.compute(state).value is None for figure in FIGURES)
        assert state.best_constant() is None and not state.breakdowns() and not state.remarks()
    assert calculate_macro_f1([], []) is None


def test_many_clusters_are_folded_the_same_in_any_order() -> None:
    keys = np.arange(FOLDED_CLUSTERS + 500, dtype=np.uint64) * np.uint64(7919)
    columns = np.arange(len(keys)) % 3
    whole, left, right = ClusterCounts(3), ClusterCounts(3), ClusterCounts(3)
    whole.add(keys, np.arange(len(keys)), columns)
    for part, many in ((left, slice(None, 1000)), (right, slice(1000, None))):
        part.add(keys[many], np.arange(len(keys[many])), columns[many])
    right.merge(left)
    assert len(whole) == len(right) == FOLDED_CLUSTERS
    assert np.array_equal(whole.table, right.table)
