"""What the plots need, from the figures of one or several models."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.core.registry import find, names
from sightline.i18n import tr
from sightline.reports.figures import shown_name
from sightline.reports.plots.data import Entry, Panel, PlotData, Point
from sightline.scoring.summary import Row, Summary


def plot_data(summaries: Sequence[Summary]) -> PlotData:
    """The figures by task, and the tables beside them."""
    points, panels = [], []
    for summary in summaries:
        rows = summary.rows_of("task")
        first = {row.name: row.metric for row in reversed(rows)}
        shown = {row.name: shown_name(row) for row in rows}
        points += [
            Point(
                model=summary.model,
                task=shown_name(row),
                metric=row.metric,
                title=row.title,
                unit=row.unit,
                core=row.core,
                headline=first[row.name] == row.metric,
                higher_is_better=row.higher_is_better,
                value=row.estimate.value,
                low=row.estimate.low,
                high=row.estimate.high,
                n=row.estimate.n,
                baseline=row.baseline.value if row.baseline else None,
            )
            for row in rows
        ]
        panels += [
            Panel(
                model=summary.model,
                task=shown.get(table.task, table.task),
                name=table.name,
                head=table.head,
                # a file may hold rows of any length
                rows=tuple(row for row in table.rows if len(row) == len(table.head)),
            )
            for table in summary.breakdowns
            if len(table.head) > 1
        ]
        panels += _rungs(summary)
    return PlotData(title=tr(summaries[0].title), points=tuple(points), panels=tuple(panels))


def _rungs(summary: Summary) -> list[Panel]:
    """The ladder of diagnosis: metrics that say by their `rung` (0 to 1) how far up an answer must have come."""
    wanted = [row for row in summary.rows if row.scope in ("overall", "task")]
    rows = [(rung, row) for row in wanted if (rung := _rung(row)) is not None]
    steps = dict(sorted({rung: row.title for rung, row in rows}.items()))
    if len(steps) < 2:
        return []
    found = {(rung, row.scope, row.name): row for rung, row in rows}
    head: list[str] = ["rung"]
    table: list[list[Entry]] = [[title] for title in steps.values()]
    for scope, name in dict.fromkeys((row.scope, row.name) for _, row in rows):
        shown = next(shown_name(row) for _, row in rows if (row.scope, row.name) == (scope, name))
        shown = shown or tr("All samples")
        head += [shown, f"{shown}_low", f"{shown}_high"]
        for line, rung in zip(table, steps, strict=True):
            line += _figures(found.get((rung, scope, name)))
    return [Panel(model=summary.model, task="", name="rungs", head=tuple(head), rows=tuple(map(tuple, table)))]


def _rung(row: Row) -> float | None:
    if row.metric not in names("metrics"):  # a file must not name code to be loaded
        return None
    rung = getattr(find("metrics", row.metric), "rung", None)
    return float(rung) if isinstance(rung, int | float) else None


def _figures(row: Row | None) -> list[float | None]:
    return [None] * 3 if row is None else [row.estimate.value, row.estimate.low, row.estimate.high]
