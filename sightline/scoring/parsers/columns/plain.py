"""Texts made plain before a kernel reads them: thinking left out, full-width and invisible signs folded to ASCII.

Almost all texts are plain already and stay where they are; only the others are touched by Python.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from sightline.data.columns import TextColumn
from sightline.scoring.parsers.columns.plain_kernels import FOREIGN, THINKING, VISIBLE, gathered, looks
from sightline.scoring.parsers.thinking import without_thinking

INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060\u00ad\u200e\u200f\u180e"
"""Byte-order mark, zero-width signs, soft hyphen and marks of direction: nobody sees them, so they don't count."""
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
"""What the kernels take for white space."""
SHORT = 64
"""Texts up to so many characters come again and again, and their folding is remembered."""

Fold = Callable[[str], str]


def folded(text: str) -> str:
    """Full-width letters, digits and punctuation as ASCII, odd spaces as spaces, invisible signs gone."""
    return text.translate(TABLE)


@lru_cache(maxsize=8192)
def _remembered(text: str, fold: Fold) -> bytes:
    return fold(text).encode("utf-8", "replace")


def uniform(texts: TextColumn) -> TextColumn:
    """The same texts in arrays of one type and layout, which can't be written to: each kernel is compiled once."""
    data = np.ascontiguousarray(texts.data, np.uint8).view()
    data.flags.writeable = False
    return TextColumn(data, np.ascontiguousarray(texts.starts, np.int64), np.ascontiguousarray(texts.stops, np.int64))


def plain(texts: TextColumn, fold: Fold = folded) -> TextColumn:
    """The texts with all that is not plain ASCII folded, and thinking left out."""
    texts = uniform(texts)
    seen = looks(texts.data, texts.starts, texts.stops)
    odd = np.flatnonzero(seen & (FOREIGN | THINKING))
    if not len(odd):
        return texts
    fresh, whole = [], texts.data.data
    spans = zip(texts.starts[odd].tolist(), texts.stops[odd].tolist(), seen[odd].tolist(), strict=True)
    for start, stop, flags in spans:
        text = str(whole[start:stop], "utf-8", "replace")
        if flags & THINKING:
            text = without_thinking(text)
        fresh.append(_remembered(text, fold) if len(text) <= SHORT else fold(text).encode("utf-8", "replace"))
    return replaced(texts, odd, fresh)


def replaced(texts: TextColumn, rows: np.ndarray[tuple[int], np.dtype[np.int64]], fresh: list[bytes]) -> TextColumn:
    """The texts, those at `rows` replaced, in a buffer of their own: the old one may hold much besides."""
    sizes = texts.lengths()
    sizes[rows] = [len(one) for one in fresh]
    stops = np.cumsum(sizes)
    starts = stops - sizes
    data = np.empty(int(stops[-1]), np.uint8)
    places = starts.copy()
    places[rows] = -1
    gathered(texts.data, texts.starts, texts.stops, data, places)
    ends = np.cumsum(sizes[rows])
    gathered(np.frombuffer(b"".join(fresh), np.uint8), ends - sizes[rows], ends, data, starts[rows])
    return uniform(TextColumn(data, starts, stops))


def without_thoughts(texts: TextColumn) -> tuple[TextColumn, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """The texts without thinking, else untouched, and which of them show nothing at all."""
    texts = uniform(texts)
    seen = looks(texts.data, texts.starts, texts.stops)
    odd = np.flatnonzero(seen & THINKING)
    if len(odd):
        texts = replaced(texts, odd, [without_thinking(texts[row]).encode("utf-8", "replace") for row in odd.tolist()])
        seen = looks(texts.data, texts.starts, texts.stops)
    blank = seen & (FOREIGN | VISIBLE) == 0
    for row in np.flatnonzero(seen & (FOREIGN | VISIBLE) == FOREIGN).tolist():
        blank[row] = not folded(texts[row]).strip(WHITE)
    return texts, blank
