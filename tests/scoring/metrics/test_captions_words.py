"""Captions to words: plain texts are read as the Java tokenizer reads them, and no text changes another's words."""

from __future__ import annotations

import random
import re
import zipfile
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.data.columns import TextColumn
from sightline.scoring.metrics.captions import tokenizer
from sightline.scoring.metrics.captions.java import find_jar
from sightline.scoring.metrics.captions.tokenizer import (
    ABBREVIATIONS,
    PROGRAM,
    SPLIT,
    TOKENIZERS,
    Tokens,
    count_needing_java,
    tokenize,
    word_counts,
)
from tests.scoring.metrics.caption_lexer import BREAKS, LETTERS, Lexer
from tests.scoring.metrics.caption_texts import (
    AWKWARD,
    HOSTILE,
    SIMPLE,
    captions,
    needs_java,
    official_tokens,
    random_texts,
)


@pytest.fixture(scope="module", autouse=True)
def one_start() -> Iterator[None]:
    """Java is started once for all of these tests."""
    TOKENIZERS.hold()
    yield
    TOKENIZERS.release()


def read(texts: list[str]) -> list[str]:
    tokens = tokenize(TextColumn.of(texts), with_lines=True)
    assert isinstance(tokens, Tokens) and tokens.lines is not None
    for row, line in enumerate(tokens.lines):
        offsets, keys = tokens.words.offsets, tokens.words.keys
        assert (keys[offsets[row] : offsets[row + 1]] == tokenizer.word_keys(line.split())).all()
        spaced = tokens.words.spaced.get(row, tokenizer.word_keys(line.split()))
        assert (spaced == tokenizer.word_keys(line.split(" ") if line else [])).all()
    return tokens.lines


def is_plain(text: str) -> bool:
    return count_needing_java(TextColumn.of([text])) == 0


@pytest.mark.parametrize("start", [0, 1, 2])
def test_the_lists_are_all_that_the_automaton_treats_apart(start: int) -> None:
    jar = find_jar(PROGRAM.jar)
    if jar is None:
        pytest.skip("pycocoevalcap is not here")
    lexer = Lexer(jar)
    hopeful = lexer.hopeful()
    word = lexer.actions[lexer.run("zzzzzzzz", start)]
    states = lexer.word_states(start)
    apart = {state for state in states if not lexer.accepts[state] or lexer.actions[state] != word}
    assert lexer.words(apart, start) == set(SPLIT.split())
    # After a word and a break nothing longer can match, but for a rule that looks at the break and gives the word.
    looking = {lexer.step(state, sign) for state in states for sign in BREAKS} & hopeful
    assert all(lexer.accepts[state] for state in looking)
    assert not {lexer.step(state, sign) for state in looking for sign in LETTERS + " ,.\n"} & hopeful
    # After a word, a full stop and a space or the end, only abbreviations match as one.
    keeping = {
        state
        for state in states
        if (stop := lexer.step(state, ".")) >= 0
        and (lexer.accepts[stop] or {lexer.step(stop, " "), lexer.step(stop, "\n")} & hopeful)
    }
    assert {one for one in lexer.words(keeping, start) if len(one) > 1} == set(ABBREVIATIONS.split())
    # A mark by itself goes on to nothing that has a letter next.
    assert not {lexer.run(mark + " " + sign, start) for mark in ",." for sign in LETTERS} & hopeful
    assert not {lexer.run(", ", start), lexer.run(",\n", start), lexer.run(".\n", start)} & hopeful


def vocabulary() -> list[str]:
    """Some thousands of English words out of METEOR's own list, and all that is special."""
    jar = find_jar("meteor/meteor-1.5.jar")
    assert jar is not None
    inside = zipfile.ZipFile(jar)
    names = ("synonym/english.exceptions", "nonbreaking/english.prefixes", "function/english.words")
    found = {word for name in names for word in re.findall(r"[a-z]+", inside.read(name).decode().lower())}
    british = "grey centre harbour colour neighbourhood theatre programme metres aeroplane organisation realise kerb"
    units = "m km ft sq approx no nos vs fig figs am pm kg cm mm mph st rd ave ok"
    return sorted(found | {*LETTERS.lower(), *SPLIT.split(), *ABBREVIATIONS.split(), *british.split(), *units.split()})


