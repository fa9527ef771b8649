"""Parsers of labels: exactly one, a set of them as `car;truck`, or yes/no. Importing this module imports Numba.

Labels are compared after Unicode normalization and case folding, by a stable 64-bit hash.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from msgspec import field

from sightline.data.columns import Hashes, Labels, Offsets, ParsedColumn, TextColumn
from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.numbers import is_white, is_word, trim, trim_full_stop
from sightline.scoring.parsers.columns.reasons import (
    EMPTY,
    LONG_LABEL,
    NOT_YES_NO,
    REASONS,
    SEVERAL_LABELS,
    TOO_MANY_LABELS,
    UNKNOWN_LABEL,
)
from sightline.scoring.parsers.columns.texts import TABLE, fold_text, normalize_texts

MAX_BYTES = 1000
"""A longer text is no label."""
_RUNS = re.compile(r"[\s\x00-\x20\x7f_\-‐‑–—]+")
_PARTS = re.compile("[;,\n\r\v\f\x1c-\x1e]")
_LEFT = " \"'`“”‘’「」『』《》"
_RIGHT = _LEFT + ".。"
_MASK = 2**64 - 1
MAX_LABELS = 1000
"""A text with more is no answer, and would only fill the memory."""
_CHINESE = {"是": "yes", "有": "yes", "否": "no", "没有": "no"}
_YES_BYTES, _NO_BYTES = (np.frombuffer(word, np.uint8) for word in (b"yes", b"no"))


def fold_label(text: str) -> str:
    """The label as it is compared: NFKC, case folded, white space, `_` and `-` one space, no quotes or end stop."""
    label = _RUNS.sub(" ", text.translate(TABLE)).lstrip(_LEFT).rstrip(_RIGHT)
    if label.isascii():
        return label.lower()
    if len(label) > MAX_BYTES:  # normalising a hostile run of accents takes quadratic time
        return label
    label = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", label).casefold())
    return _RUNS.sub(" ", label.translate(TABLE)).lstrip(_LEFT).rstrip(_RIGHT)


def fold_labels(text: str) -> str:
    """The labels of a text, each folded, one per line."""
    return "\n".join(map(fold_label, _PARTS.split(text.translate(TABLE))))


@lru_cache(maxsize=65536)
def label_code(text: str) -> int:
    """Stable 64-bit hash of a folded label: FNV-1a of its UTF-8 with the finalizer of MurmurHash3."""
    code = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "replace"):
        code = (code ^ byte) * 0x100000001B3 & _MASK
    code = (code ^ code >> 33) * 0xFF51AFD7ED558CCD & _MASK
    code = (code ^ code >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
    return code ^ code >> 33


@compiled
def _label_code(data: Any, at: int, stop: int) -> Any:
    """See `label_code`."""
    code = np.uint64(0xCBF29CE484222325)
    for k in range(at, stop):
        code = (code ^ np.uint64(data[k])) * np.uint64(0x100000001B3)
    code = (code ^ (code >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    code = (code ^ (code >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return code ^ (code >> np.uint64(33))


@compiled
def _is_label_separator(byte: int) -> bool:
    """Semicolon, comma and line breaks."""
    return byte == 59 or byte == 44 or 10 <= byte <= 13 or 28 <= byte <= 30


@compiled
def _is_trimmed(byte: int) -> bool:
    """Space and quotes."""
    return byte == 32 or byte == 34 or byte == 39 or byte == 96


@compiled
def _fold(data: Any, at: int, stop: int, out: Any, n: int) -> tuple[int, int]:
    """Fold a piece into `out` from n on: where it begins and ends there."""
    begin, space = n, True
    for k in range(at, stop):
        byte = data[k]
        if is_white(byte) or byte == 95 or byte == 45:
            if not space:
                out[n] = 32
                n += 1
            space = True
            continue
        out[n] = byte + 32 if 65 <= byte <= 90 else byte
        n += 1
        space = False
    while begin < n and _is_trimmed(out[begin]):
        begin += 1
    while n > begin and (_is_trimmed(out[n - 1]) or out[n - 1] == 46):
        n -= 1
    return begin, n


@compiled
def _read_label_list(span: tuple[Any, int, int], out: Any, found: int, n: int) -> tuple[int, int, int]:
    """The labels of one text: (error, how many are found so far, n)."""
    data, at, stop = span
    spelt, starts, stops, codes = out
    first, first_n = found, n
    while at <= stop:
        end = at
        while end < stop and not _is_label_separator(data[end]):
            end += 1
        begin, close = _fold(data, at, end, spelt, n)
        at = end + 1
        if close == begin:
            continue
        if close - begin > MAX_BYTES:
            return LONG_LABEL, first, first_n
        if found - first == MAX_LABELS:
            return TOO_MANY_LABELS, first, first_n
        starts[found], stops[found], codes[found] = begin, close, _label_code(spelt, begin, close)
        found, n = found + 1, close
    return (EMPTY if found == first else 0), found, n


@compiled
def read_labels(texts: Any, out: Any) -> tuple[Any, Any]:
    """Read the labels of all texts into `out` = (folded bytes, starts, stops, codes): offsets and errors."""
    data, starts, stops = texts
    offsets, errors = np.zeros(len(starts) + 1, np.int64), np.zeros(len(starts), np.uint8)
    found, n = 0, 0
    for row in range(len(starts)):
        errors[row], found, n = _read_label_list((data, starts[row], stops[row]), out, found, n)
        offsets[row + 1] = found
    return offsets, errors


@compiled
def sort_unique(offsets: Any, codes: Any) -> tuple[Any, Any]:
    """The codes of each row sorted and each once, with new offsets."""
    fresh, out, n = np.zeros(len(offsets), np.int64), np.empty_like(codes), 0
    for row in range(len(offsets) - 1):
        first = n
        for k in range(offsets[row], offsets[row + 1]):
            code, position = codes[k], n
            while position > first and out[position - 1] > code:
                position -= 1
            if position > first and out[position - 1] == code:
                continue
            for j in range(n, position, -1):
                out[j] = out[j - 1]
            out[position] = code
            n += 1
        fresh[row + 1] = n
    return fresh, out[:n].copy()


class LabelParser(ColumnParser, frozen=True, kw_only=True, dict=True):
    """Labels between `;` `,` `、` or line breaks (full-width ones too), compared as `fold_label` spells them."""

    kind: ClassVar[str] = "labels"
    single: bool = False
    """Exactly one label must be there; the same one twice is one."""
    mapping: dict[str, str] = field(default_factory=dict)
    """Labels to be taken for others, such as `car` for `vehicle`; empty: none."""
    allowed: frozenset[str] = frozenset()
    """The only labels there are, after `mapping`; empty: any. A text without any of them is refused, and one label that
    is not among them is; in a set it counts as given, beside the others."""

    @cached_property
    def _unified(self) -> dict[str, str]:
        return {fold_label(label): fold_label(unified) for label, unified in self.mapping.items()}

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(map(fold_label, self.allowed))

    def read(self, texts: TextColumn) -> ParsedColumn:
        """See `ColumnParser`."""
        texts = normalize_texts(texts, fold_labels)
        size = int(texts.lengths().sum())
        most = size // 2 + len(texts) + 1
        out = (np.empty(size, np.uint8), np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.uint64))
        offsets, errors = read_labels((texts.data, texts.starts, texts.stops), out)
        n = int(offsets[-1])
        unique_codes, first, which = np.unique(out[3][:n], return_index=True, return_inverse=True)
        spans = zip(out[1][first].tolist(), out[2][first].tolist(), strict=True)
        names = [out[0][start:stop].tobytes().decode("utf-8", "replace") for start, stop in spans]
        codes = out[3][:n]
        if self.mapping:
            names = [self._unified.get(name, name) for name in names]
            unique_codes = np.array([label_code(name) for name in names], np.uint64)
            codes = unique_codes[which]
        if self.allowed:
            is_known = np.array([name in self._known for name in names], np.bool_)[which]
            known = np.bincount(np.repeat(np.arange(len(texts)), np.diff(offsets))[is_known], minlength=len(texts))
            # of a set, labels that nobody knows leave the others as they are
            unknown = known == 0 if not self.single else known < np.diff(offsets)
            errors[unknown & (np.diff(offsets) > 0)] = UNKNOWN_LABEL
        return self._read(*sort_unique(offsets, codes), errors, dict(zip(unique_codes.tolist(), names, strict=True)))

    def _read(self, offsets: Offsets, codes: Hashes, errors: Any, names: dict[int, str]) -> ParsedColumn:
        sizes = np.diff(offsets)
        if self.single:
            errors[(sizes > 1) & (errors == 0)] = SEVERAL_LABELS
        if (errors != 0).any():
            kept_sizes = np.where(errors == 0, sizes, 0)
            codes = codes[np.repeat(errors == 0, sizes)]
            offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(kept_sizes)))
        return ParsedColumn(Labels(offsets, codes, names), errors, REASONS)

    def value(self, values: Any) -> Any:
        """The label, or all of them in the order of the alphabet."""
        names = sorted(values.names[code] for code in values.codes.tolist())
        return names[0] if self.single else names


LABEL = LabelParser(single=True)
LABELS = LabelParser()


_YES, _NO = label_code("yes"), label_code("no")


@compiled
def read_yes_no(data: Any, starts: Any, stops: Any) -> tuple[Any, Any]:
    """Whether each text says yes, and the errors."""
    yes, errors = np.zeros(len(starts), np.bool_), np.zeros(len(starts), np.uint8)
    for row in range(len(starts)):
        at, stop = trim(data, starts[row], stops[row])
        if at == stop:
            errors[row] = EMPTY
            continue
        stop = trim_full_stop(data, at, stop)
        yes[row] = is_word(data, at, stop, _YES_BYTES)
        if not yes[row] and not is_word(data, at, stop, _NO_BYTES):
            errors[row] = NOT_YES_NO
    return yes, errors


def fold_yes_no(text: str) -> str:
    """Fold to ASCII, and translate the Chinese words for yes and no."""
    folded = fold_text(text).strip()
    return _CHINESE.get(folded.removesuffix(".").rstrip(), folded)


class YesNoParser(ColumnParser, frozen=True, kw_only=True):
    """`yes` or `no` in any case, `是` `有` or `否` `没有`, with one full stop after it; nothing else."""

    kind: ClassVar[str] = "labels"

    def read(self, texts: TextColumn) -> ParsedColumn:
        """See `ColumnParser`."""
        texts = normalize_texts(texts, fold_yes_no)
        yes, errors = read_yes_no(texts.data, texts.starts, texts.stops)
        known = errors == 0
        codes = np.where(yes, np.uint64(_YES), np.uint64(_NO))[known]
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(known)))
        return ParsedColumn(Labels(offsets, codes, {_YES: "yes", _NO: "no"}), errors, REASONS)

    def value(self, values: Any) -> Any:
        """`yes` or `no`."""
        return values.names[int(values.codes[0])]


YES_NO = YesNoParser()
