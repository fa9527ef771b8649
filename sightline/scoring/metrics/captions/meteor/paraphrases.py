"""METEOR's table of paraphrases: five million pairs, read in seconds, and kept as keys instead of words."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sightline.scoring.metrics.captions.score_kernels import joined
from sightline.scoring.metrics.captions.word_kernels import hash_lines

_PIECE = 1 << 20
_GZIP = 31
_LINES = 3
"""An entry: how probable it is (which METEOR does not use), a phrase, and its paraphrase."""


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
    for keys, lengths in _hashed(path):
        pairs = np.empty((len(lengths) // _LINES, 2), np.uint64)
        _join_phrases(keys, lengths, pairs)
        phrases.append(pairs[:, 0].copy())
        targets.append(pairs[:, 1].copy())
    phrase = np.concatenate(phrases) if phrases else np.empty(0, np.uint64)
    starts = np.flatnonzero(np.append(True, phrase[1:] != phrase[:-1])) if len(phrase) else np.empty(0, np.int64)
    size = 1 << max(4, int(2 * len(starts)).bit_length())
    table, runs, next_run = np.zeros(size, np.uint64), np.full(size, -1, np.int32), np.full(len(starts), -1, np.int32)
    _seat_runs(phrase[starts], table, runs, next_run)
    offsets = np.append(starts, len(phrase))
    return Paraphrases(table, runs, offsets, next_run, np.concatenate([*targets, np.empty(0, np.uint64)]))


def _hashed(path: Path) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
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


@njit(cache=True, nogil=True)
def _join_phrases(keys: Any, lengths: Any, pairs: Any) -> None:
    first = 0
    for line in range(len(lengths)):
        part = line % _LINES - 1
        if part >= 0:
            key = keys[first]
            for word in range(first + 1, first + lengths[line]):
                key = joined(key, keys[word])
            pairs[line // _LINES, part] = key
        first += lengths[line]


@njit(cache=True, nogil=True)
def _seat_runs(phrases: Any, table: Any, runs: Any, next_run: Any) -> None:
    """Put runs into the table, later ones of a phrase behind its earlier ones."""
    mask = np.uint64(len(table) - 1)
    for run in range(len(phrases)):
        place = phrases[run] & mask
        while table[place] != np.uint64(0) and table[place] != phrases[run]:
            place = (place + np.uint64(1)) & mask
        if table[place] == np.uint64(0):
            table[place], runs[place] = phrases[run], run
            continue
        last = runs[place]
        while next_run[last] >= 0:
            last = next_run[last]
        next_run[last] = run
