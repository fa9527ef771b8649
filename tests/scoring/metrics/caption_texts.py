"""Captions for tests: everyday ones, awkward ones and hostile ones; and the COCO caption code to compare with."""

from __future__ import annotations

import contextlib
import io
import os
import random
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sightline.data.columns import Batch, TextColumn, make_references
from sightline.scoring.metrics.captions import CaptionState, CaptionTargetStatistics
from sightline.scoring.metrics.state import MetricContext, Values
from tests.scoring.metrics.java_programs import find_java

_SIMPLE = (
    "a an the two many several some planes airplane airport runway parked near next to beside large small white red "
    "building buildings road river bridge green trees field fields with and of in on is are there harbour boats ships"
)
_AWKWARD = (
    "A man, U.S. riding Mr. Smith's big-red horse! can't the (park) \"near\" $5.00 3/4 etc. e.g. http://a.b/c?d=e "
    "x@y.com <b> ... -- 'tis gonna #tag 10% I'm you're 12:30 — “q” été 中文 cannot 1,000 :-) & &amp; / \\ * dogs grey "
    "St. sea. no. approx. one, two; CANNOT Wanna centre 1 1/2 . , km2 5km. A. a"
)
SIMPLE, AWKWARD = _SIMPLE.split(), _AWKWARD.split(" ")
BREAKS = ["\n", "\r", "\r\n", "\u2028", "\u2029", "\x85", "\v", "\f"]
HOSTILE = [
    *(f"a dog{mark}runs" for mark in [*BREAKS, "\x1c", "\x00", "\t"]),
    *(
        "",
        " ",
        "\n\n\n",
        "|||",
        "a ||| b",
        "||||||| a",
        "SCORE ||| a ||| a",
        "EVAL ||| 1.0",
        "EVAL",
        "<a",
        "b>",
        "<!--",
    ),
    *("\ud800", "\U0010ffff", "\ufeff", "U.S.", "The end etc.", "sightline", "sightline\nsightline", "p" * 400),
    *("'" * 99, "a " * 3000, "a a a a a a", "a\u3000b", "é e\u0301", "\u00a0", "a\u00a0b", ". . .", ",", ".", "a,b"),
]


def captions(seed: int, count: int, words: Sequence[str] = SIMPLE) -> tuple[list[str], list[str]]:
    """References and replies that have something in common."""
    rng = random.Random(seed)
    references, replies = [], []
    for _ in range(count):
        reference = rng.choices(words, k=rng.choice([0, 1, 2, 3, 5, 8, 13, 20, 70]))
        kept = [word for word in reference if rng.random() < 0.8]
        other = rng.choices(words, k=rng.randint(0, 12))
        references.append(" ".join(reference))
        replies.append(" ".join(rng.choice([kept + other[:2], other, reference])))
    return references, replies


def random_texts(seed: int, count: int) -> list[str]:
    rng = random.Random(seed)
    tops = (0x80, 0x100, 0x3100, 0x110000)
    return ["".join(chr(rng.randrange(rng.choice(tops))) for _ in range(rng.randint(0, 30))) for _ in range(count)]


References = Sequence[str] | Sequence[Sequence[str]]


def column(references: References) -> TextColumn:
    """Texts, or lists of them, as truths."""
    return make_references([[texts] if isinstance(texts, str) else texts for texts in references])


def batch(references: References, replies: Sequence[str], first: int = 0, key: int = -1) -> Batch:
    """A batch whose samples are clusters by themselves, numbered from `first`."""
    clusters = np.arange(first, first + len(replies), dtype=np.uint64)
    every = np.ones(len(replies), bool)
    return Batch(column(references), TextColumn.of(replies), every, clusters, key)


def fitted(references: References, size: int = 10**6) -> CaptionTargetStatistics:
    statistics = CaptionTargetStatistics()
    for key, start in enumerate(range(0, len(references), size)):
        statistics.add(column(references[start : start + size]), key)
    return statistics


def tallied(
    references: References, replies: Sequence[str], size: int = 10**6, **plan: Any
) -> tuple[CaptionState, Values]:
    """A state with target statistics over all samples in batches, and what each sample got."""
    state = CaptionState(MetricContext(target_statistics=fitted(references, size), **plan))
    rows = []
    for key, start in enumerate(range(0, len(replies), size)):
        stop = start + size
        rows.append(state.count(batch(references[start:stop], replies[start:stop], start, key)))
    return state, {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}


def official_tokens(texts: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """By the COCO caption code, which calls plain `java`.

    It looks across the end of a line ("no." before a number is an abbreviation, even if that is the next caption): so
    that each caption is read by itself, a word stands between them.
    """
    folder = Path(find_java() or "").parent
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    tokenizer = import_module("pycocoevalcap.tokenizer.ptbtokenizer").PTBTokenizer()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the reference's own code
        tokens = tokenizer.tokenize(
            {place: [{"caption": text}, {"caption": "word"}] for place, text in enumerate(texts)}
        )
    return [tokens[place][0] for place in range(len(texts))]


def official_scores(references: References, replies: Sequence[str]) -> dict[str, tuple[float, Any]]:
    """Corpus figures and samples' scores of the COCO caption code for tokenised captions."""
    truths = {place: [texts] if isinstance(texts, str) else list(texts) for place, texts in enumerate(references)}
    answers = {place: [text] for place, text in enumerate(replies)}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # of the reference's own code
        bleu, bleus = import_module("pycocoevalcap.bleu.bleu").Bleu().compute_score(truths, answers, verbose=0)
        rouge = import_module("pycocoevalcap.rouge.rouge").Rouge().compute_score(truths, answers)
        cider = import_module("pycocoevalcap.cider.cider").Cider().compute_score(truths, answers)
    by_order = {f"bleu{order}": (bleu[order - 1], bleus[order - 1]) for order in (1, 2, 3, 4)}
    return {**by_order, "rouge_l": rouge, "cider": cider}
