"""Captions to words: as the official tokenizer reads them, whatever the text, and no text changes another's words."""

from __future__ import annotations

import gzip
import json
import random
import re
import subprocess
import sysconfig
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.data.columns import TextColumn
from sightline.scoring.metrics.captions import tokenizer
from sightline.scoring.metrics.captions.meteor_lexicon import find_jar
from sightline.scoring.metrics.captions.ptb_rules import KEEP_SHIFT, Form, Keep, compile_automaton
from sightline.scoring.metrics.captions.tokenizer import TABLE, tokenize, tokenize_text, word_counts
from sightline.scoring.score_one import score_one
from tests.scoring.metrics.caption_lexer import differences, read_lexer
from tests.scoring.metrics.caption_texts import AWKWARD, HOSTILE, SIMPLE, captions, official_tokens, random_texts
from tests.scoring.metrics.java_programs import TOKENIZER_JAR, needs_java, official_lines

EXAMPLES = Path(__file__).with_name("caption_examples.json")
"""Texts and their tokens by the official program, from everyday captions to signs that no caption has."""
_open_tag = re.compile(r"<[A-Za-z/][^>]*=\s*(?:\"[^\"]*|'[^']*)$").search
"""The end of a text within an attribute: the official program reads on in the next caption for its end."""


def read(texts: list[str]) -> list[str]:
    tokens = tokenize(TextColumn.of(texts), with_lines=True)
    assert tokens.lines is not None
    for row, line in enumerate(tokens.lines):
        offsets, keys = tokens.words.offsets, tokens.words.keys
        assert (keys[offsets[row] : offsets[row + 1]] == tokenizer.word_keys(line.split())).all()
        spaced = tokens.words.spaced.get(row, tokenizer.word_keys(line.split()))
        assert (spaced == tokenizer.word_keys(line.split(" ") if line else [])).all()
    return tokens.lines


def assert_official(texts: list[str]) -> int:
    """All lines are the official ones; how many words they have."""
    texts = [text for text in texts if not _open_tag(text)]
    mine, theirs = read(texts), official_lines(texts)
    apart = [pair for pair in zip(texts, mine, theirs, strict=True) if pair[1] != pair[2]]
    assert not apart, apart[:5]
    return sum(len(line.split()) for line in theirs)


def test_examples_have_the_tokens_of_the_official_program() -> None:
    examples = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    assert len(examples) > 800
    assert dict(zip(examples, read(list(examples)), strict=True)) == examples
    assert {text: tokenize_text(text) for text in examples} == examples, "written one by one"


def test_the_table_is_that_of_the_rules() -> None:
    """Else `python tools/caption_automaton.py` was forgotten."""
    with np.load(TABLE) as stored:
        for name, array in compile_automaton()._asdict().items():
            np.testing.assert_array_equal(stored[name], array)


def _action(form: Form, keep: Keep = Keep.ALL) -> int:
    return keep << KEEP_SHIFT | form


