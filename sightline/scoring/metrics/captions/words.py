"""Captions to words as the Penn Treebank tokenizer reads them: plain ones here, all others by Java.

Plain is a text of nothing but ASCII letters, spaces, line breaks, commas and full stops, each mark after a word and
before a space or the end. Its tokens are its words in lower case, but for the few words below: they were enumerated
from the tokenizer's own automaton, and a test enumerates them again.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.data.columns import TextColumn, take_ragged
from sightline.scoring.metrics.captions import word_kernels as kernels
from sightline.scoring.metrics.captions.java import Unavailable
from sightline.scoring.metrics.captions.ptb import TOKENIZERS

Keys = NDArray[np.uint64]
Ints = NDArray[np.int64]

SPLIT = "cannot gimme gonna gotta lemme wanna"
"""Words that the tokenizer makes two of."""

ABBREVIATIONS = """
al az cf co ct dr ft ga jr ky la lt md mo mr ms mt pa ph rd rt sq sr st va vs vt wm adj adm adv ala apr ark aug ave bhd
cie col cos cpl dak dec del det drs ens esq est etc ext feb fla fri gen gov hon ill inc ind jan jos jul jun kan ltd maj
mar mfg mme mon mrs mtg neb nev nov oct ore pfc plc pte pty pvt rep rev sen sep seq sfc sgt spc ste sys tel tex thu tue
wed wis wyo alex ariz assn asst atty bldg blvd brig bros capt cmdr colo conn corp dept elec govs insp intl invt kans
mass mich minn miss mlle mont msgr natl okla penn ppte ppty pres prof ptes ptys reps sens sept supt tenn tues univ wash
wisc assoc attys calif comdr lieut pptes pptys profs supts thurs treas messrs bancorp
"""
"""Words that keep a full stop which follows at once; so does every single letter."""

_PLACES = 1024


class Words(Struct, frozen=True):
    """The words of captions as 64-bit keys: those of caption i are `keys[offsets[i]:offsets[i + 1]]`."""

    offsets: Ints
    keys: Keys
    spaced: dict[int, Keys] = {}
    """Captions whose words between single spaces are others than those between white space: ROUGE-L takes these."""
    by_java: int = 0
    """How many of the captions Java has read."""

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Tokens(Struct, frozen=True):
    """Words, and where they were asked for, the captions as lines of tokens."""

    words: Words
    lines: list[str] | None = None


class NeedsJava(Struct, frozen=True):
    """Why captions could not be read, and how many of them need Java."""

    why: str
    texts: int


@cache
def _lists() -> Keys:
    """The listed words as tables: split ones, and those that keep a full stop."""
    keys = [word_keys(text.split()) for text in (SPLIT, ABBREVIATIONS)]
    return np.stack([kernels.filled_table(some, _PLACES) for some in keys])


def word_keys(words: list[str]) -> Keys:
    """The keys of words as they stand."""
    return hashed_lines([" ".join(words)])[0] if words else np.empty(0, np.uint64)


def hashed_lines(lines: list[str]) -> tuple[Keys, Ints]:
    """The keys of all words between single spaces, and how many each line has: one at least, an empty word."""
    data = np.frombuffer("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"), np.uint8)
    keys = np.empty(len(data), np.uint64)
    lengths = np.empty(len(lines), np.int64)
    filled = kernels.hash_lines(data, keys, lengths)
    return keys[:filled].copy(), lengths


def tokenise(texts: TextColumn, with_lines: bool = False) -> Tokens | NeedsJava:
    """The words of every text."""
    plain, lengths = read_plain(texts)
    theirs = np.flatnonzero(lengths < 0)
    lines = TOKENIZERS.ask(list(texts.take(theirs)))
    if isinstance(lines, Unavailable):
        return NeedsJava(lines.why, len(theirs))
    words = woven(plain, lines, lengths) if lines else plain
    if not with_lines:
        return Tokens(words)
    mine = np.flatnonzero(lengths >= 0)
    return Tokens(words, _put_back(mine, _plain_lines(texts.take(mine)), theirs, lines))


def count_needing_java(texts: TextColumn) -> int:
    """How many of the texts are not plain."""
    return int((read_plain(texts)[1] < 0).sum())


def read_plain(texts: TextColumn) -> tuple[Words, Ints]:
    """The words of the plain texts alone, and how many each of all texts has; −1 where it is not plain."""
    data, starts, stops = _arrays(texts)
    keys = np.empty(int((stops - starts).sum()) // 2 + len(starts) + 1, np.uint64)
    lengths = np.empty(len(starts), np.int64)
    filled = kernels.read_plain(data, starts, stops, _lists(), keys, lengths)
    return Words(_offsets(lengths[lengths >= 0]), keys[:filled].copy()), lengths


def woven(plain: Words, lines: list[str], lengths: Ints) -> Words:
    """The words of plain captions and of those that Java has read (of length −1), in the captions' own order."""
    theirs = np.flatnonzero(lengths < 0)
    parted = [line.split() for line in lines]
    keys, sizes = hashed_lines([" ".join(words) for words in parted])
    # A line without words would have an empty one: BLEU and CIDEr know no such word.
    some = np.array([bool(words) for words in parted])
    keys = keys[np.repeat(some, sizes)]
    fast = np.cumsum(lengths >= 0) - 1
    slow = np.cumsum(lengths < 0) - 1 + len(plain)
    order = np.where(lengths >= 0, fast, slow)
    whole = np.concatenate((plain.offsets, plain.offsets[-1] + np.cumsum(sizes * some)))
    offsets, inner = take_ragged(whole, order)
    apart = {
        int(row): word_keys(line.split(" "))
        for row, line, words in zip(theirs, lines, parted, strict=True)
        if line and line != " ".join(words)
    }
    return Words(offsets, np.concatenate((plain.keys, keys))[inner], apart, len(theirs))


def _plain_lines(texts: TextColumn) -> list[str]:
    data, starts, stops = _arrays(texts)
    out = np.empty(int((stops - starts).sum()) + len(starts), np.uint8)
    size = kernels.write_plain(data, starts, stops, out)
    return out[:size].tobytes().decode("ascii").split("\n")[:-1]


def _put_back(mine: Ints, written: list[str], theirs: Ints, lines: list[str]) -> list[str]:
    whole = [""] * (len(mine) + len(theirs))
    for rows, texts in ((mine, written), (theirs, lines)):
        for row, text in zip(rows.tolist(), texts, strict=True):
            whole[row] = text
    return whole


def word_counts(texts: TextColumn) -> Ints:
    """The number of words between white space, of the texts as they are."""
    counts = np.empty(len(texts), np.int64)
    kernels.count_words(*_arrays(texts), counts)
    for row in np.flatnonzero(counts < 0):
        counts[row] = len(texts[int(row)].split())
    return counts


def _arrays(texts: TextColumn) -> tuple[NDArray[np.uint8], Ints, Ints]:
    """The column as arrays of always the same kind, so that kernels are compiled once."""
    data = np.ascontiguousarray(texts.data).view()
    data.flags.writeable = False
    return data, np.ascontiguousarray(texts.starts, np.int64), np.ascontiguousarray(texts.stops, np.int64)


def _offsets(lengths: Ints) -> Ints:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
