"""Fonts of the pictures, from installed packages, so that data sets are identical on every machine."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PIL import ImageFont

from sightline.core.fonts import Font, chinese_typeface

DEFAULT_FACE = "plain"
"""Pillow's own."""
_FILES = {
    "sans": "DejaVuSans.ttf",
    "bold": "DejaVuSans-Bold.ttf",
    "serif": "DejaVuSerif.ttf",
    "mono": "DejaVuSansMono.ttf",
    "book": "STIXGeneral.ttf",
}
FACES = (DEFAULT_FACE, *_FILES)
"""The names of the typefaces for Latin letters; Chinese has one."""
_LAST_LATIN = "\u024f"
_SIGNS = frozenset("°·×÷±–—’“”€£→≤≥−…")


@cache
def _font_folder() -> Path:
    spec = find_spec("matplotlib")
    paths = (spec and spec.submodule_search_locations) or ()
    return next((Path(path) / "mpl-data" / "fonts" / "ttf" for path in paths), Path())


@cache
def typeface(face: str, size: int, chinese: bool) -> Font:
    """Load a font at a size."""
    if chinese and (path := chinese_typeface()):
        return ImageFont.truetype(path, size)
    if face == DEFAULT_FACE:
        return ImageFont.load_default(size)
    return ImageFont.truetype(_font_folder() / _FILES[face], size)


def font_for(words: str, face: str, size: int) -> Font:
    """Return a font that has all characters of a text."""
    chinese = any(letter > _LAST_LATIN and letter not in _SIGNS for letter in words)
    if not chinese and face == DEFAULT_FACE and not words.isascii():
        face = "sans"
    return typeface(face, size, chinese)


def text_width(words: str, face: str, size: int) -> float:
    """Return the width of a text in pixels."""
    return float(font_for(words, face, size).getlength(words))
