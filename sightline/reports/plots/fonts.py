"""The typefaces of the plots: DejaVu Sans, and for what it lacks the Chinese one.

Both are cut down to the characters of the report before the first plot. A PDF embeds only what it shows; to find that
in a typeface of thirty thousand characters takes half a second a file, in the small one next to nothing.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from string import printable

import matplotlib
from fontTools import subset  # type: ignore[import-untyped]  # it ships no types
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

from sightline.core.fonts import chinese_typeface
from sightline.i18n import language

_OWN = frozenset(printable.strip() + " ") | frozenset("?−–…↓→←·×≥≤°")
_numbers = count(1)


def latin_typeface() -> Path:
    """The DejaVu Sans that comes with Matplotlib."""
    return Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"


@cache
def _characters(place: Path) -> frozenset[str]:
    return frozenset(map(chr, FT2Font(str(place)).get_charmap()))


@cache
def writable() -> frozenset[str]:
    """All characters that have a shape; any other would be an empty box."""
    chinese = chinese_typeface()
    latin = _characters(latin_typeface())
    return latin | _characters(chinese) if chinese else latin


def _wanted(texts: Iterable[str]) -> set[str]:
    letters = set(_OWN).union(*texts)
    if language() == "zh":
        from sightline.i18n.chinese import CHINESE

        letters.update(*CHINESE.values())
    return letters


@contextmanager
def families(texts: Iterable[str]) -> Iterator[list[str]]:
    """Names of font families that together write the texts, for as long as the context lasts."""
    wanted = _wanted(texts)
    folder = Path(tempfile.mkdtemp(prefix="sightline-fonts-"))
    entries = []
    try:
        for place in filter(None, (latin_typeface(), chinese_typeface())):
            letters = wanted & _characters(place)
            wanted -= letters
            if letters:
                # a name of its own, so that no typeface of the system is taken instead
                entries.append(_entry(_cut_down(place, letters, folder), f"Sightline {next(_numbers)}"))
        font_manager.fontManager.ttflist.extend(entries)
        yield [entry.name for entry in entries]
    finally:
        font_manager.fontManager.ttflist = [e for e in font_manager.fontManager.ttflist if e not in entries]
        shutil.rmtree(folder, ignore_errors=True)


def _entry(place: Path, name: str) -> font_manager.FontEntry:
    return font_manager.FontEntry(
        fname=str(place), name=name, style="normal", variant="normal", weight=400, stretch="normal", size="scalable"
    )


def _cut_down(place: Path, letters: set[str], folder: Path) -> Path:
    """The typeface with these letters only, and without tables that no plot needs."""
    options = subset.Options(layout_features=[], hinting=True, notdef_outline=True, name_IDs=["*"], font_number=0)
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "BASE", "vhea", "vmtx", "VORG", "MATH", "meta", "FFTM"]
    font = subset.load_font(str(place), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[ord(letter) for letter in letters])
    subsetter.subset(font)
    target = folder / f"{place.stem}{'.otf' if font.sfntVersion == 'OTTO' else '.ttf'}"
    font.save(str(target))
    font.close()
    return target
