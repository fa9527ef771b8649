"""What bars and curves say, before anything of it is drawn: files for papers and drawings in pages say the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sightline.i18n import tr
from sightline.reports.plots.data import Entry, Panel, Point, finite
from sightline.reports.plots.names import plain
from sightline.reports.plots.vis import VisConfig

MOST_GROUPS = 24
_LOW, _HIGH = "_low", "_high"
_OWN_NAMES = ("by_size", "rungs", "pairs")
"""Panels whose rows have names of ours; those of classes are the data set's."""
Naming = Callable[[str], str]
Curve = list[tuple[float, float]]


class Bar(NamedTuple):
    """A value with its interval and a mark to hold it against; None: no data."""

    value: float | None
    low: float | None = None
    high: float | None = None
    mark: float | None = None


class Grid(NamedTuple):
    """Bars by group and series, all in one unit."""

    groups: list[str]
    """Their names; a second line says the metric."""
    series: int
    bars: list[list[Bar]]
    """One list a group, one bar a series."""
    percent: bool
    axis: str

    def scaled(self) -> list[list[Bar]]:
        """The bars in the unit of the axis."""
        scale = 100.0 if self.percent else 1.0
        return [[Bar(*(None if v is None else v * scale for v in bar)) for bar in group] for group in self.bars]


class Breakdown(NamedTuple):
    """A panel as grouped bars: what its series are called, and how many groups have no room."""

    grid: Grid
    series: list[str]
    left_out: int


def breakdown(panel: Panel, shown: Naming = plain) -> Breakdown | None:
    """The panel's fractions as bars, the largest groups first where there are too many; None: there is nothing to draw.

    The first column names the group. Columns of fractions between 0 and 1 are drawn; `<name>_low` and `<name>_high` are
    the interval of `<name>`. The first column of whole numbers is written beside the group's name as its n.
    """
    series = _series(panel)
    rows = [row for row in panel.rows if any(finite(row[column]) is not None for column in series)]
    if not rows:
        return None
    count = _count_column(panel)
    left_out = max(0, len(rows) - MOST_GROUPS)
    if left_out and count is not None:
        rows = sorted(rows, key=lambda row: -(finite(row[count]) or 0.0))
    rows = rows[:MOST_GROUPS]
    named = tr if panel.name in _OWN_NAMES else str
    labels = [shown(named(str(row[0]))) + ("" if count is None else f" (n = {row[count]:,})") for row in rows]
    bars = [[_bar(panel, row, column) for column in series] for row in rows]
    words = [shown(tr(panel.head[column])) for column in series]
    axis = tr("Share, %") if len(series) > 1 else f"{words[0]}, %"
    return Breakdown(Grid(labels, len(series), bars, True, axis), words, left_out)


def curves(panel: Panel) -> dict[str, Curve]:
    """Precision over recall, by the name in a column of texts before them."""
    heads = [head.casefold() for head in panel.head]
    if "recall" not in heads or "precision" not in heads:
        return {}
    recall, precision = heads.index("recall"), heads.index("precision")
    found: dict[str, Curve] = {}
    for row in panel.rows:
        name = next((entry for entry in row[: min(recall, precision)] if isinstance(entry, str)), "")
        across, up = finite(row[recall]), finite(row[precision])
        if across is not None and up is not None:
            found.setdefault(name, []).append((across, up))
    return found


def calibration(panel: Panel) -> list[tuple[float, float, float]]:
    """Truth, prediction and how often they came together."""
    numbers = [tuple(finite(entry) for entry in row) for row in panel.rows if len(row) == 3]
    return [(max(0.0, a), max(0.0, b), n) for a, b, n in numbers if a is not None and b is not None and n]


def ticks_up_to(most: float) -> list[int]:
    """0, 1, 2, 5, 10, 20, 50 … up to the first that is no less."""
    found = [0, 1]
    while found[-1] < most:
        digits = str(found[-1])
        found.append(found[-1] * 5 // 2 if digits[0] == "2" else found[-1] * 2)
    return found


def metric_title(point: Point, shown: Naming = plain) -> str:
    """The metric as people read it; an arrow says that less is better."""
    return shown(tr(point.title)) + ("" if point.higher_is_better else " ↓")


def in_order_of_groups(points: Sequence[Point]) -> list[tuple[str, str]]:
    """Task and metric of every group, in the order of their first appearance."""
    return list(dict.fromkeys((point.task, point.metric) for point in points))


def by_model(points: Sequence[Point], group: tuple[str, str], model: str) -> Point | None:
    """The figure of a model in a group."""
    return next((p for p in points if (p.task, p.metric) == group and p.model == model), None)


def height(point: Point, vis: VisConfig) -> float:
    """How far out a figure lies on a radar, 0 to 1; outwards is better."""
    value = (finite(point.value) or 0.0) / maximum(point, vis)
    return min(1.0, max(0.0, value if point.higher_is_better else 1.0 - value))


def maximum(point: Point, vis: VisConfig) -> float:
    """The value at the rim of a radar."""
    return 1.0 if point.unit == "share" else vis.radar_maximum[point.metric]


def _is_whole(value: Entry) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _series(panel: Panel) -> list[int]:
    """The columns that are drawn."""
    wanted = []
    for column in range(1, len(panel.head)):
        values = [row[column] for row in panel.rows if row[column] is not None]
        fractions = all((v := finite(value)) is not None and 0 <= v <= 1 for value in values)
        if values and fractions and not all(map(_is_whole, values)) and not panel.head[column].endswith((_LOW, _HIGH)):
            wanted.append(column)
    return wanted


def _count_column(panel: Panel) -> int | None:
    columns = range(1, len(panel.head))
    return next((c for c in columns if panel.rows and all(_is_whole(row[c]) for row in panel.rows)), None)


def _bar(panel: Panel, row: tuple[Entry, ...], column: int) -> Bar:
    beside = dict(zip(panel.head, row, strict=True))
    name = panel.head[column]
    return Bar(finite(row[column]), finite(beside.get(name + _LOW)), finite(beside.get(name + _HIGH)))
