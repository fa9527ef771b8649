"""Statistics of repeats: pass@k by enumeration, the vote, and variance components in worlds whose truth is known."""

from __future__ import annotations

import random
from itertools import combinations, product

import numpy as np
import pytest
from msgspec.structs import replace

from sightline.core.interfaces import Task
from sightline.core.records import Estimate
from sightline.scoring.batch import ANSWERED, FAILED, SampleBatch, ScoreBatch
from sightline.scoring.metrics.state import ScoreState
from sightline.scoring.repeats import QuestionReplies, RepeatConfig, RepeatState, majority_score
from sightline.stats.repeats import QuestionMeans, RepeatVariance, VarianceSplit, pairwise_agreement, pass_at_k
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


def test_bounds_of_the_vote_are_those_of_all_replies_that_could_have_come() -> None:
    """Also where answers are partly right: failed replies may have joined any of them."""
    rng = random.Random(3)
    for _ in range(300):
        graded = rng.randint(0, 4)
        failed = rng.randint(graded == 0, 3)
        credits = {"a": 1.0, "b": 0.0, "c": rng.choice([0.25, 0.0]), "d": rng.choice([0.75, 0.0])}
        answers = [rng.choice([*credits, None]) for _ in range(graded)]
        scores = [credits.get(answer or "", 0.0) for answer in answers]
        unread = [answer is None for answer in answers]
        state = RepeatState(RepeatConfig(graded + failed))
        state.add(
            [QuestionReplies(1, 1.0, scores, answers, unread, failed), QuestionReplies(2, 1.0, [0.5], ["x"], [False])]
        )
        vote = state._means["majority_vote"].estimate()
        possible = [*credits.items(), ("new wrong", 0.0), ("new right", 1.0), (None, 0.0)]

        def votes(missing: int, read: list[int]) -> list[float]:
            return [
                majority_score(
                    [*(scores[k] for k in read), *(credit for _, credit in more)],  # noqa: B023
                    [*(answers[k] for k in read), *(answer for answer, _ in more)],  # noqa: B023
                )[0]
                for more in product(possible, repeat=missing)  # noqa: B023
            ]

        read = [k for k in range(graded) if not unread[k]]
        lowest, highest = min(votes(failed, list(range(graded)))), max(votes(failed + graded - len(read), read))
        assert (vote.floor, vote.ceiling) == pytest.approx(((lowest + 0.5) / 2, (highest + 0.5) / 2))


@pytest.mark.parametrize("weight", [1e-8, 1e-6, 1e6])
def test_the_scale_of_the_weights_changes_no_variance(weight: float) -> None:
    rng = np.random.default_rng(1)
    scores = [(rng.random(3) < share).astype(float).tolist() for share in rng.random(200)]

    def split(scale: float) -> VarianceSplit:
        variance = RepeatVariance()
        variance.add(range(200), [scale * (1 + k % 3) for k in range(200)], scores)
        return variance.split()

    found, expected = split(weight), split(1.0)
    assert found.error_sampling == pytest.approx(expected.error_sampling)
    assert (found.within, found.between) == pytest.approx((expected.within, expected.between))


def world(rng: np.random.Generator, clusters: int, repeats: int) -> tuple[np.ndarray, np.ndarray]:
    """Replies (clusters × questions × repeats, right or wrong) and which questions exist: 3 to 8 in a cluster.

    The chance of a cluster comes from a beta distribution, and that of a question from one around it.
    """
    chance = rng.beta(4 * MEAN, 4 * (1 - MEAN), clusters)[:, None]
    question = rng.beta(5 * chance + 1e-9, 5 * (1 - chance) + 1e-9, (clusters, 8))
    exists = np.arange(8) < rng.integers(3, 9, clusters)[:, None]
    return rng.random((clusters, 8, repeats)) < question[..., None], exists


def accuracy_of(right: np.ndarray, exists: np.ndarray, failed: np.ndarray) -> Estimate:
    """The accuracy with its interval as a run computes it: a batch of all replies, counted by `ScoreState`."""
    repeats = right.shape[-1]
    clusters, _ = np.nonzero(exists)
    questions = len(clusters)
    samples = SampleBatch(
        task=Task(name="t", parser="", metrics=()),
        positions=np.repeat(np.arange(questions), repeats),
        clusters=np.repeat(clusters.astype(np.uint64), repeats),
        repeats=np.tile(np.arange(1, repeats + 1, dtype=np.int32), questions) if repeats > 1 else None,
    )
    statuses = np.where(failed[exists].ravel(), FAILED, ANSWERED).astype(np.uint8)
    state = ScoreState()
    state.update(ScoreBatch(samples=samples, statuses=statuses, scores=right[exists].ravel().astype(float)))
    return state.accuracy()


