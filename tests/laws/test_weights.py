"""Sample weights and failed samples: what every figure over columns owes, without naming them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.core.records import Estimate
from sightline.scoring.batch import ANSWERED, FAILED
from sightline.scoring.evaluator_codec import pack, unpack
from sightline.scoring.metrics.average_precision import Ranking
from sightline.scoring.metrics.detection import DetectionState
from sightline.scoring.resolve import find_metric
from sightline.scoring.task_evaluator import TaskEvaluator
from tests.laws.test_figures import FIGURES, Pair, evaluator_of, result, scored, world
from tests.support.evaluators import score_texts

MEANS = {
    "accuracy",
    "mean_score",
    "within_one",
    "count_accuracy",
    "retrieval_macro_recall",
    "retrieval_macro_precision",
    "retrieval_macro_f1",
    *("acc_iou25", "acc_iou50", "acc_iou70", "acc_iou75", "acc_iou90", "sample_iou"),
    "mrr",
    "miou",
    "dice",
    "rouge_l",
}
"""Figures that are means of what each sample earns, an unread reply nothing."""


def weighted(
    evaluator: TaskEvaluator, pairs: list[Pair], weights: list[float], failed: list[bool] | None = None
) -> TaskEvaluator:
    if pairs:
        endings = None if failed is None else np.where(failed, FAILED, ANSWERED)
        truths, replies = [truth for truth, _ in pairs], [reply for _, reply in pairs]
        score_texts(evaluator, truths, replies, weights=weights, endings=endings)
    return evaluator


def value(estimate: Estimate) -> float | None:
    return estimate.value


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 20))
def test_a_weight_of_three_counts_as_three_samples(name: str, seed: int, size: int) -> None:
    pairs, chance = world(name, seed, size), random.Random(seed)
    weights = [chance.randint(1, 3) for _ in pairs]
    evaluator = evaluator_of(
        name, pairs
    )  # both know the same truths: document frequencies are those of the samples drawn
    repeated = [pair for pair, weight in zip(pairs, weights, strict=True) for _ in range(weight)]
    whole = result(scored(evaluator.empty_copy(), repeated, list(range(len(repeated)))))
    found = result(weighted(evaluator.empty_copy(), pairs, [float(weight) for weight in weights]))
    # the official BLEU adds 1e-15 to matches, whatever the weight: up to its root where no pair of words matches
    tolerance = 1e-7 if name == "bleu" else 1e-9
    assert found.value == (None if whole.value is None else pytest.approx(whole.value, abs=tolerance))
    assert whole.value is None or found.n <= whole.n
    if found.floor is not None and whole.ceiling is not None and found.ceiling is not None:
        assert (found.floor, found.ceiling) == (pytest.approx(whole.floor), pytest.approx(whole.ceiling))


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 20), weight=st.floats(0.01, 900))
def test_equal_weights_change_no_digit(name: str, seed: int, size: int, weight: float) -> None:
    pairs = world(name, seed, size)
    plain = scored(evaluator_of(name, pairs), pairs, list(range(1, size + 1)))
    evaluator = weighted(evaluator_of(name, pairs), pairs, [weight] * size)
    assert evaluator.rows() == plain.rows()
    assert evaluator.breakdowns() == plain.breakdowns()


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 20), cut=st.integers(0, 20))
def test_neither_order_nor_splitting_nor_packing_changes_a_weighted_digit(
    name: str, seed: int, size: int, cut: int
) -> None:
    pairs, chance = world(name, seed, size), random.Random(seed)
    weights = [chance.choice([1.0, 900 / 7, 31.4]) for _ in pairs]
    failed = [chance.random() < 0.2 for _ in pairs]
    whole = weighted(evaluator_of(name, pairs), pairs, weights, failed)
    order = list(range(size))
    chance.shuffle(order)

    def part(evaluator: TaskEvaluator, rows: list[int]) -> TaskEvaluator:
        return rewritten(evaluator, [(pairs[k], weights[k], failed[k], k + 1) for k in rows])

    evaluator = part(evaluator_of(name, pairs), order[: cut % size])
    other = part(evaluator.empty_copy(), order[cut % size :])
    evaluator.merge(unpack(pack(other), evaluator))
    assert evaluator.rows() == whole.rows()
    assert (evaluator.counts, evaluator.group.masses) == (whole.counts, whole.group.masses)


def rewritten(evaluator: TaskEvaluator, rows: list[tuple[Pair, float, bool, int]]) -> TaskEvaluator:
    for (truth, reply), weight, failed, cluster in rows:
        endings = [FAILED if failed else ANSWERED]
        score_texts(evaluator, [truth], [reply], clusters=[cluster], weights=[weight], endings=endings)
    return evaluator


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 20))
def test_a_failed_sample_is_counted_and_is_no_wrong_answer(name: str, seed: int, size: int) -> None:
    pairs, chance = world(name, seed, size), random.Random(seed)
    failed = [chance.random() < 0.4 for _ in pairs]
    evaluator = evaluator_of(name, pairs)
    found = result(weighted(evaluator.empty_copy(), pairs, [1.0] * size, failed))
    answered = [pair for pair, is_failed in zip(pairs, failed, strict=True) if not is_failed]
    without = result(weighted(evaluator.empty_copy(), answered, [1.0] * len(answered)))
    assert (found.value, found.n, found.failed) == (without.value, without.n, sum(failed))
    assert without.failed == 0
    figure = find_metric(name)
    if name not in MEANS or found.value is None:
        assert name in MEANS or found.floor is None
        return
    assert figure.higher_is_better and found.floor is not None and found.ceiling is not None
    assert found.floor <= found.value <= found.ceiling or not answered
    wrong = [(truth, "\x00" if is_failed else reply) for (truth, reply), is_failed in zip(pairs, failed, strict=True)]
    right = [
        (truth, truth if is_failed or reply in UNREADABLE else reply)
        for (truth, reply), is_failed in zip(pairs, failed, strict=True)
    ]
    assert found.floor == pytest.approx(result(weighted(evaluator.empty_copy(), wrong, [1.0] * size)).value)
    assert found.ceiling == pytest.approx(result(weighted(evaluator.empty_copy(), right, [1.0] * size)).value)


UNREADABLE = {"", "many", "none of them", "<box><1></box>"}
"""What the worlds' replies hold that no parser reads."""


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(1, 30))
def test_a_weighted_ranking_is_the_ranking_of_repeated_detections(seed: int, size: int) -> None:
    chance = np.random.default_rng(seed)
    scores, bits = chance.integers(0, 8, size) / 8, chance.integers(0, 2, size).astype(np.uint16)
    times, missed = chance.integers(1, 4, size), int(chance.integers(0, 5))
    truths = int(times[bits == 1].sum()) + missed + 1
    repeated, weighted_by, split = Ranking(), Ranking(), Ranking()
    clusters = np.arange(size, dtype=np.uint64)
    repeated.add(np.repeat(scores, times), np.repeat(bits, times), np.repeat(clusters, times))
    weighted_by.add(scores, bits, clusters, times.astype(np.float64))
    whole = repeated.average_precision(0, truths)
    found = weighted_by.average_precision(0, truths, is_weighted=True)
    assert found == pytest.approx(whole, abs=1e-12)
    moved, _ = repeated.influences(0, truths)
    assert weighted_by.influences(0, truths, is_weighted=True)[0] == pytest.approx(moved, abs=1e-8)
    order = chance.permutation(size)
    for part in np.array_split(order, 3):
        other = Ranking()
        other.add(scores[part], bits[part], clusters[part], times[part].astype(np.float64))
        split.merge(other)
    loaded = Ranking()
    loaded.load_state_dict(split.state_dict())
    for ranking in (split, loaded):
        assert ranking.average_precision(0, truths, is_weighted=True) == found
        for mine, theirs in zip(
            ranking.influences(0, truths, True), weighted_by.influences(0, truths, True), strict=True
        ):
            assert np.array_equal(mine, theirs)


def test_a_scored_image_without_detections_weighs_too() -> None:
    """One image with a hit, and one that stands for three with nothing found: recall is a quarter."""
    box = "<box><0><0><9><9></box>"
    pairs = [(f"1 {box}", f"1 {box}<score>0.9</score>"), (f"1 {box}", "0")]
    evaluator = evaluator_of("recall50", pairs)
    weighted(evaluator, pairs, [1.0, 3.0])
    state = evaluator.group.states[DetectionState].state  # type: ignore[attr-defined]
    assert result(evaluator).value == 0.25
    assert len(state.ranking) == 1
    assert state.average_precision(0.5).value == pytest.approx(26 / 101)
