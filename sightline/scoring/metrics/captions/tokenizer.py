"""Penn Treebank tokenizer as the COCO caption code runs it: lower case, punctuation removed.

The official program takes one caption per line, and looks across the end of a line: "no." is an abbreviation before a
number, even if that is the next caption. Here a letter follows each caption, so that none changes how another is read.
All line breaks within a caption are spaces, as the official code has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from sightline.data.columns import References, TextColumn, take_ragged
from sightline.scoring.geometry.arrays import offsets_of
from sightline.scoring.metrics.captions import kernels, lexer_kernels
from sightline.scoring.metrics.captions.automaton import Tables
from sightline.scoring.metrics.captions.ptb_characters import SOFT_HYPHEN
from sightline.scoring.metrics.captions.ptb_rules import Form

TABLE = Path(__file__).with_name("ptb_automaton.npz")
REMOVED = frozenset(("''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", *".?!,:;-", "--", "..."))
"""As the official code has them: brackets come in lower case, and so they stay."""
Keys = NDArray[np.uint64]
Ints = NDArray[np.int64]

_LINE_BREAKS = str.maketrans(dict.fromkeys("\n\r\v\f\x85\u2028\u2029", " "))
_NO_BREAK = str.maketrans({" ": "\u00a0"})
_PARENTHESES = str.maketrans({"(": "-lrb-", ")": "-rrb-"})
_BRACKETS = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}
_FRACTIONS = {"¼": "1/4", "½": "1/2", "¾": "3/4", "⅓": "1/3", "⅔": "2/3"}
_CURRENCIES = {"\u0080": "$", "¤": "$", "₠": "$", "€": "$", "¢": "cents", "£": "#"}
_QUOTES = str.maketrans(
    {
        '"': "''",
        **dict.fromkeys("\u0091\u2018\u201b\u2039", "`"),
        **dict.fromkeys("\u0092\u2019\u203a", "'"),
        **dict.fromkeys("\u0093\u201c\u00ab", "``"),
        **dict.fromkeys("\u0094\u201d\u00bb", "''"),
    }
)

_WORD = re.compile(r"[^\W²³¹¼-¾\u2e80-\u9fff]+(?:(?<=[^\W\d_])[-'.](?=[^\W\d_])[^\W²³¹¼-¾\u2e80-\u9fff]+)*")
"""A word in Java's sense, near enough for sigmas: letters and digits, joined by signs that stand between letters."""


class Words(Struct, frozen=True):
    """The words of captions as 64-bit keys: those of caption i are `keys[offsets[i]:offsets[i + 1]]`."""

    offsets: Ints
    keys: Keys
    spaced: dict[int, Keys] = {}
    """Captions whose words between single spaces are others than those between white space: ROUGE-L takes these."""
    groups: Ints | None = None
    """Where samples have several captions: those of sample i are the captions from `groups[i]` to `groups[i + 1]`."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def samples(self) -> Ints:
        """The offsets of samples among the captions."""
        return np.arange(len(self) + 1) if self.groups is None else self.groups


class Tokens(Struct, frozen=True):
    """Words, and where they were asked for, the captions as lines of tokens."""

    words: Words
    lines: list[str] | None = None


@cache
def _tables() -> Tables:
    with np.load(TABLE, allow_pickle=False) as stored:
        return Tables(stored["classes"], stored["moves"], stored["actions"])


@cache
def _special_units() -> NDArray[np.bool_]:
    """Units with which a token isn't just copied: other cases, white space, soft hyphens, halves of pairs."""
    special = np.zeros(1 << 16, np.bool_)
    special[
        [unit for unit in range(1 << 16) if chr(unit).isspace() or (unit > 127 and chr(unit).lower() != chr(unit))]
    ] = 1
    special[ord(" ")] = False
    special[SOFT_HYPHEN] = special[0xD800:0xE000] = True
    return special


def word_keys(words: list[str]) -> Keys:
    """The keys of words as they stand."""
    return hash_line_words([" ".join(words)])[0] if words else np.empty(0, np.uint64)


def hash_line_words(lines: list[str]) -> tuple[Keys, Ints]:
    """The keys of all words between single spaces, and how many each line has: one at least, an empty word."""
    return _hash_lines("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"), len(lines))


def _hash_lines(data: bytes | NDArray[np.uint8], lines: int) -> tuple[Keys, Ints]:
    keys = np.empty(len(data), np.uint64)
    lengths = np.empty(lines, np.int64)
    filled = kernels.hash_lines(np.frombuffer(data, np.uint8), keys, lengths)
    return keys[:filled].copy(), lengths


