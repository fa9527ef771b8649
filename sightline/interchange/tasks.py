"""The tasks that imported rows may belong to: those of the suite that scores files."""

from __future__ import annotations

from typing import Any

from sightline.contracts import Task
from sightline.score_config import ScoreConfig
from sightline.scoring.rules import column_suite
from sightline.task_table import TaskTable


def known_tasks(task_config: str = "") -> TaskTable:
    """All tasks by all their names, the user's own too."""
    return column_suite(ScoreConfig(task_config=task_config)).table


def rule_of(task: Task) -> dict[str, Any]:
    """A task's rules in the form of task_metric.json."""
    return {
        "level": task.level,
        "parser": task.parser,
        "core": list(task.metrics),
        "auxiliary": list(task.auxiliary),
    }
