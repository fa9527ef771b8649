"""Penn Treebank tokenizer as the COCO caption code runs it: lower case, punctuation removed. Simple texts need no Java.

Simple is a text of nothing but ASCII letters, spaces, line breaks, commas and full stops, each mark after a word and
before a space or the end. Its tokens are its words in lower case, but for the few words below: they were enumerated
from the tokenizer's own automaton, and a test enumerates them again.

The Java program takes one caption per line, and looks across the end of a line. So a caption is always followed by the
same marker: no reply can change how another is read, and each marker that comes back proves that no line has slipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.data.columns import TextColumn, take_ragged
from sightline.scoring.geometry.arrays import offsets_of
from sightline.scoring.metrics.captions import kernels
from sightline.scoring.metrics.captions.java import (
    START_TIMEOUT,
    JavaPool,
    JavaProgram,
    JavaWorker,
    Unavailable,
    one_line,
)

PROGRAM = JavaProgram(
    name="the tokenizer",
    jar="tokenizer/stanford-corenlp-3.4.1.jar",
    arguments=("edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase"),
    heap="256m",
)
_REMOVED = frozenset(("''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", *".?!,:;-", "--", "..."))
"""As the official code has them: brackets come back in lower case, and so they stay."""

_MARK = "sightline"
_PUSH = ["p" * 400] * 96
"""The program holds its answers back until its buffers are full: these lines fill them after each batch."""
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


class PtbTokenizer(JavaWorker):
    """The tokens of each text, joined by spaces."""

    batch = 4096

    def __init__(self, program: JavaProgram = PROGRAM) -> None:
        super().__init__(program)
        self._owed = 0

    def _answers(self, requests: Sequence[str]) -> list[str]:
        return [_remove_punctuation(line) for line in self._exchange([one_line(text) for text in requests])]

    def _start(self) -> None:
        self._owed = 0
        self._lines.start()
        if self._exchange(["A test."], START_TIMEOUT) != ["a test ."]:
            raise self._lines.lost("gave lines that don't fit")

    def _exchange(self, texts: list[str], timeout: float = 0.0) -> list[str]:
        sent = [line for text in texts for line in (text, _MARK)]
        owed, self._owed = self._owed, len(_PUSH)
        came = self._lines.exchange([*sent, *_PUSH], owed + len(sent), timeout)
        found = came[owed:]
        if any(line != _MARK for line in found[1::2]) or any(line != _PUSH[0] for line in came[:owed]):
            raise self._lines.lost("gave lines that don't fit")
        return found[::2]


def _remove_punctuation(line: str) -> str:
    return " ".join(word for word in line.rstrip().split(" ") if word not in _REMOVED)


TOKENIZERS = JavaPool(PtbTokenizer, size=2, worthwhile=4000)
"""The tokenizers of this process, for all of its threads."""


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


class JavaMissing(Struct, frozen=True):
    """Why captions could not be read, and how many of them need Java."""

    why: str
    texts: int


@cache
def _word_tables() -> Keys:
    """The listed words as tables: split ones, and those that keep a full stop."""
    keys = [word_keys(text.split()) for text in (SPLIT, ABBREVIATIONS)]
    return np.stack([kernels.build_hash_table(some, _PLACES) for some in keys])


def word_keys(words: list[str]) -> Keys:
    """The keys of words as they stand."""
    return hash_line_words([" ".join(words)])[0] if words else np.empty(0, np.uint64)


def hash_line_words(lines: list[str]) -> tuple[Keys, Ints]:
    """The keys of all words between single spaces, and how many each line has: one at least, an empty word."""
    data = np.frombuffer("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"), np.uint8)
    keys = np.empty(len(data), np.uint64)
    lengths = np.empty(len(lines), np.int64)
    filled = kernels.hash_lines(data, keys, lengths)
    return keys[:filled].copy(), lengths


def tokenize(texts: TextColumn, with_lines: bool = False) -> Tokens | JavaMissing:
    """The words of every text."""
    plain, lengths = read_simple(texts)
    theirs = np.flatnonzero(lengths < 0)
    lines = TOKENIZERS.ask(list(texts.take(theirs)))
    if isinstance(lines, Unavailable):
        return JavaMissing(lines.why, len(theirs))
    words = interleave_words(plain, lines, lengths) if lines else plain
    if not with_lines:
        return Tokens(words)
    mine = np.flatnonzero(lengths >= 0)
    return Tokens(words, _restore_order(mine, _format_simple_lines(texts.take(mine)), theirs, lines))


def count_needing_java(texts: TextColumn) -> int:
    """How many of the texts are not plain."""
    return int((read_simple(texts)[1] < 0).sum())


def read_simple(texts: TextColumn) -> tuple[Words, Ints]:
    """The words of the plain texts alone, and how many each of all texts has; −1 where it is not plain."""
    data, starts, stops = _arrays(texts)
    keys = np.empty(int((stops - starts).sum()) // 2 + len(starts) + 1, np.uint64)
    lengths = np.empty(len(starts), np.int64)
    filled = kernels.read_simple(data, starts, stops, _word_tables(), keys, lengths)
    return Words(offsets_of(lengths[lengths >= 0]), keys[:filled].copy()), lengths


def interleave_words(plain: Words, lines: list[str], lengths: Ints) -> Words:
    """The words of plain captions and of those that Java has read (of length −1), in the captions' own order."""
    theirs = np.flatnonzero(lengths < 0)
    parted = [line.split() for line in lines]
    keys, sizes = hash_line_words([" ".join(words) for words in parted])
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


def _format_simple_lines(texts: TextColumn) -> list[str]:
    data, starts, stops = _arrays(texts)
    out = np.empty(int((stops - starts).sum()) + len(starts), np.uint8)
    size = kernels.write_simple(data, starts, stops, out)
    return out[:size].tobytes().decode("ascii").split("\n")[:-1]


def _restore_order(mine: Ints, written: list[str], theirs: Ints, lines: list[str]) -> list[str]:
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
