"""Matplotlib style of all plots: page size, colours, legend, title and embedded fonts."""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from string import printable
from typing import Any, Literal, NamedTuple

import matplotlib
from fontTools import subset  # type: ignore[import-untyped]  # it ships no types
from matplotlib import font_manager, style
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.ft2font import FT2Font
from matplotlib.patches import Patch

from sightline.core.fonts import chinese_typeface
from sightline.i18n import language
from sightline.reports.plots.data import VisConfig
from sightline.reports.plots.labels import ems, one_line, wrap

PAGE = 12.8
"""Width of a page in inches. Pixels follow from the dots per inch, so that every size is in proportion to it."""
INK, QUIET, LINE = "#222222", "#666666", "#DDDDDD"
MARGIN = 0.4
LEGEND_EMS = 24.0
DASHES: tuple[Literal["-", "--", ":", "-."], ...] = ("-", "--", ":", "-.")
_HATCHES = ("", "///", "...", "xxx", "\\\\\\")


class Plot(NamedTuple):
    """A drawn plot and what its file is called."""

    name: str
    figure: Figure


@contextmanager
def plot_style(vis: VisConfig, texts: Iterable[str]) -> Iterator[None]:
    """Matplotlib's settings while plots are drawn and written: ours alone, whatever the user's own are."""
    size = vis.font_size
    with font_families(texts) as names:
        own: dict[str, Any] = {
            "font.family": names,
            "font.size": size,
            "text.parse_math": False,  # a name with $…$ in it is a name
            "text.color": INK,
            "axes.labelcolor": INK,
            "axes.labelsize": size,
            "axes.edgecolor": "#999999",
            "axes.axisbelow": True,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "grid.color": LINE,
            "grid.linewidth": 0.8,
            "xtick.color": "#999999",
            "ytick.color": "#999999",
            "xtick.labelcolor": INK,
            "ytick.labelcolor": INK,
            "legend.frameon": False,
            "hatch.linewidth": 0.6,
            "pdf.fonttype": 42,
            "figure.constrained_layout.h_pad": 0.15,
            "figure.constrained_layout.w_pad": 0.15,
        }
        with style.context(["default", own]):
            yield


def pixels_per_inch(vis: VisConfig) -> float:
    """Pixels an inch: as asked, but never fewer than the least width needs."""
    return max(vis.dpi, vis.width / PAGE)


def new_page(vis: VisConfig, height: float = 0.0, width: float = PAGE) -> Figure:
    """An empty page of at least the given width and height in inches."""
    least = PAGE * vis.height / vis.width
    # a hair more, since a canvas rounds its pixels down
    wide, high = (math.ceil(side * 100) / 100 + 0.001 for side in (max(width, PAGE), max(height, least)))
    return Figure(figsize=(wide, high), dpi=pixels_per_inch(vis), facecolor="white", layout="constrained")


def drawable(text: str) -> str:
    """A name as it is drawn: on one line, without characters that would be empty boxes."""
    known = drawable_characters()
    return "".join(letter if letter in known else "?" for letter in one_line(text)) or "–"


