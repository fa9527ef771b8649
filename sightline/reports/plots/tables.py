"""What heat maps and confusion matrices say: cells with a figure and a shade, before anything of it is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sightline.i18n import tr
from sightline.reports.plots.content import Naming, metric_title
from sightline.reports.plots.data import Entry, Panel, Point, finite, in_order
from sightline.reports.plots.names import plain

MOST_CLASSES = 20
_WITH_DECIMAL = 12
"""Up to so many classes the per cents have a decimal."""
_NO_CLASS = ("(other)", "(unread)")
Counts = Counter[tuple[str, str]]


class Cell(NamedTuple):
    """A figure as text, and from 0 to 1 how dark its cell is; None: no colour."""

    text: str = ""
    shade: float | None = None


class Table(NamedTuple):
    """Cells by row and column."""

    rows: list[str]
    columns: list[str]
    cells: list[list[Cell]]


def figure_text(value: float) -> str:
    """A figure at two decimals; very large ones in powers of ten."""
    text = f"{value:.2f}" if abs(value) < 1e6 else f"{value:.2e}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")


def metrics_over_tasks(points: Sequence[Point], tasks: list[str], metrics: list[str], shown: Naming = plain) -> Table:
    """The figures of one model: a row a task, a column a metric."""
    found = {(point.task, point.metric): point for point in points}
    titles = {point.metric: metric_title(point, shown) for point in points}
    cells = [[cell(found.get((task, metric))) for metric in metrics] for task in tasks]
    return Table([shown(task) for task in tasks], [titles[metric] for metric in metrics], cells)


def headline_first(points: Sequence[Point]) -> list[str]:
    """Metrics that are the headline of a task first, then core ones, then the others."""
    headline, core = {p.metric for p in points if p.headline}, {p.metric for p in points if p.core}
    names = in_order(point.metric for point in points)
    return sorted(names, key=lambda name: (name not in headline, name not in core))


def cell(point: Point | None) -> Cell:
    """Shares are coloured, darker is better; other numbers are only written."""
    value = None if point is None else finite(point.value)
    if point is None or value is None:
        return Cell()
    if point.unit == "number":
        return Cell(figure_text(value))
    shade = min(1.0, max(0.0, value))
    return Cell(figure_text(100 * value), shade if point.higher_is_better else 1.0 - shade)


def capability_grid(panel: Panel, shown: Naming = plain) -> Table:
    """One row a capability, one column a level."""
    cells = [[_share(entry) for entry in row[1:]] for row in panel.rows]
    names = [shown(tr(str(row[0]))) for row in panel.rows]
    return Table(names, [shown(head) for head in panel.head[1:]], cells)


def _share(entry: Entry) -> Cell:
    value = finite(entry)
    return Cell() if value is None else Cell(f"{100 * value:.2f}", value)


def confusion(panel: Panel, shown: Naming = plain) -> Table | None:
    """Rows are true classes and columns predicted ones; None: nothing was counted.

    The panel is either a matrix (the first column names the row) or a list of (true class, predicted class, count).
    """
    counts = _counts(panel)
    if counts.total() <= 0:
        return None
    counts, rows, columns = _largest(counts, *_classes(counts))
    return _table(counts, rows, columns, shown)


def _is_list(panel: Panel) -> bool:
    return len(panel.head) == 3 and bool(panel.rows) and all(isinstance(row[1], str) for row in panel.rows)


def _counts(panel: Panel) -> Counts:
    counts = Counts()
    for row in panel.rows:
        pairs = [(row[1], row[2])] if _is_list(panel) else zip(panel.head[1:], row[1:], strict=True)
        for predicted, count in pairs:
            counts[str(row[0]), str(predicted)] += max(0.0, finite(count) or 0.0)  # type: ignore[assignment]  # may be weights
    return counts


def _classes(counts: Counts) -> tuple[list[str], list[str]]:
    """Rows and columns; classes that are in both stand in the same order, so that hits lie on the diagonal."""
    rows = in_order(true for (true, _), count in counts.items() if count)
    others = in_order(predicted for (_, predicted), count in counts.items() if count)
    return rows, rows + [name for name in others if name not in set(rows)]


def _largest(counts: Counts, rows: list[str], columns: list[str]) -> tuple[Counts, list[str], list[str]]:
    """The classes with most samples; the rest is put together."""
    if max(len(rows), len(columns)) <= MOST_CLASSES:
        return counts, rows, columns
    size: Counter[str] = Counter()
    for (true, predicted), count in counts.items():
        # predicted counts break ties and rank what is never true
        size[true] += count
        size[predicted] += count * 1e-6  # type: ignore[assignment]
    kept = {name for name, _ in size.most_common(MOST_CLASSES)}
    other = tr("other")
    while other in kept:
        other += "*"
    folded = Counts()
    for (true, predicted), count in counts.items():
        folded[true if true in kept else other, predicted if predicted in kept else other] += count
    return folded, _folded(rows, kept, other), _folded(columns, kept, other)


def _folded(names: list[str], kept: set[str], other: str) -> list[str]:
    large = [name for name in names if name in kept]
    return large if len(large) == len(names) else [*large, other]


def _table(counts: Counts, rows: list[str], columns: list[str], shown: Naming) -> Table:
    totals = {true: sum(counts[true, predicted] for predicted in columns) for true in rows}
    decimals = 1 if max(len(rows), len(columns)) <= _WITH_DECIMAL else 0
    cells = []
    for true in rows:
        shares = [counts[true, predicted] / totals[true] for predicted in columns]
        cells.append([Cell(_percent(share, decimals), share) for share in shares])
    labels = [f"{_class(true, shown)} (n = {totals[true]:,.0f})" for true in rows]
    return Table(labels, [_class(name, shown) for name in columns], cells)


def _class(name: str, shown: Naming) -> str:
    """Classes have names of the data set's; what has no class is named by us."""
    return shown(tr(name) if name in _NO_CLASS else name)


def _percent(share: float, decimals: int) -> str:
    """What rounds to zero is left blank, so that the eye finds the mistakes."""
    text = f"{100 * share:.{decimals}f}"
    return text if float(text) else ""
