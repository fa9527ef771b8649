"""BLEU, ROUGE-L and CIDEr: equal to the COCO caption code, the same digits from any split, order and thread."""

from __future__ import annotations

import pickle
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.core.errors import UsageError
from sightline.data.columns import TextColumn
from sightline.scoring.metrics.captions import (
    CaptionState,
    CaptionTargetStatistics,
    calculate_caption_bleu,
    calculate_caption_cider,
    calculate_caption_rouge_l,
    corpus,
)
from sightline.scoring.metrics.captions import state as states
from sightline.scoring.metrics.captions.state import TOO_FEW
from sightline.scoring.metrics.captions.tokenizer import tokenize
from sightline.scoring.metrics.state import MetricContext
from sightline.scoring.resolve import find_metric
from tests.scoring.metrics.caption_texts import (
    AWKWARD,
    HOSTILE,
    References,
    batch,
    captions,
    fitted,
    official_scores,
    official_tokens,
    tallied,
)
from tests.scoring.metrics.java_programs import needs_java

FIGURES = (states.CIDER, states.ROUGE_L, states.BLEU4, states.BLEU3, states.BLEU2, states.BLEU1)
PLAIN_HOSTILE = ["", "a", " ", "a a a a a a a a", "b, dog.", "a " * 600, "b a " * 90, "\n\r", "no dog"]


def assert_official(references: References, replies: Sequence[str], tokens: tuple[References, list[str]]) -> None:
    pytest.importorskip("pycocoevalcap")
    state, values = tallied(references, replies, size=64)
    expected = official_scores(*tokens)
    for figure in FIGURES:
        estimate = figure.compute(state)
        assert estimate.value == pytest.approx(expected[figure.name][0], rel=1e-9, abs=1e-9)
        assert estimate.n == len(replies)
        if figure.name in values:
            np.testing.assert_allclose(values[figure.name], expected[figure.name][1], rtol=1e-9, atol=1e-9)
    assert ((values["score"] >= 0) & (values["score"] <= 1)).all()


def lower(texts: Sequence[str]) -> list[str]:
    """The tokens of plain texts."""
    return [" ".join(text.lower().replace(",", " ").replace(".", " ").split()) for text in texts]


@pytest.mark.parametrize(("seed", "samples"), [(0, 500), (1, 3), (2, 2), (3, 90)])
def test_equal_to_the_coco_caption_code(seed: int, samples: int) -> None:
    references, replies = captions(seed, samples)
    references[0] = "a road"  # the official code fails where no reference has a word
    assert_official(references, replies, (lower(references), lower(replies)))


def test_equal_on_odd_captions() -> None:
    replies = [left for left in PLAIN_HOSTILE for _ in PLAIN_HOSTILE]
    references = PLAIN_HOSTILE * len(PLAIN_HOSTILE)
    assert_official(references, replies, (lower(references), lower(replies)))


few_words = st.lists(st.sampled_from("abc"), max_size=9).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(few_words, few_words), min_size=2, max_size=8))
def test_equal_on_few_words_that_repeat(samples: list[tuple[str, str]]) -> None:
    references, replies = (list(side) for side in zip(*samples, strict=True))
    if any(references):
        assert_official(references, replies, (references, replies))


@needs_java
def test_equal_on_digits_hyphens_quotes_and_unicode(monkeypatch: pytest.MonkeyPatch) -> None:
    references, replies = captions(5, 300, AWKWARD)
    references += ["a dog\u00a0runs x", "1 1/2 dogs run", *(["a dog runs"] * len(HOSTILE))]
    replies += ["a dog runs x", "3 1/2 dogs", *HOSTILE]
    folded = [text.translate({ord(sign): " " for sign in "\r\v\f\x85\u2028\u2029"}) for text in replies]
    sound = [text.encode("utf-8", "replace").decode() for text in folded]
    both = official_tokens([*references, *sound], monkeypatch)
    assert_official(references, replies, (both[: len(references)], both[len(references) :]))


@pytest.mark.parametrize("seed", range(6))
def test_merging_any_split_in_any_order_gives_the_same_digits(seed: int) -> None:
    references, replies = captions(10, 120)
    whole, values = tallied(references, replies, options={"words": [3, 12]})
    rng = random.Random(seed)
    cuts = [0, *sorted(rng.choices(range(121), k=rng.randint(0, 9))), 120]
    spans = list(pairwise(cuts))
    statistics = CaptionTargetStatistics()
    for key, (start, stop) in rng.sample(list(enumerate(spans)), len(spans)):
        part = CaptionTargetStatistics()
        part.add(TextColumn.of(references[start:stop]), key)
        statistics.merge(pickle.loads(pickle.dumps(part)))
    merged = CaptionState(MetricContext(target_statistics=statistics, options={"words": [3, 12]}))
    for key, (start, stop) in rng.sample(list(enumerate(spans)), len(spans)):
        state = CaptionState(MetricContext(target_statistics=statistics, options={"words": [3, 12]}))
        row = state.count(batch(references[start:stop], replies[start:stop], start, key))
        assert (row["cider"] == values["cider"][start:stop]).all()
        merged.merge(pickle.loads(pickle.dumps(state)))
    for figure in (*FIGURES, states.LENGTH_IN_RANGE, states.MEAN_WORDS):
        assert figure.compute(merged) == figure.compute(whole)
    assert whole.rouge_l() == merged.rouge_l()


