"""What a suite concludes from all figures of a run: its digest, sentences and tables, put into the summary."""

from __future__ import annotations

from sightline.core.interfaces import Suite
from sightline.scoring.summary import Summary, TaskBreakdown


def add_conclusions(suite: Suite, summary: Summary) -> Summary:
    """The summary with what `Suite.summarize` and `Suite.plot_tables` make of its figures."""
    figures = {(row.scope, row.name, row.metric): row.estimate for row in summary.rows}
    summary.digest, sentences = suite.summarize(figures)
    panels = [
        TaskBreakdown(task="", name=name, head=tuple(head), rows=tuple(map(tuple, rows)))
        for name, (head, rows) in suite.plot_tables(figures).items()
    ]
    summary.breakdowns = [*panels, *summary.breakdowns]
    summary.notes = [*sentences, *summary.notes]
    return summary
