"""Sample weights and failed samples: what every figure over columns owes, without naming them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.books.book import TaskBook
from sightline.books.packing import pack, unpack
from sightline.books.rows import FAILED, OK, TaskRows
from sightline.columns import TextColumn
from sightline.metrics.detection.curves import Ranking, Rule
from sightline.metrics.tally import Figure
from sightline.records import Estimate
from sightline.registry import find
from tests.laws.test_figures import FIGURES, Pair, book_of, graded, result, world

MEANS = {
    "accuracy",
    "mean_score",
    "within_one",
    "count_accuracy",
    "retrieval_recall",
    "retrieval_precision",
    "retrieval_f1",
    "mrr",
    "miou",
    "dice",
    "rouge_l",
}
"""Figures that are means of what each sample earns, an unread reply nothing."""


def weighted(book: TaskBook, pairs: list[Pair], weights: list[float], failed: list[bool] | None = None) -> TaskBook:
    if pairs:
        book.grade(
            TaskRows(
                truth=TextColumn.of(truth for truth, _ in pairs),
                reply=TextColumn.of(reply for _, reply in pairs),
                replied=np.ones(len(pairs), bool),
                clusters=np.arange(1, len(pairs) + 1, dtype=np.uint64),
                weights=np.array(weights, np.float64),
                endings=np.where(failed, FAILED, OK).astype(np.uint8) if failed is not None else None,
            )
        )
    return book


def value(estimate: Estimate) -> float | None:
    return estimate.value


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 20))
def test_a_weight_of_three_counts_as_three_samples(name: str, seed: int, size: int) -> None:
    pairs, chance = world(name, seed, size), random.Random(seed)
    weights = [chance.randint(1, 3) for _ in pairs]
    book = book_of(name, pairs)  # both know the same truths: document frequencies are those of the samples drawn
    repeated = [pair for pair, weight in zip(pairs, weights, strict=True) for _ in range(weight)]
    whole = result(graded(book.fresh(), repeated, list(range(len(repeated)))))
    found = result(weighted(book.fresh(), pairs, [float(weight) for weight in weights]))
    assert found.value == (None if whole.value is None else pytest.approx(whole.value, abs=1e-9))
    assert whole.value is None or found.n <= whole.n
    if found.floor is not None and whole.ceiling is not None and found.ceiling is not None:
        assert (found.floor, found.ceiling) == (pytest.approx(whole.floor), pytest.approx(whole.ceiling))


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 20), weight=st.floats(0.01, 900))
def test_equal_weights_change_no_digit(name: str, seed: int, size: int, weight: float) -> None:
    pairs = world(name, seed, size)
    plain = graded(book_of(name, pairs), pairs, list(range(1, size + 1)))
    book = weighted(book_of(name, pairs), pairs, [weight] * size)
    assert book.findings() == plain.findings()
    assert book.breakdowns() == plain.breakdowns()


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 20), cut=st.integers(0, 20))
def test_neither_order_nor_splitting_nor_packing_changes_a_weighted_digit(
    name: str, seed: int, size: int, cut: int
) -> None:
    pairs, chance = world(name, seed, size), random.Random(seed)
    weights = [chance.choice([1.0, 900 / 7, 31.4]) for _ in pairs]
    failed = [chance.random() < 0.2 for _ in pairs]
    whole = weighted(book_of(name, pairs), pairs, weights, failed)
    order = list(range(size))
    chance.shuffle(order)

    def part(book: TaskBook, rows: list[int]) -> TaskBook:
        return rewritten(book, [(pairs[k], weights[k], failed[k], k + 1) for k in rows])

    book = part(book_of(name, pairs), order[: cut % size])
    other = part(book.fresh(), order[cut % size :])
    book.merge(unpack(pack(other), book))
    assert book.findings() == whole.findings()
    assert (book.states, book.masses) == (whole.states, whole.masses)


def rewritten(book: TaskBook, rows: list[tuple[Pair, float, bool, int]]) -> TaskBook:
    for (truth, reply), weight, failed, cluster in rows:
        book.grade(
            TaskRows(
                truth=TextColumn.of([truth]),
                reply=TextColumn.of([reply]),
                replied=np.ones(1, bool),
                clusters=np.array([cluster], np.uint64),
                weights=np.array([weight]),
                endings=np.array([FAILED if failed else OK], np.uint8),
            )
        )
    return book


@pytest.mark.parametrize("name", FIGURES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 20))
def test_a_failed_sample_is_counted_and_is_no_wrong_answer(name: str, seed: int, size: int) -> None:
    pairs, chance = world(name, seed, size), random.Random(seed)
    failed = [chance.random() < 0.4 for _ in pairs]
    book = book_of(name, pairs)
    found = result(weighted(book.fresh(), pairs, [1.0] * size, failed))
    answered = [pair for pair, is_failed in zip(pairs, failed, strict=True) if not is_failed]
    without = result(weighted(book.fresh(), answered, [1.0] * len(answered)))
    assert (found.value, found.n, found.failed) == (without.value, without.n, sum(failed))
    assert without.failed == 0
    figure: Figure = find("figures", name)
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
    assert found.floor == pytest.approx(result(weighted(book.fresh(), wrong, [1.0] * size)).value)
    assert found.ceiling == pytest.approx(result(weighted(book.fresh(), right, [1.0] * size)).value)


UNREADABLE = {"", "many", "none of them", "<box><1></box>"}
"""What the worlds' replies hold that no parser reads."""


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(1, 30), rule=st.sampled_from(["coco", "voc"]))
def test_a_weighted_ranking_is_the_ranking_of_repeated_detections(seed: int, size: int, rule: Rule) -> None:
    chance = np.random.default_rng(seed)
    scores, bits = chance.integers(0, 8, size) / 8, chance.integers(0, 2, size).astype(np.uint16)
    times, missed = chance.integers(1, 4, size), int(chance.integers(0, 5))
    truths = int(times[bits == 1].sum()) + missed
    repeated, weighted_by, split = Ranking(), Ranking(), Ranking()
    repeated.add(np.repeat(scores, times), np.repeat(bits, times))
    weighted_by.add(scores, bits, times.astype(np.float64))
    whole = repeated.average_precision(0, truths, rule)
    found = weighted_by.average_precision(0, truths, rule, is_weighted=True)
    assert found == (None if whole is None else pytest.approx(whole, abs=1e-12))
    order = chance.permutation(size)
    for part in np.array_split(order, 3):
        other = Ranking()
        other.add(scores[part], bits[part], times[part].astype(np.float64))
        split.merge(other)
    loaded = Ranking()
    loaded.load_state_dict(split.state_dict())
    for ranking in (split, loaded):
        assert ranking.average_precision(0, truths, rule, is_weighted=True) == found


def test_a_scored_image_without_detections_weighs_too() -> None:
    """One image with a hit, and one that stands for three with nothing found: recall is a quarter."""
    box = "<box><0><0><9><9></box>"
    pairs = [(f"1 {box}", f"1 {box}<score>0.9</score>"), (f"1 {box}", "0")]
    book = book_of("recall50", pairs)
    weighted(book, pairs, [1.0, 3.0])
    state = book.tallies[0].state  # type: ignore[attr-defined]
    assert result(book).value == 0.25
    assert len(state.ranking) == 1
    assert state.average_precision(0.5).value == pytest.approx(26 / 101)
