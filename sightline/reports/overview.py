"""One line a run, whatever its suite: score, interval, best control, skill."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.i18n import tr
from sightline.reports.figures import figure, interval, skill
from sightline.reports.tables import Bar, Table
from sightline.scoring.summary import Summary


def overview(summaries: Sequence[Summary], marks: Sequence[str] = ()) -> Table:
    """The headline of every run; `marks` are the letters by which a page calls them."""
    head = [tr("Suite"), tr("Model"), tr("Score"), tr("95 % interval"), tr("Best blind baseline"), tr("Skill")]
    rows: list[list[str]] = []
    bars: list[Bar | None] = []
    for summary in summaries:
        score, baseline = summary.score, summary.best_baseline
        unit = summary.head.unit if summary.head else "share"
        rows.append(
            [
                summary.suite,
                summary.model,
                figure(score.value if score else None, unit),
                interval(score, unit) if score else "–",
                figure(baseline.value) if baseline else "–",
                skill(baseline.skill) if baseline else "–",
            ]
        )
        value = score.value if score and score.value is not None and unit == "share" else 0.0
        bars.append(Bar(value, value, value, baseline.value if baseline else None))
    if marks:
        head, rows = ["", *head], [[mark, *row] for mark, row in zip(marks, rows, strict=True)]
    return Table(title="", head=head, rows=rows, bars=bars, texts=3 if marks else 2)
