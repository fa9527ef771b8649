"""METEOR's lexical resources: function words, WordNet synsets and the paraphrase table, read from the official jar.

The table has five million pairs. Reading it takes seconds and 60 MB in each process, so its arrays are cached in files
that all processes map into memory.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline.core.cache_folder import cache_folder
from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.metrics.captions.kernels import hash_lines, join_keys
from sightline.scoring.metrics.captions.meteor_stems import stem
from sightline.scoring.metrics.captions.tokenizer import word_keys

_ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
    ("es", "e"),
    ("es", ""),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
    ("er", ""),
    ("est", ""),
    ("er", "e"),
    ("est", "e"),
)
"""Endings of nouns, verbs and adjectives, and what stands in the base form instead; the first known word counts."""
_PIECE = 1 << 20
_GZIP = 31
_LINES = 3
"""An entry: how probable it is (which METEOR does not use), a phrase, and its paraphrase."""
_FORMAT = 1
"""To be raised with every change of what the arrays hold."""
JAR = "meteor/meteor-1.5.jar"
_SHA256 = "1e57b4c72c0830ebe68558f1c799a624e96cbc1b6045c9f6330e26dcff6eafc2"
"""Of the jar as pycocoevalcap 1.2 brings it: other tables would give other scores."""
NO_TABLES = 'unavailable: the tables of METEOR are not installed; pip install "sightline[captions]" brings them'
OTHER_TABLES = (
    "unavailable: the tables of METEOR in pycocoevalcap have an unknown SHA-256; "
    "pip install --force-reinstall pycocoevalcap brings the official ones"
)
_TABLE = "data/paraphrase-en.gz"
_READING = Lock()
_BITS = 61
_KNOWN_WORDS = 1 << 17
"""Words that are kept at hand; replies may have any number of others."""


class Synonyms:
    """Synsets by word, from the two files of the jar."""

    def __init__(self, synsets: Iterable[str], exceptions: Iterable[str]) -> None:
        self._synsets = dict(_pairs(synsets))
        self._bases = _bases(_pairs(exceptions))

    def of(self, word: str) -> list[int]:
        """The synsets of a word and of its base forms, ascending."""
        lines = {self._synsets.get(form, "") for form in (word, *self._base_forms(word))}
        return sorted({int(synset) for line in lines for synset in line.split()})

    def _base_forms(self, word: str) -> Iterable[str]:
        """Irregular ones where there are any, else a regular one that is a word."""
        if word in self._bases:
            return self._bases[word]
        if word.endswith("ss") or len(word) <= 2:
            return ()
        regular = (word.removesuffix(ending) + instead for ending, instead in _ENDINGS if word.endswith(ending))
        return [form for form in regular if form in self._synsets][:1]


def _pairs(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Each odd line with the even line after it."""
    lines = iter(lines)
    return zip(lines, lines, strict=False)


def _bases(exceptions: Iterable[tuple[str, str]]) -> Mapping[str, list[str]]:
    bases: dict[str, list[str]] = {}
    for base, forms in exceptions:
        for form in forms.split():
            bases.setdefault(form, []).append(base)
    return bases


class Paraphrases(NamedTuple):
    """Paraphrases by phrase; phrases are keys. One that the file has in several places has several runs of entries."""

    table: NDArray[np.uint64]
    """Keys of phrases in open addressing; 0 is a free place."""
    runs: NDArray[np.int32]
    """At the place of a phrase, its first run."""
    offsets: NDArray[np.int64]
    """The entries of run r are `targets[offsets[r]:offsets[r + 1]]`."""
    next_run: NDArray[np.int32]
    """The next run of the same phrase; −1 after the last."""
    targets: NDArray[np.uint64]


