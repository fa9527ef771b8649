"""The suite's tables: shipped with it, replaced by a folder of the user's, or added to by single files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sightline.core.errors import ConfigError
from sightline.core.interfaces import Reading
from sightline.core.settings import read_file
from sightline.core.task_table import TaskTable, read_tasks

if TYPE_CHECKING:
    from sightline.suites.remote_sensing import Options

SHIPPED = Path(__file__).parent / "defaults"


def task_table(options: Options, untrusted: frozenset[str] = frozenset()) -> TaskTable:
    """All tasks, with the user's own; files of untrusted options may name registered parsers and metrics only."""
    table = TaskTable(read_tasks(_file(options, "task_metric.json"), refuse_code="defaults" in untrusted))
    if not options.task_config:
        return table
    return table.with_tasks(read_tasks(Path(options.task_config), refuse_code="task_config" in untrusted))


def reading(options: Options) -> Reading:
    """How texts are understood; labels are unified only where that is asked for."""
    labels = Path(options.label_mapping) if options.label_mapping else None
    if options.label_mapping == "default":
        labels = _file(options, "label_mapping.json")
    return Reading(
        labels=_mapping(labels) if labels else {},
        coords=options.coords or options.truth_coords,
        truth_coords=options.truth_coords,
    )


def renames(options: Options) -> dict[str, str]:
    """What fields are called elsewhere."""
    own = _mapping(Path(options.field_mapping)) if options.field_mapping else {}
    return {**_mapping(_file(options, "field_mapping.json")), **own}


def user_files(options: Options) -> dict[str, Path]:
    """All files of the user's own that decide what is asked or how it is graded, by the option that names them."""
    named = {"--task-config": options.task_config, "--field-mapping": options.field_mapping}
    if options.label_mapping != "default":
        named["--label-mapping"] = options.label_mapping
    found = {flag: Path(path) for flag, path in named.items() if path}
    for name in ("task_metric.json", "field_mapping.json", "label_mapping.json"):
        if options.defaults and (path := Path(options.defaults) / name).is_file():
            found[f"--defaults/{name}"] = path
    return found


def _file(options: Options, name: str) -> Path:
    """The user's file of that name where there is one, else the shipped one."""
    if options.defaults and not Path(options.defaults).is_dir():
        raise ConfigError("{path} is no folder.", path=options.defaults)
    own = Path(options.defaults) / name
    return own if options.defaults and own.is_file() else SHIPPED / name


def _mapping(path: Path) -> dict[str, str]:
    values = read_file(path, keep_keys=True)
    for key, value in values.items():
        if not isinstance(value, str):
            raise ConfigError("{path}: '{key}' must be a text, not {value}.", path=path, key=key, value=repr(value))
    return values