def test_without_target_statistics_the_samples_added_are_the_corpus() -> None:
    references, replies = captions(11, 90)
    whole, _ = tallied(references, replies)
    parts = [CaptionState() for _ in range(3)]
    for part, state in enumerate(parts):
        values = state.count(batch(references[part::3], replies[part::3], 1000 * part))
        assert "cider" not in values and "rouge_l" in values
    parts[0].merge(parts[1])
    parts[0].merge(parts[2])
    for figure in FIGURES:
        assert figure.compute(parts[0]).value == pytest.approx(figure.compute(whole).value, abs=1e-12)


def test_a_batch_that_was_not_fitted_is_read_anew() -> None:
    references, replies = captions(12, 40)
    statistics = fitted(references)
    whole, values = tallied(references, replies)
    for key in (-1, 7):
        state = CaptionState(MetricContext(target_statistics=statistics))
        assert (state.count(batch(references, replies, key=key))["cider"] == values["cider"]).all()
        assert state.cider() == whole.cider()


def test_threads_share_target_statistics_and_give_the_same_digits() -> None:
    references, replies = captions(13, 400)
    whole, _ = tallied(references, replies, size=20)
    statistics = fitted(references, 20)

    def some(thread: int) -> CaptionState:
        state = CaptionState(MetricContext(target_statistics=statistics))
        for key in range(thread, 20, 4):
            rows = slice(20 * key, 20 * key + 20)
            state.count(batch(references[rows], replies[rows], 20 * key, key))
        return state

    with ThreadPoolExecutor(4) as threads:
        first, *others = threads.map(some, range(4))
    for other in others:
        first.merge(other)
    assert [figure.compute(first) for figure in FIGURES] == [figure.compute(whole) for figure in FIGURES]


@settings(max_examples=30, deadline=None)
@given(st.text("ab ,.\n", max_size=40), st.integers(0, 30))
def test_no_reply_changes_another_samples_score(reply: str, place: int) -> None:
    references, replies = captions(20, 31)
    before = tallied(references, replies)[1]
    changed = [*replies[:place], reply.replace(".", ""), *replies[place + 1 :]]
    after = tallied(references, changed, size=9)[1]
    for name in ("rouge_l", "cider", "bleu4", "words"):
        assert (np.delete(before[name], place) == np.delete(after[name], place)).all()


def test_frequencies_do_not_depend_on_how_many_ngrams_are_sorted_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    references, replies = captions(14, 200)
    before = tallied(references, replies)[1]
    monkeypatch.setattr(corpus, "_AT_ONCE", 700)
    assert (tallied(references, replies, size=33)[1]["cider"] == before["cider"]).all()


def test_an_empty_reply_counts() -> None:
    state, values = tallied(["a red road", "a blue car"], ["a red road", ""], options={"words": [3, 5]})
    assert values["rouge_l"].tolist() == [1.0, 0.0] and values["words"].tolist() == [3, 0]
    assert state.rouge_l().value == 0.5 and state.length_in_range().value == 0.5 and state.mean_words().value == 1.5


def test_nothing_is_no_data() -> None:
    for statistics in (None, CaptionTargetStatistics()):
        state = CaptionState(MetricContext(target_statistics=statistics))
        state.count(batch([], []))
        for figure in (*FIGURES, states.LENGTH_IN_RANGE, states.MEAN_WORDS):
            assert figure.compute(state).value is None
        assert state.remarks() == {}


def test_cider_needs_two_samples() -> None:
    for statistics in (None, fitted(["a dog"])):
        state = CaptionState(MetricContext(target_statistics=statistics))
        state.count(batch(["a dog"], ["a dog"]))
        assert state.cider().value is None and state.cider().reason == TOO_FEW
        assert state.rouge_l().value == 1.0 and state.length_in_range().value is None