def tokenize(texts: TextColumn, with_lines: bool = False) -> Tokens:
    """The words of every text; of references, those of all that a sample has."""
    if isinstance(texts, References):
        tokens = tokenize(texts.references, with_lines)
        return replace(tokens, words=replace(tokens.words, groups=texts.offsets))
    written, counts = _write_lines(texts)
    plain = np.flatnonzero(counts >= 0)
    keys, lengths = _hash_lines(written, len(plain))
    words = Words(offsets_of(counts[plain]), keys[np.repeat(counts[plain] > 0, lengths)])
    odd = np.flatnonzero(counts < 0)
    lines = [tokenize_text(text) for text in texts.take(odd)]
    if lines:
        words = _interleave_words(words, lines, counts)
    if not with_lines:
        return Tokens(words)
    whole = np.empty(len(texts), object)
    whole[plain] = written.tobytes().decode().split("\n")[:-1]
    whole[odd] = lines
    return Tokens(words, whole.tolist())


def tokenize_text(text: str) -> str:
    """The tokens of one text, joined by spaces; what they are in the end is written here, one by one."""
    encoded = text.translate(_LINE_BREAKS).encode("utf-16-le", "replace")
    units = np.frombuffer(encoded + bytes(2 * lexer_kernels.AHEAD), "<u2").astype(np.uint16)
    size = len(units) - lexer_kernels.AHEAD
    text = encoded.decode("utf-16-le")
    _, _, *scratch = _scratch(size)
    count = lexer_kernels.find_tokens(units, size, tuple(_tables()), *scratch)
    spans = scratch[-1][:count].tolist()
    if len(text) == size:
        found = [(text[start:stop], form) for start, stop, form in spans]
    else:
        found = [(encoded[2 * start : 2 * stop].decode("utf-16-le", "replace"), form) for start, stop, form in spans]
    written = {token: _format_token(*token) for token in set(found)}
    # A token may have spaces of its own, and lose those at the end of the line: so it is in the official code.
    line = " ".join([written[token] for token in found]).rstrip()
    return " ".join([token for token in line.split(" ") if token not in REMOVED])


def _format_token(text: str, form: int) -> str:
    """One token as it is printed."""
    if form == Form.WORD:
        text = text.replace(chr(SOFT_HYPHEN), "") or "-"
    elif form in (Form.UNBROKEN, Form.PHONE):
        text = text.translate(_NO_BREAK)
    elif form == Form.AMPERSAND:
        text = text.lower().replace("&amp;", "&")
    elif form == Form.QUOTE:
        text = text.replace("&apos;", "'").replace("&quot;", '"').translate(_QUOTES)
    elif form == Form.PUNCTUATION or (form == Form.HYPHENS and len(text) <= 4):
        return "--"
    elif form == Form.ANGLE:
        text = text.lower().replace("&lt;", "<").replace("&gt;", ">")
    elif form == Form.BRACKET:
        text = _BRACKETS[text]
    elif form == Form.FRACTION:
        text = _FRACTIONS.get(text, text)
    elif form == Form.CURRENCY:
        text = _CURRENCIES.get(text, text)
    return _lower(text.translate(_PARENTHESES) if form in (Form.PHONE, Form.SMILEY) else text)


def _lower(token: str) -> str:
    """Lower case as in Java: a sigma is final if letters with cases stand before but not behind it in its word."""
    return (_WORD.sub(lambda found: _lower_sigmas(found[0]), token) if "Σ" in token else token).lower()


def _lower_sigmas(word: str) -> str:
    signs = list(word)
    for place, sign in enumerate(word):
        if sign == "Σ":
            before, behind = word[:place], word[place + 1 :]
            signs[place] = "ς" if before.lower() != before.upper() and behind.lower() == behind.upper() else "σ"
    return "".join(signs)


def _scratch(longest: int) -> tuple[NDArray[Any], ...]:
    """Room for a text of so many units: units, their bytes, rows of failures, a trail of states, tokens."""
    size = longest + lexer_kernels.AHEAD + 2
    rows = (size >> 6) + 2
    return (
        np.empty(size, np.uint16),
        np.empty(size, np.int64),
        np.empty((rows, 16), np.int16),
        np.empty(rows, np.int16),
        np.empty((size, 3), np.int64),
    )


def _write_lines(texts: TextColumn) -> tuple[NDArray[np.uint8], Ints]:
    """Lines of tokens of all texts but odd ones, and how many tokens each text has; negative for an odd text."""
    data, starts, stops = _arrays(texts)
    lengths = stops - starts
    # A bracket becomes five letters and a space, any other byte at most itself and a space.
    brackets = kernels.count_signs(data, starts, stops, np.frombuffer(b"()[]{}", np.uint8))
    out = np.empty(2 * int(lengths.sum()) + 6 * brackets + len(texts) + 8, np.uint8)
    counts = np.empty(len(starts), np.int64)
    scratch = _scratch(int(lengths.max(initial=0)))
    filled = lexer_kernels.write_lines(data, starts, stops, tuple(_tables()), _special_units(), scratch, out, counts)
    return out[:filled], counts


def _interleave_words(plain: Words, lines: Sequence[str], lengths: Ints) -> Words:
    """The words of plain captions and of given lines (of negative length), in the captions' own order."""
    odd = np.flatnonzero(lengths < 0)
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
        for row, line, words in zip(odd, lines, parted, strict=True)
        if line and line != " ".join(words)
    }
    return Words(offsets, np.concatenate((plain.keys, keys))[inner], apart)


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