@pytest.mark.slow
@pytest.mark.parametrize(("repeats", "failures"), [(1, 0.0), (3, 0.0), (5, 0.0), (5, 0.3)])
@pytest.mark.parametrize("clusters", [20, 40])
def test_the_interval_of_the_mean_covers_the_truth_in_95_percent(clusters: int, repeats: int, failures: float) -> None:
    """The mean over clusters of questions, each asked several times, of whose replies some fail.

    The standard error of the coverage itself is 0.35 %: four of these are the 1.5 % that it may be off.
    """
    rng = np.random.default_rng(clusters + repeats)
    found = []
    for _ in range(TRIALS):
        right, exists = world(rng, clusters, repeats)
        made = accuracy_of(right, exists, rng.random(right.shape) < failures)
        found.append((made.low, made.high))
    assert covered(found, MEAN) == pytest.approx(LEVEL, abs=NEAR)


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [1, 3, 5])
def test_the_interval_covers_the_truth_where_questions_are_independent(repeats: int) -> None:
    rng = np.random.default_rng(repeats)
    found = []
    for _ in range(TRIALS):
        chance = rng.beta(2 * MEAN, 2 * (1 - MEAN), (100, 1, 1))
        right = rng.random((100, 1, repeats)) < chance
        made = accuracy_of(right, np.ones((100, 1), bool), np.zeros(right.shape, bool))
        found.append((made.low, made.high))
    assert covered(found, MEAN) == pytest.approx(LEVEL, abs=NEAR)


def test_the_same_reply_again_and_again_is_worth_one_reply() -> None:
    """Questions that are always right or always wrong have the interval of questions that were asked once."""
    right = (np.random.default_rng(0).random((200, 1, 1)) < 0.6).repeat(5, axis=2)
    exists, failed = np.ones((200, 1), bool), np.zeros((200, 1, 5), bool)
    same, once = accuracy_of(right, exists, failed), accuracy_of(right[..., :1], exists, failed[..., :1])
    bounds = {"floor": once.value, "ceiling": once.value}
    assert same == replace(once, **bounds) and same.method == "wilson"


def test_independent_replies_all_count() -> None:
    rng = np.random.default_rng(0)
    right = rng.random((2000, 1, 5)) < 0.6
    found = accuracy_of(right, np.ones((2000, 1), bool), np.zeros(right.shape, bool))
    assert found.low is not None and found.high is not None
    assert found.high - found.low == pytest.approx(2 * 1.96 * np.sqrt(0.24 / 10_000), rel=0.1)


def test_means_of_questions_merge_to_the_same_digits() -> None:
    rng = np.random.default_rng(3)
    clusters, values, weights = rng.integers(0, 30, 200).astype(np.uint64), rng.random(200), rng.random(200)
    whole, first, second = QuestionMeans(), QuestionMeans(), QuestionMeans()
    for state, some in ((whole, slice(None)), (second, slice(150)), (first, slice(150, None))):
        state.add(clusters[some], values[some], weights[some])
        state.add_bounds(clusters[some], values[some] / 2, values[some], weights[some])
    first.merge(second)
    assert first.estimate() == whole.estimate()
    assert first.estimate().ceiling == first.estimate().value


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


@pytest.mark.slow
def test_the_sampling_error_is_unbiased_where_questions_have_unequal_numbers_of_replies() -> None:
    """The standard deviation of the mean over fresh replies to the same questions is the sampling error."""
    rng = np.random.default_rng(4)
    counts = rng.integers(1, 6, 60)
    chance = rng.beta(2, 1, 60)
    means, splits = [], []
    for _ in range(2000):
        scores = [(rng.random(n) < p).astype(float).tolist() for n, p in zip(counts, chance, strict=True)]
        state = RepeatVariance()
        state.add(list(range(60)), [1.0] * 60, scores)
        means.append(np.mean([np.mean(row) for row in scores]))
        splits.append(state.split().error_sampling)
    assert np.mean(np.square(np.array(splits, float))) == pytest.approx(np.var(means), rel=0.12)


def test_a_split_of_few_clusters_is_rough_and_never_clipped() -> None:
    """By chance the means of questions may differ less than their replies make expect."""
    few = RepeatVariance()
    few.add([0, 1, 2, 3], [1.0] * 4, [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    split = few.split()
    assert split.is_rough and split.clusters == 4
    assert split.error == split.error_questions == 0 and split.error_sampling == pytest.approx(np.sqrt(0.5 / 2 / 4))
    assert split.sampling_share is None
    many = RepeatVariance()
    many.add(range(40), [1.0] * 40, [[float(k % 4 > 0), float(k % 3 > 0)] for k in range(40)])
    assert not many.split().is_rough and 0 < (many.split().sampling_share or 0) <= 1


def test_a_model_that_never_varies_has_no_sampling_error_and_pure_chance_has_nothing_else() -> None:
    fixed, chance = RepeatVariance(), RepeatVariance()
    rng = np.random.default_rng(0)
    truths = (rng.random(2000) < 0.6).astype(float)
    fixed.add(range(2000), [1.0] * 2000, [[truth] * 4 for truth in truths.tolist()])
    chance.add(range(2000), [1.0] * 2000, (rng.random((2000, 4)) < 0.6).astype(float).tolist())
    same, drawn = fixed.split(), chance.split()
    assert same.error_sampling == same.within == same.sampling_share == 0 and same.error_questions == same.error
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
