"""Tasks available to imports: those of the suites that score files."""

from __future__ import annotations

from typing import Any

from sightline.core.interfaces import Task
from sightline.core.score_config import ScoreConfig
from sightline.core.task_table import TaskTable
from sightline.scoring.files.suite_lookup import column_suite, column_suite_names


def known_tasks(task_config: str = "") -> TaskTable:
    """Table of the tasks of all suites that score files, including user-defined ones; the first name wins."""
    first, *others = column_suite_names()
    known = column_suite(ScoreConfig(task_config=task_config), first).table
    for name in others:
        for task in column_suite(ScoreConfig(), name).table:
            if not any(known.get(other) for other in (task.name, task.title, *task.aliases) if other):
                known = known.with_tasks([task])
    return known


def task_settings(task: Task) -> dict[str, Any]:
    """Return a task's settings in the format of task_metric.json."""
    return {
        "level": task.level,
        "parser": task.parser,
        "core": list(task.metrics),
        "auxiliary": list(task.auxiliary),
    }
