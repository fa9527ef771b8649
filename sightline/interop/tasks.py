"""The tasks that imported rows may belong to: those of the suites that score files."""

from __future__ import annotations

from typing import Any

from sightline.core.interfaces import Task
from sightline.core.score_config import ScoreConfig
from sightline.core.task_table import TaskTable
from sightline.scoring.files.suite_lookup import column_suite, column_suite_names


def known_tasks(task_config: str = "") -> TaskTable:
    """All tasks of all suites that score files, by all their names, the user's own too; of two of one name, our own."""
    first, *others = column_suite_names()
    known = column_suite(ScoreConfig(task_config=task_config), first).table
    for name in others:
        for task in column_suite(ScoreConfig(), name).table:
            if not any(known.get(other) for other in (task.name, task.title, *task.aliases) if other):
                known = known.with_tasks([task])
    return known


def rule_of(task: Task) -> dict[str, Any]:
    """A task's rules in the form of task_metric.json."""
    return {
        "level": task.level,
        "parser": task.parser,
        "core": list(task.metrics),
        "auxiliary": list(task.auxiliary),
    }
