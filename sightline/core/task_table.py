"""Tasks from a file: each has a name, other names, a parser and metrics, all by registered names.

`task_metric.json` is one object, a task a key:
`{"ships": {"english": "ship count", "parser": "number", "core": ["accuracy"], "auxiliary": ["mae"]}}`
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import msgspec
from msgspec import Meta, Struct, json

from sightline.core.errors import ConfigError, UnknownNameError
from sightline.core.interfaces import Task
from sightline.core.other_task_tables import is_other_table, translate_tasks
from sightline.core.registry import find, import_beside, is_built_in, names, nearest, unknown
from sightline.core.reply_formats import AUTO, REPLY_FORMATS, SPACES, STRICT
from sightline.core.settings import read_file

_Pixels = Annotated[int, Meta(ge=1)]
_Words = Annotated[int, Meta(ge=0)]
_OPTIONS: dict[str, tuple[Any, str]] = {
    "words": (tuple[_Words, _Words], "[15, 20]"),
    "ap": (Literal["coco", "voc"], '"coco" | "voc"'),
    "instances": (bool, "true | false"),
    "ordered": (bool, "true | false"),
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


class NameMeaning(Protocol):
    """Finds tasks by what the words of a name mean, where no list has the name."""

    def find(self, name: str) -> str:
        """The name of the task that is meant; empty where none is, or several could be."""

    def suggest(self, name: str) -> Sequence[str]:
        """Names of the tasks that could be meant."""


class TaskTable:
    """Tasks found by any of their names; spaces, underscores, hyphens, case and width of letters don't matter.

    A name that no task has may still mean one, by `meaning`.
    """

    def __init__(self, tasks: Iterable[Task], meaning: NameMeaning | None = None) -> None:
        self._meaning = meaning
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
        """The task with that name or, by the words of the name, with that meaning; None if there is none."""
        known = self._by_name.get(_fold_name(name))
        if known is not None or self._meaning is None:
            return known
        return self._tasks.get(self._meaning.find(name))

    def find(self, name: str) -> Task:
        """The task with that name; raises `UnknownNameError`, which suggests the nearest name."""
        if (task := self.get(name)) is not None:
            return task
        known = [n for task in self for n in (task.name, task.title) if n]
        meant = self.suggest(name)
        raise unknown("task", name, known, near=" / ".join(meant) if len(meant) > 1 else "")

    def suggest(self, name: str) -> list[str]:
        """Names of the tasks that were probably meant by a name that is not there."""
        meant = [] if self._meaning is None else [task for task in self._meaning.suggest(name) if task in self._tasks]
        if meant:
            return meant
        near = nearest(name[:100], [n for task in self for n in (task.name, task.title, *task.aliases) if n])
        return [self._by_name[_fold_name(near)].name] if near else []

    def with_tasks(self, tasks: Iterable[Task]) -> TaskTable:
        """These tasks and more; a task replaces one of the same name."""
        return TaskTable({**self._tasks, **{task.name: task for task in tasks}}.values(), self._meaning)


def read_tasks(path: Path, refuse_code: bool = False, known: TaskTable | None = None) -> list[Task]:
    """The tasks of a `task_metric.json` (or YAML, TOML); names of parsers and metrics are checked.

    A list of tasks, as other tools write it, is understood too; its tasks may be some of the `known` ones. With
    `refuse_code`, a file that names a parser or metric as `module:object` is an error, and nothing is imported.
    """
    values = read_file(path, keep_keys=True, list_key="tasks")
    if is_other_table(values):
        values = translate_tasks(values, known)
    return [_task(name, rule, path, refuse_code) for name, rule in values.items()]


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
    """Refuse a task that needs unregistered code: a shared run folder must not be able to run code here."""
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
