"""Fonts for drawings: choice by characters, and text width.

Pillow's built-in typeface writes Latin letters everywhere alike. Chinese is written only where a typeface for it is
found; what can't be written is left out, so that no picture ever shows empty boxes.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PIL import ImageFont

FONT_VARIABLE = "SIGHTLINE_CJK_FONT"
"""Names a typeface with Chinese characters, ahead of the installed package's and of those of the system."""
CAP_HEIGHT = 0.70
"""Of capitals and digits, as a share of the size."""
_BUILT_IN = frozenset(map(chr, range(32, 127))) | frozenset("·°")
_CHINESE = (
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc",
    "/System/Library/Fonts/PingFang.ttc",
    "/System/Library/Fonts/STHeiti Light.ttc",
    "C:/Windows/Fonts/msyh.ttc",
    "C:/Windows/Fonts/simhei.ttf",
)
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@cache
def chinese_typeface() -> Path | None:
    """The first typeface found that has Chinese characters."""
    places = (os.environ.get(FONT_VARIABLE, ""), _packaged(), *_CHINESE)
    return next((Path(place) for place in places if place and Path(place).is_file()), None)


def _packaged() -> Path | str:
    """The Noto Sans SC of the package `zhplot`, which is looked up but not imported: it would load Matplotlib."""
    spec = find_spec("zhplot")
    folders = (spec and spec.submodule_search_locations) or ()
    return next((Path(folder) / "fonts" / "NotoSansSC-Regular.ttf" for folder in folders), "")


@cache
def font_for(words: str, size: int) -> Font:
    """The typeface that has all the characters."""
    place = chinese_typeface()
    return _built_in(size) if place is None or _BUILT_IN.issuperset(words) else _from_file(place, size)


@cache
def _built_in(size: int) -> Font:
    return ImageFont.load_default(size)


@cache
def _from_file(place: Path, size: int) -> Font:
    return ImageFont.truetype(place, size)


@cache
def width_of(words: str, size: int) -> float:
    """Width of a text in pixels."""
    return float(font_for(words, size).getlength(words))


def can_write(words: str) -> bool:
    """Whether every character has a shape."""
    return _BUILT_IN.issuperset(words) or chinese_typeface() is not None


def legible(words: str) -> str:
    """The text without characters that would be empty boxes."""
    return words if can_write(words) else "".join(letter for letter in words if letter in _BUILT_IN)