@needs_java
def test_plain_texts_have_the_tokens_that_java_gives() -> None:
    rng = random.Random(0)
    known = vocabulary()
    special = [*ABBREVIATIONS.split(), *SPLIT.split(), *LETTERS]
    forms = ["{w}", "{w}.", "a {w} b", "a {w}. b", "a {w}. The", "{w}, {w}.", "{w} .", "a {w} . B", "{w} , x\n"]
    texts = [form.format(w=case(word)) for word in special for form in forms for case in (str, str.title, str.upper)]
    texts += [f"{word.title()} {word} {word}, {word.upper()} {word}." for word in known]
    texts += [
        "".join(rng.choice(known) + rng.choice([" ", " ", "  ", ", ", ". ", " . "]) for _ in range(12))
        for _ in range(2000)
    ]
    plain = [text for text in texts if is_plain(text)]
    assert len(plain) > 0.6 * len(texts) and len(known) > 5000
    assert TOKENIZERS.ask(plain) == read(plain)


@needs_java
def test_any_text_of_letters_and_marks_has_the_tokens_that_java_gives() -> None:
    rng = random.Random(1)
    signs = [*"aAtsTm    ,.,.\n\r", "cannot", "st", "wanna", "the", "-", "'", "1"]
    texts = ["".join(rng.choices(signs, k=rng.randint(0, 14))) for _ in range(6000)]
    assert TOKENIZERS.ask(texts) == read(texts)
    assert sum(map(is_plain, texts[:500])) > 50


DOUBTFUL = [
    *("It cannot be", "Wanna go", "on Main St.", "plan A.", "a,b", "x.y", ". a", "a ..", "a ,,", "tab\there", "3 cars"),
    *(
        "large-scale",
        "it's",
        '"quoted"',
        "and/or",
        "what?",
        "no!",
        "a; b",
        "a: b",
        "(a)",
        "été",
        "中文",
        "a\x00",
        "a\x85b",
    ),
]


@pytest.mark.parametrize("text", DOUBTFUL)
def test_all_that_is_doubtful_goes_to_java(text: str) -> None:
    assert not is_plain(text)


@pytest.mark.parametrize(
    "text", ["", "  ", "A dog", "A dog, a cat.", "planes .", "One. Two.\n", "grey harbour\r\n", "I a"]
)
def test_everyday_texts_do_not(text: str) -> None:
    assert is_plain(text)
    assert read([text]) == [" ".join(re.findall("[a-z]+", text.lower()))]


@needs_java
def test_tokens_are_those_of_the_official_code(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [text for words in (AWKWARD, SIMPLE) for side in captions(0, 1300, words) for text in side]
    assert read(texts) == official_tokens(texts, monkeypatch)


@needs_java
def test_no_text_changes_the_words_of_another() -> None:
    hostile = [*HOSTILE, *random_texts(0, 400)]
    texts = captions(1, len(hostile), AWKWARD)[1]
    mixed = read([text for pair in zip(texts, hostile, strict=True) for text in pair])
    assert mixed[::2] == read(texts)
    assert mixed[1::2] == read(hostile)
    assert mixed[1:17:2] == ["a dog runs"] * 8, "every kind of line break is a space"


def test_plain_texts_start_no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer.TOKENIZERS, "_make", lambda: pytest.fail("started"))
    monkeypatch.setattr(tokenizer.TOKENIZERS, "_free", [])
    assert read(["A dog, a cat.", ""]) == ["a dog a cat", ""]
    assert read([]) == []


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=5))
def test_words_are_counted_as_python_splits_them(texts: list[str]) -> None:
    column = TextColumn.of(texts)
    assert word_counts(column).tolist() == [len(text.split()) for text in column]


def test_bytes_that_are_no_text_are_read_all_the_same() -> None:
    data = np.array([255, 32, 97, 254], np.uint8)
    column = TextColumn(data, np.array([0, 1, 0]), np.array([2, 3, 0]))
    assert word_counts(column).tolist() == [1, 1, 0]
    assert count_needing_java(column) == 1


def test_the_own_score_needs_no_java_and_is_rouge_on_plain_texts() -> None:
    from sightline.data.columns import TextColumn
    from sightline.scoring.metrics.captions.corpus import sample_rouge_scores

    truths = ["A ship near two piers.", "河边有3艘船", "x-ray of a car", "", "same"]
    replies = ["A ship near two piers.", "河边有两艘船", "X RAY OF A CAR!", "", "other"]
    scores = sample_rouge_scores(TextColumn.of(replies), TextColumn.of(truths)).tolist()
    assert scores[0] == scores[2] == scores[3] == 1
    assert scores[1] == pytest.approx(5 / 6)
    assert scores[4] == 0
