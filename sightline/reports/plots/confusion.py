"""Which class is taken for which.

Rows are true classes and columns predicted ones, either as a matrix (the first column names the row) or as a list of
(true class, predicted class, count).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sightline.language import say
from sightline.reports.plots.cells import Cell, Table, scale_bar, table_page
from sightline.reports.plots.data import Panel, PlotData, finite, in_order
from sightline.reports.plots.style import Plot, shown, title
from sightline.reports.plots.vis import VisConfig

MOST_CLASSES = 20
_WITH_DECIMAL = 12
"""Up to so many classes the per cents have a decimal."""
Counts = Counter[tuple[str, str]]


def plots(data: PlotData, vis: VisConfig) -> Iterator[Plot]:
    """`confusion_<task>_<model>`."""
    for panel in data.panels:
        counts = _counts(panel) if panel.name == "confusion" else Counts()
        if counts.total() <= 0:
            continue
        counts, rows, columns = _largest(counts, *_classes(counts))
        figure, axes = table_page(_table(counts, rows, columns), vis, 0.72)
        axes.set_xlabel(say("Predicted class"))
        axes.set_ylabel(say("True class"))
        title(figure, vis.font_size, say("Confusion matrix"), shown(panel.task), shown(data.title), shown(panel.model))
        scale_bar(figure, axes, say("Share of the true class, %"))
        yield Plot(f"confusion_{panel.task}_{panel.model}", figure)


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
    other = say("other")
    while other in kept:
        other += "*"
    folded = Counts()
    for (true, predicted), count in counts.items():
        folded[true if true in kept else other, predicted if predicted in kept else other] += count
    return folded, _folded(rows, kept, other), _folded(columns, kept, other)


def _folded(names: list[str], kept: set[str], other: str) -> list[str]:
    large = [name for name in names if name in kept]
    return large if len(large) == len(names) else [*large, other]


def _table(counts: Counts, rows: list[str], columns: list[str]) -> Table:
    totals = {true: sum(counts[true, predicted] for predicted in columns) for true in rows}
    decimals = 1 if max(len(rows), len(columns)) <= _WITH_DECIMAL else 0
    cells = []
    for true in rows:
        shares = [counts[true, predicted] / totals[true] for predicted in columns]
        cells.append([Cell(_percent(share, decimals), share) for share in shares])
    labels = [f"{shown(true)} (n = {totals[true]:,.0f})" for true in rows]
    return Table(labels, [shown(name) for name in columns], cells)


def _percent(share: float, decimals: int) -> str:
    """What rounds to zero is left blank, so that the eye finds the mistakes."""
    text = f"{100 * share:.{decimals}f}"
    return text if float(text) else ""
