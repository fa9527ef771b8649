"""Label folding (Unicode normalization, case folding), and a stable 64-bit hash of labels."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from sightline.scoring.parsers.columns.normalize import TABLE

MAX_BYTES = 1000
"""A longer text is no label."""
_RUNS = re.compile(r"[\s\x00-\x20\x7f_\-‐‑–—]+")
_PARTS = re.compile("[;,\n\r\v\f\x1c-\x1e]")
_LEFT = " \"'`“”‘’「」『』《》"
_RIGHT = _LEFT + ".。"
_MASK = 2**64 - 1


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
