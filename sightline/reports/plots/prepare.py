"""Data preparation of all plots, shared by the Matplotlib files and the SVG charts of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from sightline.core.remarks import Remark
from sightline.i18n import tr
from sightline.reports.plots.data import Entry, Panel, PlotData, Point, VisConfig, finite, unique
from sightline.reports.plots.labels import format_number, one_line

MAX_GROUPS = 24
MIN_RADAR_TASKS = 3
MAX_CLASSES = 20
_WITH_DECIMAL = 12
"""Maximum number of classes for which percentages have a decimal."""
_PSEUDO_CLASSES = ("(other)", "(unread)")
_LOW, _HIGH = "_low", "_high"
_TRANSLATED_PANELS = ("by_size", "rungs", "pairs")
"""Panels whose rows have names of ours; those of classes are the data set's."""
Naming = Callable[[str], str]
Curve = list[tuple[float, float]]
Counts = Counter[tuple[str, str]]


class ChartBar(NamedTuple):
    """A value with its interval and a mark to hold it against; None: no data."""

    value: float | None
    low: float | None = None
    high: float | None = None
    mark: float | None = None


class BarGrid(NamedTuple):
    """Bars by group and series, all in one unit."""

    groups: list[str]
    """Their names; a second line says the metric."""
    series: int
    bars: list[list[ChartBar]]
    """One list per group, one bar per series."""
    percent: bool
    axis: str

    def scaled(self) -> list[list[ChartBar]]:
        """The bars in the unit of the axis."""
        scale = 100.0 if self.percent else 1.0
        return [[ChartBar(*(None if v is None else v * scale for v in bar)) for bar in group] for group in self.bars]


def bar_grid(groups: Sequence[Sequence[Point | None]], with_metric: bool, shown: Naming = one_line) -> BarGrid:
    """One group of bars per task and metric, one bar per model; all groups share a unit."""
    firsts = [next(filter(None, group)) for group in groups]
    labels = [f"{shown(p.task)}\n{metric_title(p, shown)}" if with_metric else shown(p.task) for p in firsts]
    titles = unique(metric_title(point, shown) for point in firsts)
    percent = firsts[0].unit == "share"
    axis = (tr("Share, %") if percent else tr("Value")) if len(titles) > 1 else titles[0] + (", %" if percent else "")
    return BarGrid(labels, len(groups[0]), [[_point_bar(point) for point in group] for group in groups], percent, axis)


def _point_bar(point: Point | None) -> ChartBar:
    if point is None:
        return ChartBar(None)
    mark = finite(point.baseline) if point.unit == "share" else None
    return ChartBar(finite(point.value), finite(point.low), finite(point.high), mark)


BREAKDOWN_TITLES = {
    "rungs": Remark("Diagnosis by stage"),
    "pairs": Remark("Pair consistency"),
    "by_size": Remark("By size"),
    "by_count": Remark("By number of objects"),
    "per_class": Remark("By class"),
}
"""Panels that are drawn as bars."""


class BreakdownChart(NamedTuple):
    """A panel as grouped bars: the names of its series, and how many groups were left out."""

    grid: BarGrid
    series: list[str]
    left_out: int

    @property
    def note(self) -> str:
        """A note on groups that are not shown."""
        return tr("{count} smaller groups not shown", count=self.left_out) if self.left_out else ""


def breakdown(panel: Panel, shown: Naming = one_line) -> BreakdownChart | None:
    """The panel's fractions as bars, the largest groups first where there are too many; None: there is nothing to draw.

    The first column names the group. Columns of fractions between 0 and 1 are drawn; `<name>_low` and `<name>_high` are
    the interval of `<name>`. The first column of whole numbers is written beside the group's name as its n.
    """
    series = _series_columns(panel)
    rows = [row for row in panel.rows if any(finite(row[column]) is not None for column in series)]
    if not rows:
        return None
    count = _count_column(panel)
    left_out = max(0, len(rows) - MAX_GROUPS)
    if left_out and count is not None:
        rows = sorted(rows, key=lambda row: -(finite(row[count]) or 0.0))
    rows = rows[:MAX_GROUPS]
    named = tr if panel.name in _TRANSLATED_PANELS else str
    labels = [shown(named(str(row[0]))) + ("" if count is None else f" (n = {row[count]:,})") for row in rows]
    bars = [[_panel_bar(panel, row, column) for column in series] for row in rows]
    words = [shown(tr(panel.head[column])) for column in series]
    axis = tr("Share, %") if len(series) > 1 else f"{words[0]}, %"
    return BreakdownChart(BarGrid(labels, len(series), bars, True, axis), words, left_out)


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


