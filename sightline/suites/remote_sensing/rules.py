"""Tables of tasks, labels and fields: defaults, replaced by a user folder or extended by single files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sightline.core.errors import ConfigError
from sightline.core.interfaces import Reading
from sightline.core.settings import read_file
from sightline.core.task_table import TaskTable, read_tasks

if TYPE_CHECKING:
    from sightline.suites.remote_sensing import Options

DEFAULTS = Path(__file__).parent / "defaults"


def task_table(options: Options, untrusted: frozenset[str] = frozenset()) -> TaskTable:
    """The task table with user-defined tasks; untrusted files may name only registered parsers and metrics."""
    table = TaskTable(read_tasks(_file(options, "task_metric.json"), refuse_code="defaults" in untrusted))
    if not options.task_config:
        return table
    return table.with_tasks(read_tasks(Path(options.task_config), refuse_code="task_config" in untrusted))


def reading(options: Options) -> Reading:
    """Label mapping and coordinate spaces; labels are mapped only on request."""
    labels = Path(options.label_mapping) if options.label_mapping else None
    if options.label_mapping == "default":
        labels = _file(options, "label_mapping.json")
    return Reading(
        labels=_mapping(labels) if labels else {},
        coords=options.coords or options.truth_coords,
        truth_coords=options.truth_coords,
    )


def renames(options: Options) -> dict[str, str]:
    """Mapping of alternative field names."""
    user_file = _mapping(Path(options.field_mapping)) if options.field_mapping else {}
    return {**_mapping(_file(options, "field_mapping.json")), **user_file}


def user_files(options: Options) -> dict[str, Path]:
    """User files that affect questions or grading, by the option that names them."""
    paths = {"--task-config": options.task_config, "--field-mapping": options.field_mapping}
    if options.label_mapping != "default":
        paths["--label-mapping"] = options.label_mapping
    files = {flag: Path(path) for flag, path in paths.items() if path}
    for name in ("task_metric.json", "field_mapping.json", "label_mapping.json"):
        if options.defaults and (path := Path(options.defaults) / name).is_file():
            files[f"--defaults/{name}"] = path
    return files


def _file(options: Options, name: str) -> Path:
    """The user's file of that name if it exists, else the default one."""
    if options.defaults and not Path(options.defaults).is_dir():
        raise ConfigError("{path} is not a folder.", path=options.defaults)
    user_file = Path(options.defaults) / name
    return user_file if options.defaults and user_file.is_file() else DEFAULTS / name


def _mapping(path: Path) -> dict[str, str]:
    values = read_file(path, keep_keys=True)
    for key, value in values.items():
        if not isinstance(value, str):
            raise ConfigError("{path}: '{key}' must be a text, not {value}.", path=path, key=key, value=repr(value))
    return values
