"""The result of scoring files: every model's figures, as an object for people who program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from sightline.core.errors import UsageError
from sightline.scoring.dataframes import estimate_of, records, to_pandas, to_polars
from sightline.scoring.summary import Row, Summary


class ScoreReport(Struct, kw_only=True):
    """The figures of one or several models on the same annotations, and the folder with all files."""

    folder: Path
    summaries: dict[str, Summary]

    @property
    def summary(self) -> Summary:
        """The only model's figures, or the first one's."""
        return next(iter(self.summaries.values()))

    def value(self, task: str, metric: str, model: str = "") -> float | None:
        """One figure, such as `report.value("计数", "mae")`."""
        summary = self.summaries[model] if model else self.summary
        found = [row for row in summary.rows if row.scope == "task" and (row.name, row.metric) == (task, metric)]
        if not found:
            raise UsageError("The report has no '{metric}' of '{task}'.", metric=metric, task=task)
        return found[0].estimate.value

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values: by model, then overall, by level and by task."""
        return {
            "folder": str(self.folder),
            "models": {model: _plain(summary) for model, summary in self.summaries.items()},
        }

    def to_dataframe(self) -> Any:
        """One row a figure, as a pandas DataFrame."""
        return to_pandas(records(self.summaries))

    def to_polars(self) -> Any:
        """One row a figure, as a Polars DataFrame."""
        return to_polars(records(self.summaries))

    def _repr_html_(self) -> str:
        from sightline.reports.html import summaries_html

        return summaries_html(list(self.summaries.values()))

    def __str__(self) -> str:
        from sightline.reports.markdown import to_markdown

        return "\n\n".join(map(to_markdown, self.summaries.values()))


def _plain(summary: Summary) -> dict[str, Any]:
    by_task: dict[str, Any] = {}
    for row in summary.rows_of("task"):
        by_task.setdefault(row.name, {"metrics": {}, "breakdowns": {}})["metrics"][row.metric] = _figure(row)
    for table in summary.breakdowns:
        by_task[table.task]["breakdowns"][table.name] = {"head": table.head, "rows": table.rows}
    return {
        "suite": summary.suite,
        "samples": summary.samples,
        "pending": summary.pending,
        "states": summary.states,
        "coverage": summary.coverage,
        "overall": {row.metric: _figure(row) for row in summary.rows_of("overall")},
        "levels": {row.name: {row.metric: _figure(row)} for row in summary.rows_of("level")},
        "tasks": by_task,
        "deviations": [str(remark) for remark in summary.deviations],
        "notes": [str(remark) for remark in summary.notes],
    }


def _figure(row: Row) -> dict[str, Any]:
    figure = estimate_of(row)
    if row.control is not None:
        figure |= {"control": row.control.name, "control_value": row.control.value, "skill": row.control.skill}
    return figure