def count_ticks(most: float) -> list[int]:
    """0, 1, 2, 5, 10, 20, 50 … up to the first that is no less."""
    found = [0, 1]
    while found[-1] < most:
        digits = str(found[-1])
        found.append(found[-1] * 5 // 2 if digits[0] == "2" else found[-1] * 2)
    return found


def metric_title(point: Point, shown: Naming = one_line) -> str:
    """The metric as people read it; an arrow says that less is better."""
    return shown(tr(point.title)) + ("" if point.higher_is_better else " ↓")


def unique_groups(points: Sequence[Point]) -> list[tuple[str, str]]:
    """Task and metric of every group, in the order of their first appearance."""
    return list(dict.fromkeys((point.task, point.metric) for point in points))


def find_point(points: Sequence[Point], group: tuple[str, str], model: str) -> Point | None:
    """The figure of a model in a group."""
    return next((p for p in points if (p.task, p.metric) == group and p.model == model), None)


class RadarData(NamedTuple):
    """The headline metrics of all tasks on a radar."""

    spokes: list[Point]
    """The first point of each task and metric."""
    heights: dict[str, list[float | None]]
    """By model, 0 to 1 per spoke; None: no data."""
    left_out: list[Point]

    def note(self, name: Callable[[Point], str]) -> str:
        """What is not drawn, and how numbers without a natural maximum are scaled."""
        notes = []
        if self.left_out:
            notes.append(tr("Not shown (not a share): {tasks}", tasks=", ".join(unique(map(name, self.left_out)))))
        if any(point.unit == "number" for point in self.spokes):
            notes.append(tr("Metrics written as / maximum are scaled by that maximum and capped at 100 %"))
        return "; ".join(notes)


def radar_data(data: PlotData, vis: VisConfig) -> RadarData | None:
    """The spokes and polygons of a radar; None where fewer than three tasks have a metric that fits on it."""
    points = [point for point in data.points if point.headline and finite(point.value) is not None]
    scaled = [point for point in points if point.unit == "share" or point.metric in vis.radar_maximum]
    groups = unique_groups(scaled)
    if len({task for task, _ in groups}) < MIN_RADAR_TASKS:
        return None
    heights = {
        model: [None if (p := find_point(scaled, group, model)) is None else radar_height(p, vis) for group in groups]
        for model in unique(point.model for point in data.points)
    }
    spokes = [next(p for p in scaled if (p.task, p.metric) == group) for group in groups]
    return RadarData(spokes, heights, [point for point in points if (point.task, point.metric) not in groups])


def radar_height(point: Point, vis: VisConfig) -> float:
    """Distance from the centre of a radar, 0 to 1; outwards is better."""
    value = (finite(point.value) or 0.0) / radar_maximum(point, vis)
    return min(1.0, max(0.0, value if point.higher_is_better else 1.0 - value))


def radar_maximum(point: Point, vis: VisConfig) -> float:
    """The value at the outer ring of a radar."""
    return 1.0 if point.unit == "share" else vis.radar_maximum[point.metric]


class LevelScore(NamedTuple):
    """The score at a level, with interval and fit."""

    level: float
    value: float
    low: float
    high: float
    fit: float


class LevelSeries(NamedTuple):
    """The scores of one capability over levels, and the level at which their fit falls to one half."""

    scores: list[LevelScore]
    boundary: float | None


def level_series(panel: Panel) -> dict[str, LevelSeries]:
    """Scores over levels by series; the panel has the columns series, level, value, low, high, fit and boundary."""
    series: dict[str, LevelSeries] = {}
    for row in panel.rows:
        known = series.setdefault(str(row[0]), LevelSeries([], None))
        level, value, low, high, fit, boundary, *_ = (finite(entry) for entry in (*row[1:], *[None] * 6))
        if level is not None and value is not None:
            ends = (value if end is None else end for end in (low, high, fit))
            series[str(row[0])] = LevelSeries([*known.scores, LevelScore(level, value, *ends)], boundary)
    return series


def _is_whole(value: Entry) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _series_columns(panel: Panel) -> list[int]:
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


def _panel_bar(panel: Panel, row: tuple[Entry, ...], column: int) -> ChartBar:
    beside = dict(zip(panel.head, row, strict=True))
    name = panel.head[column]
    return ChartBar(finite(row[column]), finite(beside.get(name + _LOW)), finite(beside.get(name + _HIGH)))


class Cell(NamedTuple):
    """A figure as text, and from 0 to 1 how dark its cell is; None: no colour."""

    text: str = ""
    shade: float | None = None


class CellTable(NamedTuple):
    """Cells by row and column."""

    rows: list[str]
    columns: list[str]
    cells: list[list[Cell]]


def metrics_over_tasks(
    points: Sequence[Point], tasks: list[str], metrics: list[str], shown: Naming = one_line
) -> CellTable:
    """The figures of one model: a row per task, a column per metric."""
    found = {(point.task, point.metric): point for point in points}
    titles = {point.metric: metric_title(point, shown) for point in points}
    cells = [[metric_cell(found.get((task, metric))) for metric in metrics] for task in tasks]
    return CellTable([shown(task) for task in tasks], [titles[metric] for metric in metrics], cells)


def headline_first(points: Sequence[Point]) -> list[str]:
    """Metrics that are the headline of a task first, then core ones, then the others."""
    headline, core = {p.metric for p in points if p.headline}, {p.metric for p in points if p.core}
    names = unique(point.metric for point in points)
    return sorted(names, key=lambda name: (name not in headline, name not in core))


def shade_note(table: CellTable) -> str:
    """What the shades of a table of metrics mean; empty where no cell is shaded."""
    if all(cell.shade is None for row in table.cells for cell in row):
        return ""
    has_inverse = any(column.endswith("↓") for column in table.columns)
    return tr("Share, %; for ↓ metrics 100 − share") if has_inverse else tr("Share, %")


def metric_cell(point: Point | None) -> Cell:
    """Shares are coloured, darker is better; other numbers are only written."""
    value = None if point is None else finite(point.value)
    if point is None or value is None:
        return Cell()
    if point.unit == "number":
        return Cell(format_number(value))
    shade = min(1.0, max(0.0, value))
    return Cell(format_number(100 * value), shade if point.higher_is_better else 1.0 - shade)


def capability_grid(panel: Panel, shown: Naming = one_line) -> CellTable:
    """One row per capability, one column per level."""
    cells = [[_share_cell(entry) for entry in row[1:]] for row in panel.rows]
    names = [shown(tr(str(row[0]))) for row in panel.rows]
    return CellTable(names, [shown(head) for head in panel.head[1:]], cells)


def _share_cell(entry: Entry) -> Cell:
    value = finite(entry)
    return Cell() if value is None else Cell(f"{100 * value:.2f}", value)


def confusion(panel: Panel, shown: Naming = one_line) -> CellTable | None:
    """Rows are true classes and columns predicted ones; None: nothing was counted.

    The panel is either a matrix (the first column names the row) or a list of (true class, predicted class, count).
    """
    counts = _counts(panel)
    if counts.total() <= 0:
        return None
    counts, rows, columns = _fold_classes(counts, *_classes(counts))
    return _confusion_table(counts, rows, columns, shown)


def _counts(panel: Panel) -> Counts:
    counts = Counts()
    is_list = len(panel.head) == 3 and all(isinstance(row[1], str) for row in panel.rows)
    for row in panel.rows:
        pairs = [(row[1], row[2])] if is_list else zip(panel.head[1:], row[1:], strict=True)
        for predicted, count in pairs:
            counts[str(row[0]), str(predicted)] += max(0.0, finite(count) or 0.0)  # type: ignore[assignment]  # may be weights
    return counts


def _classes(counts: Counts) -> tuple[list[str], list[str]]:
    """Rows and columns; classes that are in both stand in the same order, so that hits lie on the diagonal."""
    rows = unique(true for (true, _), count in counts.items() if count)
    others = unique(predicted for (_, predicted), count in counts.items() if count)
    return rows, rows + [name for name in others if name not in set(rows)]


def _fold_classes(counts: Counts, rows: list[str], columns: list[str]) -> tuple[Counts, list[str], list[str]]:
    """The classes with most samples; the rest is put together."""
    if max(len(rows), len(columns)) <= MAX_CLASSES:
        return counts, rows, columns
    size: Counter[str] = Counter()
    for (true, predicted), count in counts.items():
        # predicted counts break ties and rank what is never true
        size[true] += count
        size[predicted] += count * 1e-6  # type: ignore[assignment]
    kept = {name for name, _ in size.most_common(MAX_CLASSES)}
    other = tr("other")
    while other in kept:
        other += "*"
    folded = Counts()
    for (true, predicted), count in counts.items():
        folded[true if true in kept else other, predicted if predicted in kept else other] += count
    return folded, _kept_names(rows, kept, other), _kept_names(columns, kept, other)


def _kept_names(names: list[str], kept: set[str], other: str) -> list[str]:
    large = [name for name in names if name in kept]
    return large if len(large) == len(names) else [*large, other]


def _confusion_table(counts: Counts, rows: list[str], columns: list[str], shown: Naming) -> CellTable:
    totals = {true: sum(counts[true, predicted] for predicted in columns) for true in rows}
    decimals = 1 if max(len(rows), len(columns)) <= _WITH_DECIMAL else 0
    cells = []
    for true in rows:
        shares = [counts[true, predicted] / totals[true] for predicted in columns]
        cells.append([Cell(_percent(share, decimals), share) for share in shares])
    labels = [f"{_class_name(true, shown)} (n = {totals[true]:,.0f})" for true in rows]
    return CellTable(labels, [_class_name(name, shown) for name in columns], cells)


def _class_name(name: str, shown: Naming) -> str:
    """Classes have names of the data set's; what has no class is named by us."""
    return shown(tr(name) if name in _PSEUDO_CLASSES else name)


def _percent(share: float, decimals: int) -> str:
    """A share in per cent; blank if it rounds to zero."""
    text = f"{100 * share:.{decimals}f}"
    return text if float(text) else ""