def test_plain_functions_take_texts_and_lists_of_one_text() -> None:
    references, replies = captions(15, 50)
    whole, _ = tallied(references, replies)
    nested = [[text] for text in references]
    assert calculate_caption_cider(references, replies) == pytest.approx(whole.cider().value, abs=1e-12)
    assert calculate_caption_rouge_l(nested, replies) == pytest.approx(whole.rouge_l().value, abs=1e-12)
    assert calculate_caption_bleu(nested, replies, n=1) == whole.bleu(1).value
    assert calculate_caption_bleu(nested, replies) == whole.bleu(4).value
    assert calculate_caption_cider(["a"], ["a"]) is None and calculate_caption_rouge_l([], []) is None
    with pytest.raises(UsageError, match="Sample 1 has no references"):
        calculate_caption_cider([["a"], []], ["a", "b"])
    with pytest.raises(UsageError, match="2 references for 1 replies"):
        calculate_caption_rouge_l(["a", "b"], ["a"])
    with pytest.raises(UsageError, match="from 1 to 4"):
        calculate_caption_bleu(["a"], ["a"], n=5)
    with pytest.raises(UsageError, match="not a single text"):
        calculate_caption_rouge_l("a", ["a"])


def several(seed: int, samples: int) -> tuple[list[list[str]], list[str]]:
    """From one to five references a sample, some of them alike, and replies."""
    rng = random.Random(seed)
    texts, replies = captions(seed, 5 * samples)
    references = [[*texts[5 * row : 5 * row + 5], replies[5 * row]][: rng.randint(1, 6)] for row in range(samples)]
    references[0][0] = "a road"
    return references, replies[::5]


@pytest.mark.parametrize(("seed", "samples"), [(30, 200), (31, 2), (32, 40)])
def test_several_references_count_as_in_the_coco_caption_code(seed: int, samples: int) -> None:
    references, replies = several(seed, samples)
    assert_official(references, replies, ([lower(some) for some in references], lower(replies)))


def test_several_references_of_spaced_tokens() -> None:
    """Fractions and phone numbers are tokens with spaces, which BLEU and CIDEr part and ROUGE-L does not."""
    references = [["2 1/2 dogs", "two dogs"], ["a dog", "call (555) 123-4567 now"], ["a", "b c"]]
    replies = ["2 1/2 dogs run", "(555) 123-4567", "c"]
    read = [tokenize(TextColumn.of(texts), with_lines=True).lines or [] for texts in (*references, replies)]
    assert read[0][0] == "2\u00a01/2 dogs"
    assert_official(references, replies, (read[:-1], read[-1]))


@pytest.mark.parametrize("size", [7, 100])
def test_several_references_give_the_same_digits_however_split(size: int) -> None:
    references, replies = several(33, 60)
    whole, values = tallied(references, replies)
    parts, some = tallied(references, replies, size=size)
    assert [figure.compute(parts) for figure in FIGURES] == [figure.compute(whole) for figure in FIGURES]
    assert all((values[name] == some[name]).all() for name in values)
    late = CaptionState()
    late.count(batch(references, replies))
    assert late.cider().value == pytest.approx(whole.cider().value, abs=1e-12)
    assert calculate_caption_bleu(references, replies, 2) == whole.bleu(2).value
    restored = CaptionTargetStatistics()
    restored.load_state_dict(fitted(references, size).state_dict())
    assert (restored.frequencies().counts == fitted(references).frequencies().counts).all()


def test_the_samples_score_is_its_rouge_l() -> None:
    references, replies = captions(34, 80, AWKWARD)
    _, values = tallied(references, replies)
    assert (values["score"] == values["rouge_l"]).all()
    assert (states.score_captions(batch(references, replies))["score"] == values["rouge_l"]).all()


def test_the_blind_baseline_is_the_most_frequent_caption() -> None:
    references = [*(["a red road"] * 5), "two ships", "a green field", *(["a red car"] * 4)]
    state, _ = tallied(references, [f"reply {row}" for row in range(len(references))], size=4)
    constant, _ = tallied(references, ["A red road."] * len(references))
    for figure in FIGURES:
        name, value = state.blind_baseline(figure) or ("", 0.0)
        assert name == states.MOST_FREQUENT
        assert value == pytest.approx(figure.compute(constant).value, abs=1e-9)
    assert state.blind_baseline(find_metric("meteor")) is None
    assert CaptionState().blind_baseline(find_metric("cider")) is None


def test_bleu_of_nothing_and_of_everything_has_no_interval_of_zero_width() -> None:
    state, _ = tallied(["a red road by a river"] * 6, ["a road by the red river"] * 6)
    for order in (3, 4):
        estimate = state.bleu(order)
        assert estimate.value == pytest.approx(0, abs=1e-3) and estimate.low == 0
        assert estimate.high is not None and estimate.high > 0.3, "six samples rule out little"
    perfect, _ = tallied(["a red road by a river"] * 6, ["a red road by a river"] * 6)
    for found in (state.bleu(1), perfect.bleu(4)):
        assert found.low is not None and found.high is not None and found.high - found.low > 0.1
