"""Tasks from a file: each has a name, other names, a parser and metrics, all by registered names.

`task_metric.json` is one object, a task a key:
`{"ships": {"english": "ship count", "parser": "number", "core": ["accuracy"], "auxiliary": ["mae"]}}`
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, json

from sightline.core.errors import ConfigError, UnknownNameError
from sightline.core.interfaces import Task
from sightline.core.registry import find, import_beside, is_built_in, names, unknown
from sightline.core.reply_formats import AUTO, REPLY_FORMATS, SPACES, STRICT
from sightline.core.settings import read_file

_Pixels = Annotated[int, Meta(ge=1)]
_Words = Annotated[int, Meta(ge=0)]
_OPTIONS: dict[str, tuple[Any, str]] = {
    "words": (tuple[_Words, _Words], "[15, 20]"),
    "ap": (Literal["coco", "voc"], '"coco" | "voc"'),
    "instances": (bool, "true | false"),
    "width": (_Pixels, "1024"),
    "height": (_Pixels, "1024"),
    "space": (Literal[SPACES], " | ".join(f'"{name}"' for name in SPACES)),
    "reply_format": (Literal[(AUTO, STRICT, *REPLY_FORMATS)], '"auto" | "strict" | "qwen2.5-vl" | …'),
}
"""What our own metrics understand of a task's options: the type, and how it may look."""


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
        self._by_name: dict[str, Task] = {}
        for task in self._tasks.values():
            for name in filter(None, (task.name, task.title, *task.aliases)):
                other = self._by_name.setdefault(_fold_name(name), task)
                if other is not task:
                    raise _duplicate_name_error(task, name, other)

    def __iter__(self) -> Iterator[Task]:
        return iter(self._tasks.values())

    def __len__(self) -> int:
        return len(self._tasks)

    def get(self, name: str) -> Task | None:
        """The task that is called so, if there is one."""
        return self._by_name.get(_fold_name(name))

    def find(self, name: str) -> Task:
        """The task that is called so; a name that is not there is told with the nearest."""
        if (task := self.get(name)) is not None:
            return task
        raise unknown("task", name, [n for task in self for n in (task.name, task.title) if n])

    def with_tasks(self, tasks: Iterable[Task]) -> TaskTable:
        """These tasks and more; one of the same name takes the other's place."""
        return TaskTable({**self._tasks, **{task.name: task for task in tasks}}.values())


def read_tasks(path: Path, refuse_code: bool = False) -> list[Task]:
    """The tasks of a `task_metric.json` (or YAML, TOML); names of parsers and metrics are checked.

    With `refuse_code`, a file that names a parser or metric as `module:object` is an error, and nothing is imported.
    """
    return [_task(name, rule, path, refuse_code) for name, rule in read_file(path, keep_keys=True).items()]


def _task(name: str, rule: Any, path: Path, refuse_code: bool) -> Task:
    try:
        made = msgspec.convert(rule, _Rule)
    except msgspec.ValidationError as error:
        raise ConfigError("{path}: the task '{name}': {why}", path=path, name=name, why=error) from None
    if not made.core:
        raise ConfigError("{path}: the task '{name}': {why}", path=path, name=name, why="core names no metric")
    if refuse_code:
        _refuse_code(made, path)
    try:
        _check(made.parser, "parser", names("parsers"), path)
        for metric in (*made.core, *made.auxiliary):
            _check(metric, "metric", names("metrics"), path)
        for option in made.options:
            if option not in _OPTIONS and not any(map(_takes_options, (*made.core, *made.auxiliary))):
                raise unknown("option", option, list(_OPTIONS))
    except UnknownNameError as error:
        raise ConfigError("{path}: the task '{name}': {why}", path=path, name=name, why=error) from None
    for option, value in made.options.items():
        _check_value(option, value, name, path)
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


def _refuse_code(rule: _Rule, path: Path) -> None:
    """Refuse a task that needs code which is not registered: whoever shares a run folder must not run code here."""
    registered = {*names("parsers"), *names("metrics")}
    for name in (rule.parser, *rule.core, *rule.auxiliary):
        if ":" in name and name not in registered:
            raise ConfigError(
                "{path} names code to be run ('{name}'), and only the run folder names that file.",
                hint="If you trust both, give the option again: "
                "sightline regrade RUN --task-config FILE (or --defaults)",
                path=path,
                name=name,
            )


def _check(name: str, kind: str, known: list[str], path: Path) -> None:
    if name in known:
        return
    if ":" not in name:
        raise unknown(kind, name, known)
    import_beside(path, name)


def _takes_options(metric: str) -> bool:
    """Whether a metric may know options that we don't: one over columns that is the user's own."""
    return not is_built_in("metrics", metric) and hasattr(find("metrics", metric), "state")


def _check_value(option: str, value: Any, name: str, path: Path) -> None:
    if option not in _OPTIONS:
        return
    kind, form = _OPTIONS[option]
    try:
        made = msgspec.convert(value, kind)
    except msgspec.ValidationError:
        made = None
    if made is None or (option == "words" and made[0] > made[1]):
        raise ConfigError(
            "{path}: the task '{name}': invalid value {value} for the option '{option}'; expected such as {form}",
            path=path,
            name=name,
            option=option,
            value=json.encode(value).decode(),
            form=form,
        )


def _duplicate_name_error(task: Task, name: str, other: Task) -> ConfigError:
    return ConfigError(
        "The name '{name}' of the task '{task}' is already used by the task '{other}'.",
        hint="Choose another name, or call yours '{other}': it then takes the other's place.",
        task=task.name,
        name=name,
        other=other.name,
    )


def _fold_name(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in plain if letter not in " _-\t\r\n")