def test_the_automaton_is_that_of_the_official_program() -> None:
    """Both accept the same texts, with actions that come to the same; all pairs of states are visited."""
    jar = find_jar(TOKENIZER_JAR)
    if jar is None:
        pytest.skip("pycocoevalcap is not here")
    text, word, stop = _action(Form.TEXT), _action(Form.WORD), _action(Form.TEXT, Keep.BUT_ONE)
    punctuation, nothing, bracket = (_action(form) for form in (Form.PUNCTUATION, Form.NOTHING, Form.BRACKET))
    names = {
        **dict.fromkeys((3, 9, 19, 31, 33, 45, 52), text),
        **dict.fromkeys((6, 12, 29), word),
        **dict.fromkeys((24, 25, 41, 43), stop),
        **dict.fromkeys((16, 17, 18, 20, 21, 22), bracket),
        **dict.fromkeys((5, 7, 23), nothing),
        **dict.fromkeys((11, 13), punctuation),
        **dict.fromkeys((2, 10), _action(Form.ANGLE)),
        **dict.fromkeys((27, 39), _action(Form.UNBROKEN)),
        **dict.fromkeys((32, 46), _action(Form.WORD, Keep.BUT_ONE)),
        **dict.fromkeys((42, 50), _action(Form.TEXT, Keep.FIRST_HALF)),
        **dict.fromkeys((44, 53), _action(Form.TEXT, Keep.TO_STOP)),
        **dict.fromkeys((47, 49), _action(Form.TEXT, Keep.TO_BREAK)),
        **dict.fromkeys((26, 36), _action(Form.QUOTE, Keep.BUT_ONE)),
        4: _action(Form.HYPHENS),
        8: _action(Form.QUOTE),
        14: _action(Form.FRACTION),
        15: _action(Form.CURRENCY),
        28: _action(Form.SMILEY),
        30: _action(Form.WORD, Keep.TO_AUXILIARY),
        34: _action(Form.SMILEY, Keep.BUT_ONE),
        35: _action(Form.PUNCTUATION, Keep.BUT_TWO),
        37: _action(Form.AMPERSAND),
        40: _action(Form.WORD, Keep.TO_NOT),
        48: _action(Form.TEXT, Keep.BUT_TWO),
        51: _action(Form.AMPERSAND, Keep.BUT_ONE),
        54: _action(Form.PHONE),
    }
    equal = {-1: {-1}, 1: {-1}} | {number: {action} for number, action in names.items()}
    equal[44].add(_action(Form.TEXT, Keep.BUT_TWO))  # "bldg. 5": the two characters behind it
    assert differences(compile_automaton(), read_lexer(jar), equal) == []


@needs_java
def test_tokens_are_those_of_the_official_code(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [text for words in (AWKWARD, SIMPLE) for side in captions(0, 1300, words) for text in side]
    assert read(texts) == official_tokens(texts, monkeypatch)


def documents(rng: random.Random) -> list[str]:
    """The documentation in both languages, and lines of the standard library."""
    folders = [*Path("docs").rglob("*.md"), *sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))]
    lines = [line.strip() for path in folders for line in path.read_text("utf-8", "replace").splitlines()]
    return [line for line in lines if line][:110_000]


def phrases(rng: random.Random) -> list[str]:
    """Sentences of phrases out of newspapers, from METEOR's table."""
    jar = find_jar()
    assert jar is not None
    with gzip.open(jar.parent / "data" / "paraphrase-en.gz", "rt", errors="replace") as file:
        known = [line.strip() for line in islice(file, 900_000)][1::3]
    return [" ".join(rng.choices(known, k=4)).capitalize() + "." for _ in range(50_000)]


_SCENES = (
    "There are {n} {a} planes {p}.",
    "{n} {a} ships, {p}; {m}% are {b}.",
    "The image shows {n}-{m} cars {p} - all {a}.",
    "A {a}, {b} area of about {n}.{m} km² with courts {p}",
    "It's a {a} scene: tanks can't be seen {p}.",
    '"harbors" {p} ({n} x {m} px)',
    "{n},{m}00 m² of roofs… {p}!",
    "这张图像中有{n}架飞机，位于{p}。",
    "Many bridges and/or {a} roofs {p}, e.g. {n}/{m}.",
    "The buildings' roofs are {a}; they're {p}, isn't it?",
)
_LOOKS = "large white well-kept two-story L-shaped high-rise 3-storey dark-green half-built semi-circular grey-roofed"
_PLACES = (
    "near the river|beside St. Mary's church|on the left-hand side|at the airport's terminal no. 3"
    "|in the top-right corner|(partly occluded)|along the E-W runway|approx. 25 m from the road"
    "|next to a 4-lane highway|in front of Bldg. 12"
)


def scenes(rng: random.Random) -> list[str]:
    """Captions as people write them of pictures from above."""
    looks, places = _LOOKS.split(), _PLACES.split("|")
    return [
        rng.choice(_SCENES).format(
            n=rng.randint(1, 120), m=rng.randint(1, 99), a=rng.choice(looks), b=rng.choice(looks), p=rng.choice(places)
        )
        for _ in range(40_000)
    ]


