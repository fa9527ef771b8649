"""Parser of free text, and the text normalization before all other column parsers.

Normalization removes thinking and folds full-width and invisible characters to ASCII. Almost all texts are ASCII
already and remain in place; only the others are processed in Python. Importing this module imports Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from sightline.data.columns import ParsedColumn, TextColumn
from sightline.scoring.compiled_kernels import compiled
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.reasons import EMPTY, REASONS
from sightline.scoring.parsers.thinking import without_thinking

FOREIGN, THINKING, VISIBLE = 1, 2, 4
"""Has a byte beyond ASCII; may have a thinking tag; has a visible ASCII sign."""
INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060\u00ad\u200e\u200f\u180e"
"""Byte-order mark, zero-width characters, soft hyphen and directional marks, which are removed."""
SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
BREAKS = "\x85\u2028\u2029"
TABLE: dict[int, str | None] = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **dict.fromkeys(map(ord, INVISIBLE)),
    **dict.fromkeys(map(ord, SPACES), " "),
    **dict.fromkeys(map(ord, BREAKS), "\n"),
    ord("−"): "-",
    ord("、"): ",",
    ord("。"): ".",
    ord("｡"): ".",
}
WHITE = "".join(map(chr, range(33))) + "\x7f"
"""White space of the kernels."""
MAX_CACHED_LENGTH = 64
"""Maximum length of texts whose folding is cached, since short texts recur."""
Fold = Callable[[str], str]


@compiled
def classify_texts(data: Any, starts: Any, stops: Any) -> Any:
    """Bit flags of each text: `FOREIGN`, `THINKING`, `VISIBLE`."""
    flags = np.zeros(len(starts), np.uint8)
    for row in range(len(starts)):
        text_flags, stop = 0, stops[row]
        for at in range(starts[row], stop):
            byte = data[at]
            if byte == 60 and at + 4 < stop:
                letter = at + 2 if data[at + 1] == 47 else at + 1
                first, second = data[letter] | 32, data[letter + 1] | 32
                # th(ink, thought), rea(soning), but not <ref>
                if (first == 116 and second == 104) or (first == 114 and second == 101 and data[letter + 2] | 32 == 97):
                    text_flags |= THINKING
            if byte >= 128:
                text_flags |= FOREIGN
            elif 32 < byte < 127:
                text_flags |= VISIBLE
        flags[row] = text_flags
    return flags


@compiled
def copy_texts(data: Any, starts: Any, stops: Any, into: Any, at: Any) -> None:
    """Copy each text to offset `at` of `into`; texts with a negative offset are skipped."""
    for row in range(len(starts)):
        if at[row] >= 0:
            size = stops[row] - starts[row]
            into[at[row] : at[row] + size] = data[starts[row] : stops[row]]


def fold_text(text: str) -> str:
    """Fold full-width characters to ASCII and Unicode spaces to spaces; remove invisible characters."""
    return text.translate(TABLE)


@lru_cache(maxsize=8192)
def _fold_cached(text: str, fold: Fold) -> bytes:
    return fold(text).encode("utf-8", "replace")


def as_contiguous(texts: TextColumn) -> TextColumn:
    """The texts as contiguous read-only arrays of fixed types, so that each kernel is compiled once."""
    data = np.ascontiguousarray(texts.data, np.uint8).view()
    data.flags.writeable = False
    return TextColumn(data, np.ascontiguousarray(texts.starts, np.int64), np.ascontiguousarray(texts.stops, np.int64))


def normalize_texts(texts: TextColumn, fold: Fold = fold_text) -> TextColumn:
    """The texts with non-ASCII characters folded and thinking removed."""
    texts = as_contiguous(texts)
    text_flags = classify_texts(texts.data, texts.starts, texts.stops)
    rows_to_fold = np.flatnonzero(text_flags & (FOREIGN | THINKING))
    if not len(rows_to_fold):
        return texts
    normalized, data = [], texts.data.data
    columns = (column[rows_to_fold].tolist() for column in (texts.starts, texts.stops, text_flags))
    for start, stop, flags in zip(*columns, strict=True):
        text = str(data[start:stop], "utf-8", "replace")
        if flags & THINKING:
            text = without_thinking(text)
        normalized.append(
            _fold_cached(text, fold) if len(text) <= MAX_CACHED_LENGTH else fold(text).encode("utf-8", "replace")
        )
    return replace_rows(texts, rows_to_fold, normalized)


def replace_rows(
    texts: TextColumn, rows: np.ndarray[tuple[int], np.dtype[np.int64]], replacements: list[bytes]
) -> TextColumn:
    """The texts with those at `rows` replaced, in a new buffer."""
    sizes = texts.lengths()
    sizes[rows] = [len(text) for text in replacements]
    stops = np.cumsum(sizes)
    starts = stops - sizes
    data = np.empty(int(stops[-1]), np.uint8)
    targets = starts.copy()
    targets[rows] = -1
    copy_texts(texts.data, texts.starts, texts.stops, data, targets)
    ends = np.cumsum(sizes[rows])
    copy_texts(np.frombuffer(b"".join(replacements), np.uint8), ends - sizes[rows], ends, data, starts[rows])
    return as_contiguous(TextColumn(data, starts, stops))


def strip_thinking_column(texts: TextColumn) -> tuple[TextColumn, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """The texts without thinking, otherwise unchanged, and a mask of those without visible characters."""
    texts = as_contiguous(texts)
    text_flags = classify_texts(texts.data, texts.starts, texts.stops)
    rows_to_fold = np.flatnonzero(text_flags & THINKING)
    if len(rows_to_fold):
        stripped = [without_thinking(texts[row]).encode("utf-8", "replace") for row in rows_to_fold.tolist()]
        texts = replace_rows(texts, rows_to_fold, stripped)
        text_flags = classify_texts(texts.data, texts.starts, texts.stops)
    blank = text_flags & (FOREIGN | VISIBLE) == 0
    for row in np.flatnonzero(text_flags & (FOREIGN | VISIBLE) == FOREIGN).tolist():
        blank[row] = not fold_text(texts[row]).strip(WHITE)
    return texts, blank


class TextParser(ColumnParser, frozen=True, kw_only=True):
    """The text as it stands, without thinking; line breaks are folded where it is scored."""

    kind: ClassVar[str] = "texts"

    def read(self, texts: TextColumn) -> ParsedColumn:
        """See `ColumnParser`."""
        texts, blank = strip_thinking_column(texts)
        stops = np.where(blank, texts.starts, texts.stops)
        return ParsedColumn(
            TextColumn(texts.data, texts.starts, stops), np.where(blank, EMPTY, 0).astype(np.uint8), REASONS
        )

    def value(self, values: Any) -> Any:
        """The text without white space around it."""
        return values[0].strip()


TEXT = TextParser()
