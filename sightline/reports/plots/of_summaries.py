"""What the plots need, from the figures of one or several models."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.grading.summary import Summary
from sightline.language import say
from sightline.reports.figures import shown_name
from sightline.reports.plots.data import Panel, PlotData, Point


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
            )
            for row in rows
        ]
        panels += [
            Panel(
                model=summary.model,
                task=shown.get(table.task, table.task),
                name=table.name,
                head=table.head,
                rows=table.rows,
            )
            for table in summary.breakdowns
        ]
    return PlotData(title=say(summaries[0].title), points=tuple(points), panels=tuple(panels))