def read_paraphrases(path: Path) -> Paraphrases:
    """The whole table, from a packed file in the order of its lines."""
    phrases, targets = [], []
    for keys, lengths in _hash_entries(path):
        pairs = np.empty((len(lengths) // _LINES, 2), np.uint64)
        _join_phrases(keys, lengths, pairs)
        phrases.append(pairs[:, 0].copy())
        targets.append(pairs[:, 1].copy())
    phrase = np.concatenate(phrases) if phrases else np.empty(0, np.uint64)
    starts = np.flatnonzero(np.append(True, phrase[1:] != phrase[:-1])) if len(phrase) else np.empty(0, np.int64)
    size = 1 << max(4, int(2 * len(starts)).bit_length())
    table, runs, next_run = np.zeros(size, np.uint64), np.full(size, -1, np.int32), np.full(len(starts), -1, np.int32)
    _insert_runs(phrase[starts], table, runs, next_run)
    offsets = np.append(starts, len(phrase))
    return Paraphrases(table, runs, offsets, next_run, np.concatenate([*targets, np.empty(0, np.uint64)]))


def _hash_entries(path: Path) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
    """The keys of the words of whole entries, and how many each line has."""
    unpack, rest = zlib.decompressobj(_GZIP), b""
    with path.open("rb") as file:
        while packed := file.read(_PIECE):
            piece = rest + unpack.decompress(packed)
            data = np.frombuffer(piece, np.uint8)
            breaks = np.flatnonzero(data == ord("\n"))
            lines = len(breaks) // _LINES * _LINES
            end = int(breaks[lines - 1]) + 1 if lines else 0
            rest = piece[end:]
            keys, lengths = np.empty(end, np.uint64), np.empty(lines, np.int64)
            filled = hash_lines(data[:end], keys, lengths)
            yield keys[:filled], lengths


@compiled
def _join_phrases(keys: Any, lengths: Any, pairs: Any) -> None:
    first = 0
    for line in range(len(lengths)):
        part = line % _LINES - 1
        if part >= 0:
            key = keys[first]
            for word in range(first + 1, first + lengths[line]):
                key = join_keys(key, keys[word])
            pairs[line // _LINES, part] = key
        first += lengths[line]


@compiled
def _insert_runs(phrases: Any, table: Any, runs: Any, next_run: Any) -> None:
    """Put runs into the table, later ones of a phrase behind its earlier ones."""
    mask = np.uint64(len(table) - 1)
    for run in range(len(phrases)):
        position = phrases[run] & mask
        while table[position] != np.uint64(0) and table[position] != phrases[run]:
            position = (position + np.uint64(1)) & mask
        if table[position] == np.uint64(0):
            table[position], runs[position] = phrases[run], run
            continue
        last = runs[position]
        while next_run[last] >= 0:
            last = next_run[last]
        next_run[last] = run


def cached_paraphrases(path: Path) -> Paraphrases:
    """The table of a packed file; read from the file itself where it was not yet, or can't be kept."""
    about = path.stat()
    folder = cache_folder() / "meteor" / f"{_FORMAT}-{about.st_size}-{about.st_mtime_ns}"
    try:
        return _map_cache(folder)
    except (OSError, ValueError, EOFError):
        table = read_paraphrases(path)
    with suppress(OSError):
        _write_cache(table, folder)
    return table


def _map_cache(folder: Path) -> Paraphrases:
    # mode c: nobody can write to the files, and yet the kernels see plain arrays
    return Paraphrases(*(np.asarray(np.load(folder / f"{name}.npy", mmap_mode="c")) for name in Paraphrases._fields))


def _write_cache(table: Paraphrases, folder: Path) -> None:
    """The folder is there whole or not at all; those of other files and formats go."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    try:
        for name, array in table._asdict().items():
            np.save(making / f"{name}.npy", array)
        for other in folder.parent.glob("[!.]*"):
            shutil.rmtree(other, ignore_errors=True)
        making.replace(folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)


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


class TablesMissingError(Exception):
    """METEOR's tables are not there, or not the official ones; the message is shown to the user."""


def find_jar(inside: str = JAR) -> Path | None:
    """A file of the COCO caption code, found without importing it."""
    spec = find_spec("pycocoevalcap")
    candidates = [Path(folder) / inside for folder in spec.submodule_search_locations or ()] if spec else []
    return next((path for path in candidates if path.exists()), None)


def jar_of_meteor() -> Path:
    """Raises `TablesMissingError` where it is not installed, or not the official one."""
    jar = find_jar()
    if jar is None:
        raise TablesMissingError(NO_TABLES)
    state = jar.stat()
    if _hash_file(jar, state.st_size, state.st_mtime_ns) != _SHA256:
        raise TablesMissingError(OTHER_TABLES)
    return jar


@lru_cache(maxsize=8)
def _hash_file(path: Path, _size: int, _changed: int) -> str:
    """SHA-256; computed again for a file of another size or date."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def paraphrases() -> Paraphrases:
    """Read once a process, by whoever is first."""
    with _READING:
        return _paraphrases(jar_of_meteor().parent / _TABLE)


_paraphrases = cache(cached_paraphrases)


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