def series_colour(vis: VisConfig, index: int) -> tuple[str, str]:
    """Colour and hatch of the series number `index`; hatches begin where the colours are used up."""
    return vis.palette[index % len(vis.palette)], _HATCHES[index // len(vis.palette) % len(_HATCHES)]


def bar_style(vis: VisConfig, index: int) -> dict[str, Any]:
    """How bars of a series are filled."""
    fill, hatch = series_colour(vis, index)
    return {"facecolor": fill, "hatch": hatch, "edgecolor": "white" if hatch else fill, "linewidth": 0.0}


def set_title(figure: Figure, vis: VisConfig, *parts: str) -> None:
    """What the plot shows, above it; empty parts are left out."""
    inches, size = figure.get_figwidth(), vis.font_size
    text = join_title(map(drawable, filter(None, parts)), inches, size)
    figure.suptitle(text, x=MARGIN / inches, ha="left", fontsize=size * 1.25)


def join_title(parts: Iterable[str], inches: float, size: float) -> str:
    """The parts of a title on as few lines as they need, broken between parts where that can be."""
    room = (inches - 2 * MARGIN) * 72 / (size * 1.25)
    lines: list[str] = []
    for part in filter(None, parts):
        joined = f"{lines[-1]} · {part}" if lines else part
        if lines and ems(joined) <= room:
            lines[-1] = joined
        else:
            lines.append(wrap(part, room, 1))
    return "\n".join(lines)


def add_legend(figure: Figure, handles: Sequence[Artist], labels: Sequence[str], note: str = "") -> None:
    """Add the legend and a footnote."""
    size = float(figure.axes[0].xaxis.label.get_fontsize())
    quiet: dict[str, Any] = {"fontsize": size * 0.85, "color": QUIET}
    if len(labels) < 2:
        if note:
            figure.supxlabel(note, **quiet)
        return
    wrapped = [wrap(label, LEGEND_EMS, 2) for label in labels]
    # text is set afterwards: a label that begins with _ would be left out
    columns = legend_columns(wrapped, figure.get_figwidth(), size)
    drawn = figure.legend(handles, ["-"] * len(labels), loc="outside lower center", ncols=columns)
    for text, label in zip(drawn.get_texts(), wrapped, strict=True):
        text.set_text(label)
    if note:
        drawn.set_title(note)
        drawn.get_title().set(**quiet)


def legend_columns(labels: Sequence[str], width: float, size: float) -> int:
    """Number of legend columns that fit a width in inches; all rows about equally full."""
    widest = max(ems(line) for label in labels for line in label.split("\n"))
    most = max(1, min(len(labels), int(width * 72 * 0.92 / ((widest + 4) * size))))
    return math.ceil(len(labels) / math.ceil(len(labels) / most))


def legend_patches(vis: VisConfig, number: int) -> list[Patch]:
    """Legend keys of as many series of bars."""
    return [Patch(**bar_style(vis, index)) for index in range(number)]


_ALWAYS_NEEDED = frozenset(printable.strip() + " ") | frozenset("?−–…↓→←·×≥≤°")
_numbers = count(1)


def latin_typeface() -> Path:
    """The DejaVu Sans that comes with Matplotlib."""
    return Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"


@cache
def _characters(place: Path) -> frozenset[str]:
    return frozenset(map(chr, FT2Font(str(place)).get_charmap()))


@cache
def drawable_characters() -> frozenset[str]:
    """All characters that have a shape; any other would be an empty box."""
    chinese = chinese_typeface()
    latin = _characters(latin_typeface())
    return latin | _characters(chinese) if chinese else latin


def _needed_characters(texts: Iterable[str]) -> set[str]:
    letters = set(_ALWAYS_NEEDED).union(*texts)
    if language() == "zh":
        from sightline.i18n.chinese import CHINESE

        letters.update(*CHINESE.values())
    return letters


@contextmanager
def font_families(texts: Iterable[str]) -> Iterator[list[str]]:
    """Names of font families that together write the texts, for as long as the context lasts."""
    wanted = _needed_characters(texts)
    folder = Path(tempfile.mkdtemp(prefix="sightline-fonts-"))
    entries = []
    try:
        for place in filter(None, (latin_typeface(), chinese_typeface())):
            letters = wanted & _characters(place)
            wanted -= letters
            if letters:
                # a name of its own, so that no typeface of the system is taken instead
                file, name = str(_subset_font(place, letters, folder)), f"Sightline {next(_numbers)}"
                entries.append(font_manager.FontEntry(fname=file, name=name, weight=400, size="scalable"))
        font_manager.fontManager.ttflist.extend(entries)
        yield [entry.name for entry in entries]
    finally:
        font_manager.fontManager.ttflist = [e for e in font_manager.fontManager.ttflist if e not in entries]
        shutil.rmtree(folder, ignore_errors=True)


def _subset_font(place: Path, letters: set[str], folder: Path) -> Path:
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
