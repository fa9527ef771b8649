"""The quiet look that all plots share: white page, light grid behind, few lines, one set of sizes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from matplotlib import style
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sightline.reports.plots.fonts import families, writable
from sightline.reports.plots.names import ems, plain, wrap
from sightline.reports.plots.vis import VisConfig

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
def paper(vis: VisConfig, texts: Iterable[str]) -> Iterator[None]:
    """Matplotlib's settings while plots are drawn and written: ours alone, whatever the user's own are."""
    size = vis.font_size
    with families(texts) as names:
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


def dots(vis: VisConfig) -> float:
    """Pixels an inch: as asked, but never fewer than the least width needs."""
    return max(vis.dpi, vis.width / PAGE)


def page(vis: VisConfig, height: float = 0.0, width: float = PAGE) -> Figure:
    """An empty page at least so many inches high and wide."""
    least = PAGE * vis.height / vis.width
    # a hair more, since a canvas rounds its pixels down
    wide, high = (math.ceil(side * 100) / 100 + 0.001 for side in (max(width, PAGE), max(height, least)))
    return Figure(figsize=(wide, high), dpi=dots(vis), facecolor="white", layout="constrained")


def shown(text: str) -> str:
    """A name as it is drawn: on one line, without characters that would be empty boxes."""
    known = writable()
    return "".join(letter if letter in known else "?" for letter in plain(text)) or "–"


def colour(vis: VisConfig, index: int) -> tuple[str, str]:
    """Colour and hatch of the series number `index`; hatches begin where the colours are used up."""
    return vis.palette[index % len(vis.palette)], _HATCHES[index // len(vis.palette) % len(_HATCHES)]


def bar_look(vis: VisConfig, index: int) -> dict[str, Any]:
    """How bars of a series are filled."""
    fill, hatch = colour(vis, index)
    return {"facecolor": fill, "hatch": hatch, "edgecolor": "white" if hatch else fill, "linewidth": 0.0}


def title(figure: Figure, size: float, *parts: str) -> None:
    """What the plot shows, above it."""
    inches = figure.get_figwidth()
    figure.suptitle(headline(parts, inches, size), x=MARGIN / inches, ha="left", fontsize=size * 1.25)


def headline(parts: Iterable[str], inches: float, size: float) -> str:
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


def legend(figure: Figure, handles: Sequence[Artist], labels: Sequence[str], note: str = "") -> None:
    """The names of the series below the data, none for a single one, and a quiet word."""
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
    """How many names stand beside each other on so many inches; all rows about equally full."""
    widest = max(ems(line) for label in labels for line in label.split("\n"))
    most = max(1, min(len(labels), int(width * 72 * 0.92 / ((widest + 4) * size))))
    return math.ceil(len(labels) / math.ceil(len(labels) / most))


def patches(vis: VisConfig, number: int) -> list[Patch]:
    """Legend keys of as many series of bars."""
    return [Patch(**bar_look(vis, index)) for index in range(number)]
