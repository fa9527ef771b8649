"""Lists of the available suites, tasks and metrics, with titles in both languages."""

from __future__ import annotations

from sightline.core.interfaces import ColumnSuite, Suite
from sightline.core.registry import load_suite, names
from sightline.scoring.resolve import find_metric
from sightline.web.service.field_docs import bilingual_title
from sightline.web.service.responses import (
    MetricEntry,
    MetricList,
    SuiteEntry,
    SuiteList,
    TaskEntry,
    TaskList,
    Titles,
)
from sightline.web.service.score_suite import takes_truth


def list_tasks() -> TaskList:
    """All tasks of all suites."""
    return TaskList(
        [
            TaskEntry(
                suite=suite.name,
                name=task.name,
                title=_titles(task.title or task.name),
                aliases=list(task.aliases),
                level=task.level,
                parser=task.parser,
                metrics=list(task.metrics),
                auxiliary=list(task.auxiliary),
            )
            for suite in map(load_suite, names("suites"))
            for task in suite.tasks().values()
        ]
    )


def list_metrics() -> MetricList:
    """All metrics, by name."""
    found = {name: find_metric(name) for name in names("metrics")}
    return MetricList(
        [
            MetricEntry(
                name=name,
                title=_titles(metric.title),
                unit=metric.unit,
                higher_is_better=metric.higher_is_better,
            )
            for name, metric in sorted(found.items())
        ]
    )


def list_suites() -> SuiteList:
    """All suites."""
    return SuiteList([_suite(load_suite(name)) for name in names("suites")])


def _suite(suite: Suite) -> SuiteEntry:
    return SuiteEntry(
        name=suite.name,
        version=suite.version,
        title=_titles(suite.title),
        tasks=list(suite.tasks()),
        graded_by="task" if isinstance(suite, ColumnSuite) else "truth" if takes_truth(suite) else "files",
        services=[f"/v1/{name}" for name in suite.services()],
    )


def _titles(text: str) -> Titles:
    return Titles(**bilingual_title(text))
