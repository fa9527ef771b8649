"""Suites, tasks, metrics, figures, parsers, models, commands and functions by name, through entry points.

The built-ins use the same door.
Nothing is imported until it is asked for. `module:object` names something that is not registered.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Literal

from sightline.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from sightline.contracts import Suite

Kind = Literal[
    "suites",
    "tasks",
    "metrics",
    "parsers",
    "figures",
    "markers",
    "models",
    "commands",
    "functions",
    "importers",
    "exporters",
]
"""A figure is a metric over columns; a command is one of the command line's; a function is a public name of the
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


def unknown(kind: str, name: str, known: list[str]) -> UnknownNameError:
    """The error for a name that is not there, with the nearest one and the whole list."""
    listed = ", ".join(known) or "–"
    if near := nearest(name, known):
        return UnknownNameError(
            "No {kind} is called '{name}'. Did you mean '{near}'?",
            hint="Known: {listed}",
            kind=kind,
            name=name,
            near=near,
            listed=listed,
        )
    return UnknownNameError(
        "No {kind} is called '{name}'.", hint="Known: {listed}", kind=kind, name=name, listed=listed
    )


def find(kind: Kind, name: str) -> Any:
    """The object registered as `name`, or the one at `module:object`."""
    if entry := _entries(kind).get(name):
        return _load(entry)
    if ":" in name and kind != "models":
        return _load(EntryPoint(name, name, f"sightline.{kind}"))
    raise unknown(kind.removesuffix("s"), name, names(kind))


def _load(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        raise UsageError(
            "The plug-in '{name}' ({where}) could not be loaded: {why}",
            hint="Install it again, or uninstall the package that registers it.",
            name=entry.name,
            where=entry.value,
            why=error,
        ) from error


def load_suite(name: str, **options: Any) -> Suite:
    """A suite by name, made with its own options (`load_suite("simulation", modality="text")`)."""
    from sightline.settings import convert

    suite = find("suites", name)
    made: Suite = suite(convert(suite.options_type, options))
    return made
