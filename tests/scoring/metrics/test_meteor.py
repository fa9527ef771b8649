"""METEOR without Java: every count is the official program's, on captions that set all its matchers to work."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from sightline.scoring.metrics.captions.meteor import Aligned, align, count_matches, meteor
from sightline.scoring.metrics.captions.meteor_lexicon import (
    JAR,
    Paraphrases,
    _word_lists,
    find_jar,
    jar_of_meteor,
    read_paraphrases,
)
from sightline.scoring.metrics.captions.tokenizer import word_keys
from tests.scoring.metrics.java_programs import MeteorProgram, needs_java, running_meteor
from tests.scoring.metrics.meteor_program import counts_by

pytestmark = pytest.mark.skipif(find_jar(JAR) is None, reason="needs the tables of the METEOR jar")

FEW = "the a dog dogs cat cats house houses of in on run runs running building construction plane airplane is are"
COMMON = f"{FEW} two large small road roads river ship ships near several many trees car cars airport".split()


def scores(replies: list[str], truths: list[str]) -> list[float]:
    found = align(replies, truths)
    assert isinstance(found, Aligned)
    return [float(score) for score in meteor(found.columns)]


def test_every_matcher_finds_its_pairs() -> None:
    pairs = {
        "exact": ("a dog", "a dog"),
        "stem": ("blorging", "blorgs"),
        "synonym": ("wharf", "pier"),
        "irregular": ("aardwolves", "aardwolf"),
        "paraphrase": ("in the vicinity of", "near"),
    }
    counts = count_matches(*([pair[side].split() for pair in pairs.values()] for side in (0, 1)))
    by_way = counts[:, 4:20].reshape(-1, 4, 4).sum(axis=2) > 0
    ways = dict(zip(pairs, [np.flatnonzero(row).tolist() for row in by_way], strict=True))
    assert ways == {"exact": [0], "stem": [1], "synonym": [2], "irregular": [2], "paraphrase": [3]}


def test_the_same_is_one_and_nothing_in_common_is_nought() -> None:
    assert scores(["a large airport", "zebra", "", "b"], ["a large airport", "umbrella", "b", ""]) == [1, 0, 0, 0]


def test_order_costs_and_every_word_counts_once() -> None:
    straight, turned = scores(["the dog sees a cat", "a cat sees the dog"], ["the dog sees a cat"] * 2)
    assert straight == 1 and 0.4 < turned < 0.5
    counts = count_matches([["dog"] * 5], [["dog"] * 2])
    assert counts[0, 21:].tolist() == [2, 2]


def test_a_pair_is_the_same_in_any_company() -> None:
    rng = random.Random(3)
    pairs = [(rng.choices(COMMON, k=rng.randint(1, 20)), rng.choices(COMMON, k=rng.randint(1, 20))) for _ in range(60)]
    together = count_matches(*zip(*pairs, strict=True))
    alone = np.concatenate([count_matches([one], [other]) for one, other in pairs])
    np.testing.assert_array_equal(together, alone)


def test_words_are_told_apart_as_the_official_program_tells_them() -> None:
    """By a hash of 32 bits, in which these two are the same."""
    assert count_matches([["haï"]], [["hes"]])[0, 4:8].tolist() == [1, 1, 0, 0]


def test_a_phrase_that_returns_in_the_table_keeps_all_its_paraphrases(tmp_path: Path) -> None:
    entries = [("a b", "c"), ("a b", "d e"), ("x", "y"), ("a b", "f"), ("x", "z")]
    path = tmp_path / "table.gz"
    path.write_bytes(gzip.compress("".join(f"0.5\n{one}\n{other}\n" for one, other in entries).encode()))
    table = read_paraphrases(path)
    assert [targets_of(table, text) for text in ("x", "q")] == [list(word_keys(["y", "z"])), []]
    assert len(table.targets) == 5 and len(table.offsets) == 5


def targets_of(table: Paraphrases, word: str) -> list[int]:
    places = np.flatnonzero(table.table == word_keys([word])[0])
    run = int(table.runs[places[0]]) if len(places) else -1
    found: list[int] = []
    while run >= 0:
        found += table.targets[table.offsets[run] : table.offsets[run + 1]].tolist()
        run = int(table.next_run[run])
    return found


@pytest.fixture(scope="module")
def official() -> Iterator[MeteorProgram]:
    yield from running_meteor("-lower")


@pytest.fixture(scope="module")
def entries() -> list[tuple[str, str]]:
    """Some thousand pairs from all over the table of paraphrases."""
    with gzip.open(jar_of_meteor().parent / "data/paraphrase-en.gz", "rt", encoding="utf-8") as lines:
        every = islice(zip(lines, lines, lines, strict=True), 0, None, 977)
        return [(one.strip(), other.strip()) for _, one, other in every]


def rewritten(rng: random.Random, entries: list[tuple[str, str]], words: list[str]) -> tuple[str, str]:
    """A caption and another way to say it: same, paraphrased, inflected or other words, at times in another order."""

    def piece() -> tuple[str, str]:
        kind = rng.random()
        if kind < 0.4:
            word = rng.choice(COMMON)
            return word, rng.choice([word, word, rng.choice(COMMON)])
        if kind < 0.8:
            one, other = rng.choice(entries)
            return (one, other) if rng.random() < 0.5 else (other, one)
        word = rng.choice(words)
        return word, word + rng.choice(["", "s", "ing", "ed"])

    pieces = [piece() for _ in range(rng.choice([1, 2, 4, 8, 14]))]
    pieces += rng.choices(pieces, k=rng.choice([0, 0, 3]))
    others = [other for _, other in pieces if rng.random() < 0.9]
    if rng.random() < 0.5:
        rng.shuffle(others)
    return " ".join(one for one, _ in pieces).lower(), " ".join(others).lower()


@needs_java
@pytest.mark.slow
def test_every_count_is_the_official_programs(official: MeteorProgram, entries: list[tuple[str, str]]) -> None:
    rng = random.Random(20)
    words = sorted(word for word in _word_lists(jar_of_meteor())[1]._synsets if word.isalpha())
    pairs = [rewritten(rng, entries, words) for _ in range(4000)]
    few = FEW.split()
    pairs += [(said(rng, few, rng.choice([5, 20, 30])), said(rng, few, rng.choice([5, 20, 30]))) for _ in range(600)]
    pairs += [(said(rng, few[:many], 150), said(rng, few[:many], 170)) for many in (1, 2, 3, 8, 20)]
    replies, truths = [reply for _, reply in pairs], [truth for truth, _ in pairs]
    ours = count_matches([text.split() for text in replies], [text.split() for text in truths])
    theirs = counts_by(official, replies, truths)
    assert (theirs[:, 4:20].reshape(-1, 4, 4).sum(axis=(0, 2)) > 100).all(), "each matcher has work to do"
    np.testing.assert_array_equal(ours, theirs)


def said(rng: random.Random, words: list[str], many: int) -> str:
    return " ".join(rng.choices(words, k=many))