def awkward_words(rng: random.Random) -> list[str]:
    """Words with signs of all kinds, some of them run together."""
    gaps = [" ", " ", " ", "", ".", ","]
    known = [text for text in json.loads(EXAMPLES.read_text(encoding="utf-8")) if 0 < len(text) < 20]
    return ["".join(rng.choice(known) + rng.choice(gaps) for _ in range(rng.randint(1, 12))) for _ in range(60_000)]


def soup(rng: random.Random) -> list[str]:
    """Signs at random, of every class that the automaton tells apart."""
    ascii_signs = [chr(code) for code in range(32, 127)]
    with np.load(TABLE) as stored:
        classes = stored["classes"]
    by_class = [np.flatnonzero(classes == number) for number in range(int(classes.max()) + 1)]

    def sign() -> str:
        if rng.random() < 0.5:
            return rng.choice(ascii_signs)
        found = chr(int(rng.choice(rng.choice(by_class))))
        return "x" if "\ud800" <= found <= "\udfff" else found

    return ["".join(sign() for _ in range(rng.randint(1, 24))) for _ in range(60_000)]


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "words"),
    [(documents, 600_000), (phrases, 500_000), (scenes, 400_000), (awkward_words, 400_000), (soup, 200_000)],
)
def test_over_two_million_words_no_line_differs(make: Callable[[random.Random], list[str]], words: int) -> None:
    assert assert_official(make(random.Random(7))) > words


@needs_java
@pytest.mark.slow
def test_hostile_texts_are_read_alike_too() -> None:
    assert_official([*HOSTILE, *random_texts(0, 4000)])


def test_no_text_changes_the_words_of_another() -> None:
    hostile = [*HOSTILE, *random_texts(0, 400)]
    texts = captions(1, len(hostile), AWKWARD)[1]
    mixed = read([text for pair in zip(texts, hostile, strict=True) for text in pair])
    assert mixed[::2] == read(texts)
    assert mixed[1::2] == read(hostile)
    assert mixed[1:17:2] == ["a dog runs"] * 8, "every kind of line break is a space"
    assert read([]) == []


@pytest.mark.parametrize(
    "piece",
    ["a,", "<a ", '<a b="', "<!a ", "1,2,", "http://,", "x@", "a@b.", "&", "'", "x.[^x=", "(", "½ ", "É", "=] "],
)
def test_hostile_texts_are_read_in_linear_time(piece: str) -> None:
    """In time that grows with the square of the length, this would take hours."""
    assert tokenize(TextColumn.of([piece * (1_000_000 // len(piece))])).words.keys.size >= 0


def test_no_java_process_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    monkeypatch.setenv("PATH", "")
    figures = score_one("a well-kept 2-lane road, isn't it?", 'a "2-lane" road — 50% of it', task="brief caption")
    assert all(isinstance(figures[name], float) for name in ("rouge_l", "bleu1", "bleu2", "bleu3", "bleu4", "score"))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=5))
def test_any_text_has_the_same_tokens_alone_and_in_a_column(texts: list[str]) -> None:
    column = TextColumn.of(texts)
    assert word_counts(column).tolist() == [len(text.split()) for text in column]
    assert read(texts) == [tokenize_text(text) for text in column]


def test_bytes_that_are_no_text_are_read_all_the_same() -> None:
    data = np.array([255, 32, 97, 254, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0xF4, 0x90, 0x80, 0x80, 0xE2, 0x82], np.uint8)
    column = TextColumn(data, np.array([0, 1, 0, 4, 6, 9, 13]), np.array([2, 3, 0, 6, 9, 13, 15]))
    assert word_counts(column).tolist() == [1, 1, 0, 1, 1, 1, 1]
    assert (tokenize(column, with_lines=True).lines or [])[:3] == ["", "a", ""]
