"""What METEOR knows: of a word, by itself and by its tables; of phrases, by the table of paraphrases."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline.scoring.metrics.captions.java import official_jar
from sightline.scoring.metrics.captions.meteor.kept import kept_paraphrases
from sightline.scoring.metrics.captions.meteor.paraphrases import Paraphrases
from sightline.scoring.metrics.captions.meteor.stems import stem
from sightline.scoring.metrics.captions.meteor.synonyms import Synonyms
from sightline.scoring.metrics.captions.words import word_keys

JAR = "meteor/meteor-1.5.jar"
_TABLE = "data/paraphrase-en.gz"
_READING = Lock()
_BITS = 61
_KNOWN_WORDS = 1 << 17
"""Words that are kept at hand; replies may have any number of others."""


class Lexicon(NamedTuple):
    """Some words by number, as the kernels want them."""

    exact: NDArray[np.int64]
    """Two words are the same where these are; so with stems."""
    stems: NDArray[np.int64]
    is_function: NDArray[np.bool_]
    synset_offsets: NDArray[np.int64]
    synsets: NDArray[np.int64]
    synset_bits: NDArray[np.uint64]
    """Words without a bit in common have no synset in common."""
    keys: NDArray[np.uint64]


class _Word(NamedTuple):
    exact: int
    stem: int
    is_function: bool
    synsets: tuple[int, ...]
    synset_bits: int


def jar_of_meteor() -> Path:
    """Raises `MissingError` where it is not installed, or not the official one."""
    return official_jar(JAR)


def paraphrases() -> Paraphrases:
    """Read once a process, by whoever is first."""
    with _READING:
        return _paraphrases(jar_of_meteor().parent / _TABLE)


_paraphrases = cache(kept_paraphrases)


def lexicon(words: Sequence[str]) -> Lexicon:
    """Look words up."""
    jar = jar_of_meteor()
    known = [_word(word, jar) for word in words]
    return Lexicon(
        np.array([word.exact for word in known], np.int64),
        np.array([word.stem for word in known], np.int64),
        np.array([word.is_function for word in known], np.bool_),
        np.cumsum([0, *(len(word.synsets) for word in known)]),
        np.array([synset for word in known for synset in word.synsets], np.int64),
        np.array([word.synset_bits for word in known], np.uint64),
        word_keys(list(words)),
    )


@lru_cache(_KNOWN_WORDS)
def _word(word: str, jar: Path) -> _Word:
    function_words, synonyms = _word_lists(jar)
    synsets = tuple(synonyms.of(word))
    bits = sum({1 << synset % _BITS for synset in synsets})
    return _Word(_java_hash(word), _java_hash(stem(word)), word in function_words, synsets, bits)


@cache
def _word_lists(jar: Path) -> tuple[frozenset[str], Synonyms]:
    with zipfile.ZipFile(jar) as members:
        lines = [
            members.read(name).decode("utf-8", "replace").splitlines()
            for name in ("function/english.words", "synonym/english.synsets", "synonym/english.exceptions")
        ]
    return frozenset(lines[0]), Synonyms(lines[1], lines[2])


def _java_hash(word: str) -> int:
    """What the official program compares words by: "haï" and "hes" are the same to it."""
    state = 0
    for unit in np.frombuffer(word.encode("utf-16-le", "surrogatepass"), "<u2").tolist():
        state = (31 * state + unit) & 0xFFFFFFFF
    return state
