"""Tasks from a file: each has a name, other names, a parser and metrics, all by registered names.

`task_metric.json` is one object, a task a key:
`{"ships": {"english": "ship count", "parser": "number", "core": ["accuracy"], "auxiliary": ["mae"]}}`
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sightline.contracts import Task
from sightline.errors import ConfigError, UnknownNameError
from sightline.registry import names, unknown
from sightline.settings import read_file


class _Rule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of the file."""

    parser: str
    core: tuple[str, ...]
    auxiliary: tuple[str, ...] = ()
    english: str = ""
    aliases: tuple[str, ...] = ()
    level: str = ""
    options: dict[str, Any] = {}


class TaskTable:
    """Tasks found by any of their names; spaces, underscores, hyphens, case and width of letters don't matter."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = {task.name: task for task in tasks}
        self._by_name = {
            _folded(name): task
            for task in self._tasks.values()
            for name in (task.name, task.title, *task.aliases)
            if name
        }

    def __iter__(self) -> Iterator[Task]:
        return iter(self._tasks.values())

    def __len__(self) -> int:
        return len(self._tasks)

    def get(self, name: str) -> Task | None:
        """The task that is called so, if there is one."""
        return self._by_name.get(_folded(name))

    def find(self, name: str) -> Task:
        """The task that is called so; a name that is not there is told with the nearest."""
        if (task := self.get(name)) is not None:
            return task
        raise unknown("task", name, [n for task in self for n in (task.name, task.title) if n])

    def with_tasks(self, tasks: Iterable[Task]) -> TaskTable:
        """These tasks and more; one of the same name takes the other's place."""
        return TaskTable({**self._tasks, **{task.name: task for task in tasks}}.values())


def read_tasks(path: Path) -> list[Task]:
    """The tasks of a `task_metric.json` (or YAML, TOML); names of parsers and metrics are checked."""
    return [_task(name, rule, path) for name, rule in read_file(path, keep_keys=True).items()]


def _task(name: str, rule: Any, path: Path) -> Task:
    try:
        made = msgspec.convert(rule, _Rule)
    except msgspec.ValidationError as error:
        raise ConfigError("{path}: the task '{name}': {why}", path=path, name=name, why=error) from None
    if not made.core:
        raise ConfigError("{path}: the task '{name}': {why}", path=path, name=name, why="core names no metric")
    try:
        _check(made.parser, "parser", names("parsers"))
        for metric in (*made.core, *made.auxiliary):
            _check(metric, "metric", sorted({*names("figures"), *names("metrics")}))
    except UnknownNameError as error:
        raise ConfigError("{path}: the task '{name}': {why}", path=path, name=name, why=error) from None
    return Task(
        name=name,
        parser=made.parser,
        metrics=made.core,
        auxiliary=made.auxiliary,
        aliases=made.aliases,
        title=made.english,
        level=made.level,
        options=made.options,
    )


def _check(name: str, kind: str, known: list[str]) -> None:
    if name not in known and ":" not in name:
        raise unknown(kind, name, known)


def _folded(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in plain if letter not in " _-\t\r\n")
