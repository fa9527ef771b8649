"""Statistics of repeats: pass@k by enumeration, the vote, and variance components in worlds whose truth is known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from sightline.scoring.metrics.state import ratio
from sightline.scoring.repeats import majority_score
from sightline.stats.cluster_sums import estimate
from sightline.stats.repeats import QuestionSpread, RepeatVariance, VarianceSplit, pairwise_agreement, pass_at_k
from tests.stats.simulations import covered

LEVEL, NEAR, TRIALS = 0.95, 0.015, 4000
MEAN = 0.7


@pytest.mark.parametrize("n", range(1, 8))
def test_pass_at_k_is_the_share_of_all_choices_of_k_replies_with_one_that_passed(n: int) -> None:
    for passed in range(n + 1):
        replies = [True] * passed + [False] * (n - passed)
        for k in range(1, n + 1):
            choices = [any(choice) for choice in combinations(replies, k)]
            assert pass_at_k(n, passed, k) == pytest.approx(sum(choices) / len(choices), abs=1e-15)


def test_pass_at_k_is_unbiased() -> None:
    """Averaged over all outcomes of n draws, it is the chance that one of k draws passes."""
    n, chance = 6, 0.3
    weights = [chance**c * (1 - chance) ** (n - c) for c in range(n + 1)]
    outcomes = [len(list(combinations(range(n), c))) for c in range(n + 1)]
    for k in range(1, n + 1):
        mean = sum(w * m * pass_at_k(n, c, k) for c, (w, m) in enumerate(zip(weights, outcomes, strict=True)))
        assert mean == pytest.approx(1 - (1 - chance) ** k)


def test_agreement_is_that_of_all_pairs() -> None:
    answers = ["a", "a", "a", "b", "b", None]
    pairs = list(combinations(answers, 2))
    expected = sum(x is not None and x == y for x, y in pairs) / len(pairs)
    assert pairwise_agreement([3, 2], len(answers)) == pytest.approx(expected)


def test_the_majority_wins_and_ties_count_with_the_mean_of_the_tied() -> None:
    assert majority_score([1, 1, 0], ["a", "a", "b"]) == (1.0, False)
    assert majority_score([0, 0, 1], ["b", "b", "a"]) == (0.0, False)
    assert majority_score([1, 0], ["a", "b"]) == (0.5, True)
    assert majority_score([1, 0, 0], ["a", None, None]) == (1.0, False), "who says nothing does not vote"
    assert majority_score([0, 0], [None, None]) == (0.0, False)


def world(rng: np.random.Generator, clusters: int, repeats: int) -> tuple[np.ndarray, np.ndarray]:
    """Replies (clusters × questions × repeats, right or wrong) and which questions exist: 3 to 8 in a cluster.

    The chance of a cluster comes from a beta distribution, and that of a question from one around it.
    """
    chance = rng.beta(4 * MEAN, 4 * (1 - MEAN), clusters)[:, None]
    question = rng.beta(5 * chance + 1e-9, 5 * (1 - chance) + 1e-9, (clusters, 8))
    exists = np.arange(8) < rng.integers(3, 9, clusters)[:, None]
    return rng.random((clusters, 8, repeats)) < question[..., None], exists


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [1, 3, 5])
@pytest.mark.parametrize("clusters", [20, 40])
def test_the_interval_of_the_mean_covers_the_truth_in_95_percent(clusters: int, repeats: int) -> None:
    """The mean of replies over clusters of questions, each question asked several times."""
    rng = np.random.default_rng(clusters + repeats)
    found = []
    for _ in range(TRIALS):
        right, exists = world(rng, clusters, repeats)
        earned = (right & exists[..., None]).sum(axis=(1, 2)).astype(float)
        replies = repeats * exists.sum(axis=1).astype(float)
        spread = QuestionSpread()
        if repeats > 1:  # as `ScoreState` does
            spread.add(np.repeat(np.flatnonzero(exists), repeats), right[exists].ravel())
        worth = spread.worth(float(earned.sum()), float(replies.sum()))
        made = estimate(np.stack((earned, replies), axis=1), int(replies.sum()), ratio, "share", False, worth=worth)
        found.append((made.low, made.high))
    assert covered(found, MEAN) == pytest.approx(LEVEL, abs=NEAR)


def test_the_same_reply_again_and_again_is_worth_one_reply() -> None:
    rng = np.random.default_rng(0)
    right = rng.random(200) < 0.6
    same, drawn = QuestionSpread(), QuestionSpread()
    same.add(np.repeat(np.arange(200), 5), np.repeat(right, 5))
    assert same.worth(5 * float(right.sum()), 1000.0) == pytest.approx(199)
    chance = rng.random((2000, 5)) < 0.6
    drawn.add(np.repeat(np.arange(2000), 5), chance.ravel())
    assert drawn.worth(float(chance.sum()), 10_000.0) == pytest.approx(10_000, rel=0.1), "independent draws count all"


def split_world(rng: np.random.Generator, clusters: int, repeats: int) -> tuple[float, VarianceSplit]:
    right, exists = world(rng, clusters, repeats)
    state = RepeatVariance()
    where, which = np.nonzero(exists)
    scores = right[where, which].astype(float).tolist()
    state.add(where.tolist(), [1.0] * len(scores), scores)
    return float(np.mean(scores)), state.split()


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [2, 3, 5])
def test_variance_components_are_those_of_the_world(repeats: int) -> None:
    """Between and within by the moments of the beta distributions; both parts of the error by what trials show."""
    rng = np.random.default_rng(repeats)
    trials = [split_world(rng, 40, repeats) for _ in range(800)]
    splits = [split for _, split in trials]
    spread = MEAN * (1 - MEAN)
    among = spread / 5  # of the clusters' chances: a beta distribution of size 4
    between = among + (spread - among) / 6  # and of the questions' within them: of size 5
    assert np.mean([split.within for split in splits]) == pytest.approx(spread - between, rel=0.03)
    assert np.mean([split.between for split in splits]) == pytest.approx(between, rel=0.06)
    whole = np.mean([split.error**2 for split in splits if split.error is not None])
    assert whole == pytest.approx(np.var([mean for mean, _ in trials]), rel=0.12)
    sampling = np.mean([split.error_sampling**2 for split in splits if split.error_sampling is not None])
    assert sampling == pytest.approx((spread - between) / (40 * 5.5 * repeats), rel=0.03)


def test_a_model_that_never_varies_has_no_sampling_error_and_pure_chance_has_nothing_else() -> None:
    fixed, chance = RepeatVariance(), RepeatVariance()
    rng = np.random.default_rng(0)
    truths = (rng.random(2000) < 0.6).astype(float)
    fixed.add(range(2000), [1.0] * 2000, [[truth] * 4 for truth in truths.tolist()])
    chance.add(range(2000), [1.0] * 2000, (rng.random((2000, 4)) < 0.6).astype(float).tolist())
    same, drawn = fixed.split(), chance.split()
    assert same.error_sampling == same.within == 0 and same.error_questions == same.error
    assert drawn.between == pytest.approx(0, abs=0.01) and drawn.within == pytest.approx(0.24, abs=0.01)
    assert drawn.error_sampling == pytest.approx(drawn.error, rel=0.05)


def test_questions_split_over_workers_merge_to_the_same_digits() -> None:
    rng = np.random.default_rng(1)
    scores = [rng.random(rng.integers(1, 5)).tolist() for _ in range(200)]
    clusters, weights = rng.integers(0, 30, 200).tolist(), rng.random(200).tolist()
    whole, first, second = RepeatVariance(), RepeatVariance(), RepeatVariance()
    whole.add(clusters, weights, scores)
    first.add(clusters[150:], weights[150:], scores[150:])
    second.add(clusters[:150], weights[:150], scores[:150])
    first.merge(second)
    assert first.split() == whole.split()


def test_weights_count_as_copies_do() -> None:
    """A question of weight 2 says as much of the mean as the same one twice in the same cluster."""
    scores = [[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    weighted, copied = RepeatVariance(), RepeatVariance()
    weighted.add([0, 1, 2, 3], [2.0, 1.0, 1.0, 1.0], scores)
    copied.add([0, 0, 1, 2, 3], [1.0] * 5, [scores[0], *scores])
    assert weighted.split().error == pytest.approx(copied.split().error)
    assert weighted.split().within == pytest.approx(copied.split().within)


def test_without_a_second_reply_nothing_is_said_of_sampling() -> None:
    single = RepeatVariance()
    single.add([0, 1, 2], [1.0] * 3, [[1.0], [0.0], [1.0]])
    assert single.split().error is not None and single.split().error_sampling is None
    assert RepeatVariance().split() == VarianceSplit()
