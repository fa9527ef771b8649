"""FrameCalc JSON → `Model`. Deviations are repaired by a stated rule and logged, or rejected with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from sightline.core.records import Remark
from sightline.suites.structural.framecalc.loads import read_loads
from sightline.suites.structural.framecalc.repairs import Entry, RepairLog, UnreadableError, format_value, iter_entries
from sightline.suites.structural.framecalc.simplify import (
    drop_unused_points,
    merge_duplicate_links,
    merge_supports,
    move_load,
)
from sightline.suites.structural.framecalc.structure import read_links, read_points, read_supports
from sightline.suites.structural.framecalc.synonyms import COLLECTIONS, WRAPPERS
from sightline.suites.structural.model import Model

LIMITS = {"points": 500, "links": 500, "supports": 500, "loads": 2000}
"""Maximum length of each list, checked before anything else."""


class ModelReading(Struct, frozen=True, kw_only=True):
    """Result of reading: a model and its repairs, or the problem that made it unreadable."""

    model: Model | None = None
    repairs: list[Remark] = []
    problem: Remark | None = None


def read_model(raw: object) -> ModelReading:
    """Parse a decoded JSON value as a model. Never raises, whatever the value."""
    repair_log = RepairLog()
    try:
        model = _model(raw, repair_log)
    except UnreadableError as error:
        return ModelReading(repairs=repair_log.remarks(), problem=error.problem)
    return ModelReading(model=model, repairs=repair_log.remarks())


def _model(raw: object, repair_log: RepairLog) -> Model:
    lists = _lists(raw, repair_log)
    points, names, point_supports = read_points(lists["points"], repair_log)
    geometry = read_links(lists["links"], points, names, repair_log)
    supports = read_supports(
        [*iter_entries(lists["supports"], "supports", repair_log), *point_supports], geometry, repair_log
    )
    loads = read_loads(lists["loads"], geometry, repair_log)
    replacements = merge_duplicate_links(geometry, repair_log)
    links = [link for name, link in replacements.items() if name == link.id]
    if not links:
        raise UnreadableError(Remark("no link has any length", {}))
    loads = [move_load(load, geometry, replacements) for load in loads]
    used = drop_unused_points(points, links, loads, repair_log)
    return Model(
        points=used, links=tuple(links), supports=merge_supports(supports, used, repair_log), loads=tuple(loads)
    )


def _lists(raw: object, repair_log: RepairLog) -> dict[str, list[Any]]:
    """The four lists of a model, none longer than its limit."""
    if not isinstance(raw, Mapping):
        raise UnreadableError(Remark("a model is a JSON object, not '{value}'", {"value": format_value(raw)}))
    entry = Entry(raw, "model", repair_log)
    if entry.get("points", COLLECTIONS["points"]) is None:
        for key in WRAPPERS:
            if isinstance(inside := raw.get(key), Mapping):
                repair_log.record(Remark("the model is taken from the key '{key}'", {"key": key}))
                entry = Entry(inside, "model", repair_log)
                break
    return {name: _list(entry, name, repair_log) for name in COLLECTIONS}


def _list(entry: Entry, name: str, repair_log: RepairLog) -> list[Any]:
    value = entry.get(name, COLLECTIONS[name])
    if isinstance(value, Mapping):
        repair_log.record(Remark("{name} given as a table are read as a list, each with its key as id", {"name": name}))
        value = [{"id": key, **item} if isinstance(item, Mapping) else item for key, item in value.items()]
    if value is None and name in ("supports", "loads"):
        value = []
    if not isinstance(value, list | tuple):
        raise UnreadableError(Remark("the model has no list of {name}", {"name": name}))
    if len(value) > LIMITS[name]:
        facts = {"count": len(value), "name": name, "limit": LIMITS[name]}
        raise UnreadableError(Remark("{count} {name} are more than the {limit} that are read", facts))
    if not value and name in ("points", "links"):
        raise UnreadableError(Remark("the list of {name} is empty", {"name": name}))
    return list(value)
