"""METEOR beside the other caption metrics: as the official program has it, with one and several references."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from sightline.core.errors import UsageError
from sightline.scoring.metrics.captions import (
    CaptionState,
    calculate_caption_meteor,
    calculate_caption_rouge_l,
    meteor,
    meteor_lexicon,
)
from sightline.scoring.metrics.captions.meteor import align
from sightline.scoring.metrics.captions.meteor_lexicon import (
    JAR,
    NO_TABLES,
    OTHER_TABLES,
    TablesMissingError,
    find_jar,
    jar_of_meteor,
)
from sightline.scoring.metrics.captions.meteor_normalizer import normalize
from tests.scoring.metrics.caption_texts import HOSTILE, batch, captions, random_texts, tallied
from tests.scoring.metrics.java_programs import MeteorProgram, needs_java, official_normal_forms, running_meteor
from tests.scoring.metrics.meteor_program import counts_by, scores_by

_TEXT = "a the man dogs dog running runs big large house houses plane airplane river tree is are car"
_MARKED = r"""
two-story it's isn 't 3.5 10,000 e.g. i.e. mr. dr. u.s. ... .. -- - ( [ -lrb- &amp; &quot; & # 50% $5
a/b 'quoted' ``word'' “word” ‘it’ l'eau d'un café naïve 北京 机场 привет 1,a a,1 a,b a.b 1.a o'clock 's
re-read well--known ||x || x|y tab x UPPER İstanbul ß ² x_y a+b a=b ~ ^ \ house houses the of
"""
WORDS = _TEXT.split()
WITH_METEOR = frozenset({"meteor"})
needs_tables = pytest.mark.skipif(find_jar() is None, reason="needs the tables of the METEOR jar")


@pytest.fixture(scope="module")
def official() -> Iterator[MeteorProgram]:
    """The official program, started with the options of the official code."""
    yield from running_meteor("-norm")


def corpus(seed: int, count: int) -> tuple[list[str], list[str]]:
    rng = random.Random(seed)
    references, replies = captions(seed, count, WORDS)
    return references, [text if rng.random() < 0.9 else truth for text, truth in zip(replies, references, strict=True)]


@needs_java
@pytest.mark.slow
def test_meteor_is_that_of_the_official_program_however_split(official: MeteorProgram) -> None:
    references, replies = corpus(0, 180)
    state, values = tallied(references, replies, metric_names=WITH_METEOR)
    halves = [CaptionState(state.context) for _ in range(2)]
    for half, rows in zip(halves, (slice(0, 70), slice(70, None)), strict=True):
        half.count(batch(references[rows], replies[rows], rows.start))
    halves[1].merge(halves[0])
    assert halves[1].meteor() == state.meteor()
    *each, score = scores_by(official, replies, [[text] for text in references])
    np.testing.assert_allclose(values["meteor"], each, rtol=0, atol=1e-9)
    assert state.meteor().value == pytest.approx(score, abs=1e-9)
    assert state.meteor().n == 180 and state.meteor().low is not None and not state.remarks()


@needs_java
@pytest.mark.slow
def test_of_several_references_the_best_counts(official: MeteorProgram) -> None:
    rng = random.Random(3)
    texts, replies = corpus(4, 600)
    references = [texts[4 * row : 4 * row + rng.randint(1, 4)] for row in range(150)]
    state, values = tallied(references, replies[::4], size=40, metric_names=WITH_METEOR)
    *each, score = scores_by(official, replies[::4], references)
    np.testing.assert_allclose(values["meteor"], each, rtol=0, atol=1e-9)
    assert state.meteor().value == pytest.approx(score, abs=1e-9)


@needs_java
@pytest.mark.slow
def test_marks_are_read_as_the_official_program_reads_them(official: MeteorProgram) -> None:
    """Tokens as they leave the tokenizer, with all that it keeps, and raw text that it would never give."""
    pieces = _MARKED.split()
    rng = random.Random(5)
    texts = [" ".join(rng.choices(pieces, k=rng.randint(1, 9))) for _ in range(600)]
    replies, references = texts[::2], texts[1::2]
    found = align(replies, references)
    np.testing.assert_array_equal(found.columns, meteor.columns(counts_by(official, replies, references)))


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize("signs", ["a1.-,", "a1'-.", "a1,'\" ", "ab. -", "a-–—’é"])
def test_all_short_texts_are_normalized_as_the_official_program_does_it(signs: str) -> None:
    texts = ["".join(text) for length in range(1, 6) for text in product(signs, repeat=length)]
    assert normalize(texts) == official_normal_forms(texts)


@needs_java
@pytest.mark.slow
def test_any_text_is_normalized_as_the_official_program_does_it() -> None:
    rng = random.Random(6)
    more = "`` '' -- .. ... 中 ж mr. no. pp. e.g. – ’ “ u.s. -lrb- & 😀 1,000 3.5 ||| rev. vs."
    pieces = [*"ab1sé.,-'` \"", " ", "\u00a0", "\u3000", "\u1680", "\x1f", "\t", " |||", *more.split()]
    texts = ["".join(rng.choices(pieces, k=rng.randint(1, 14))) for _ in range(40_000)]
    assert normalize(texts) == official_normal_forms(texts)


def test_the_normal_forms_of_some_texts() -> None:
    expected = {
        "a well-kept 2-story a-b-c": "a well kept 2 story a b-c",
        "it 's 3,000 m , no. 5": "it ' s 3,000 m , no . 5",
        "u.s. army , e.g. a jeep": "us army , eg a jeep",
        "“quoted” (50%)": '" quoted " ( 50 % )',
        "the end.": "the end .",
        "a -- b ... c": "a - b ... c",
        "北京 机场": "北 京 机 场",
        "": "",
        "|||": "",
    }
    assert dict(zip(expected, normalize(list(expected)), strict=True)) == expected


@needs_tables
@pytest.mark.slow
def test_no_text_changes_the_meteor_of_another() -> None:
    hostile = [*HOSTILE, *random_texts(1, 40)]
    references, replies = corpus(1, len(hostile))
    alone = tallied(references, replies, metric_names=WITH_METEOR)[1]["meteor"]
    state, values = tallied(
        [text for truth in references for text in (truth, "a dog")],
        [text for pair in zip(replies, hostile, strict=True) for text in pair],
        metric_names=WITH_METEOR,
    )
    assert (values["meteor"][::2] == alone).all()
    assert state.remarks() == {"captions too long for METEOR, counted as no match": 1}
    raw = align([*replies, *hostile], [*references, *hostile])  # as they are, not even tokenised
    assert (meteor.meteor(raw.columns[: len(replies)]) == alone).all()


@needs_tables
@pytest.mark.slow
def test_an_empty_or_endless_caption_has_no_meteor() -> None:
    found = align(["", "a dog", "", "a dog", "the " * 4000], ["a dog", "", "", "a dog", "the dog and the cat"])
    assert found.too_long == 1
    assert meteor.meteor(found.columns).tolist() == [0.0, 0.0, 0.0, 1.0, 0.0]


def test_meteor_is_not_counted_unasked() -> None:
    state, values = tallied(["a dog", "a cat"], ["a dog", "a bird"])
    assert "meteor" not in values
    assert state.meteor().value is None and state.meteor().reason == "not counted: METEOR was not asked for"


@pytest.mark.parametrize("is_tampered", [False, True])
def test_without_the_official_tables_only_meteor_is_missing(
    is_tampered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = tmp_path / "meteor.jar"
    jar.write_bytes(b"other tables")
    monkeypatch.setattr(meteor_lexicon, "find_jar", lambda: jar if is_tampered else None)
    why = OTHER_TABLES if is_tampered else NO_TABLES
    references, replies = ["a well-kept dog", "a cat's 2 toys", "a “bird”"], ["a dog", "it's a cat", "the 2nd bird"]
    state, values = tallied(references, replies, metric_names=WITH_METEOR)
    assert (state.meteor().value, state.meteor().n, state.meteor().reason) == (None, 3, why)
    assert "meteor" not in values and state.cider().value is not None and not state.remarks()
    assert calculate_caption_rouge_l(references, references) == 1.0
    with pytest.raises(UsageError, match="tables of METEOR"):
        calculate_caption_meteor(["a cat"], ["a cat"])


@needs_tables
def test_tables_that_change_are_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    official = find_jar(JAR)
    assert official is not None
    copy = tmp_path / "copy.jar"
    copy.write_bytes(official.read_bytes())
    monkeypatch.setattr(meteor_lexicon, "find_jar", lambda: copy)
    assert jar_of_meteor() == copy
    with copy.open("ab") as file:
        file.write(b"\0")
    with pytest.raises(TablesMissingError, match="unknown SHA-256"):
        jar_of_meteor()
