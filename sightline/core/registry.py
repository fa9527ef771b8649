"""Suites, tasks, metrics, parsers, models, commands and functions by name, through entry points.

Built-in ones are registered in the same way.
Nothing is imported until it is asked for. `module:object` names something that is not registered.
"""

from __future__ import annotations

import importlib
import sys
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sightline.core.errors import ConfigError, UnknownNameError, UsageError
from sightline.core.remarks import Remark

if TYPE_CHECKING:
    from sightline.core.interfaces import Suite

Kind = Literal[
    "suites", "tasks", "metrics", "parsers", "scorers", "models", "commands", "functions", "importers", "exporters"
]
"""A command is one of the command line's; a function is a public name of the
package: `sightline.NAME`; an importer reads, an exporter writes a format of other tools."""


@cache
def _entries(kind: Kind) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in _installed().select(group=f"sightline.{kind}")}


@cache
def _installed() -> Any:
    """All entry points there are; each look goes through every installed package."""
    return entry_points()


def names(kind: Kind) -> list[str]:
    """All registered names of a kind, sorted."""
    return sorted(_entries(kind))


def nearest(name: str, known: list[str]) -> str:
    """The known name that was probably meant, or an empty string."""
    folded = {k.lower().replace("-", "_"): k for k in known}
    close = get_close_matches(name.lower().replace("-", "_"), folded, n=1, cutoff=0.5)
    return folded[close[0]] if close else ""


_KIND_WORDS = (
    *(Remark("suite"), Remark("metric"), Remark("parser"), Remark("scorer"), Remark("model"), Remark("command")),
    *(Remark("function"), Remark("importer"), Remark("exporter"), Remark("baseline"), Remark("field")),
)
"""What `unknown` names, beside tasks and options, for the catalog of texts."""


def unknown(kind: str, name: str, known: list[str], near: str = "") -> UnknownNameError:
    """The error for a name that is not there, with the nearest one and the whole list; `near`: what is nearest."""
    near = near or nearest(name, known)
    return UnknownNameError(
        "No {kind} is called '{name}'. Did you mean '{near}'?" if near else "No {kind} is called '{name}'.",
        hint="Known: {listed}",
        kind=Remark(kind),
        name=name,
        near=near,
        listed=", ".join(known) or "–",
    )


def find(kind: Kind, name: str) -> Any:
    """The object registered as `name`, or the one at `module:object`."""
    if entry := _entries(kind).get(name):
        return _load(entry)
    if ":" in name and kind != "models":
        return import_object(name)
    raise unknown(kind.removesuffix("s"), name, names(kind))


def is_built_in(kind: Kind, name: str) -> bool:
    """Whether a name is one of ours; nothing is imported for that."""
    entry = _entries(kind).get(name)
    return (entry.value if entry else name).partition(":")[0].partition(".")[0] == "sightline"


def import_beside(file: Path, name: str) -> None:
    """Let `module:object` come from the folder of the file that names it, after all that is installed.

    The file names code to be run anyway, so its folder is trusted as much as the file; no other folder is.
    """
    folder, top = file.resolve().parent, name.partition(":")[0].partition(".")[0]
    if top == "sightline" or not top.isidentifier():
        return
    here = [path for path in (folder / f"{top}.py", folder / top / "__init__.py") if path.is_file()]
    if not here and not (folder / top).is_dir():
        return
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # last: a file called random.py must not shadow a module
        importlib.invalidate_caches()
    try:
        spec = find_spec(top)
    except ValueError:  # a module without a file, such as that of a notebook
        return
    if here and spec is not None and (spec.origin is None or Path(spec.origin).resolve() not in here):
        raise ConfigError(
            "{path} names '{name}', but the module '{module}' beside it is hidden by another: {other}",
            hint="Give the module another name; Python keeps the first module of a name.",
            path=file,
            name=name,
            module=top,
            other=spec.origin or top,
        )


@cache  # tasks and parsers are looked up for every reply
def _load(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:  # a module may do anything when it is imported
        raise UsageError(
            "The plug-in '{name}' ({where}) could not be loaded: {why}",
            hint="Install it again, or uninstall the package that registers it.",
            name=entry.name,
            where=entry.value,
            why=_describe(error),
        ) from error


_SEARCHED_FOLDERS = Remark(
    "Modules are looked for in what is installed, in PYTHONPATH, and in the folder of the task file."
).text


def import_object(name: str, searched: str = "") -> Any:
    """The object at `module:object`, which need not be registered.

    `searched` says where its module was looked for; default: among others beside the task file that names it.
    """
    parts = name.split(":")
    if len(parts) != 2 or not all(word.isidentifier() for part in parts for word in part.split(".")):
        raise UsageError("'{name}' is not of the form module:object, such as my_package.angles:read_angle.", name=name)
    try:
        return EntryPoint(name, name, "").load()
    except Exception as error:  # a module may do anything when it is imported
        module, attribute = parts
        missing = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
        is_missing = bool(missing) and f"{module}.".startswith(f"{missing}.")
        is_imported = isinstance(error, AttributeError) and module in sys.modules
        public = [word for word in dir(sys.modules.get(module)) if not word.startswith("_")]
        near = nearest(attribute, public) if is_imported else ""
        if is_missing:
            hint = Remark(searched or _SEARCHED_FOLDERS)
        elif missing:
            hint = Remark("The module imports '{missing}': install it in the environment of Sightline.")
        elif is_imported:
            hint = Remark("Did you mean '{near}'?") if near else Remark("The module has: {listed}")
        else:
            hint = Remark("The module itself raises this error when it is imported.")
        raise UsageError(
            "'{name}' could not be loaded: {why}",
            hint=hint.text,
            name=name,
            why=_describe(error),
            missing=missing,
            near=near,
            listed=", ".join(public[:20]) or "–",
        ) from error


def _describe(error: Exception) -> str:
    """Why an import failed; for an error that the module itself raises, with its type."""
    return str(error) if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"


def load_suite(name: str, **options: Any) -> Suite:
    """A suite by name, made with its own options (`load_suite("simulation", modality="text")`)."""
    from sightline.core.settings import convert

    suite = find("suites", name)
    made: Suite = suite(convert(suite.options_type, options))
    return made
