"""FrameCalc JSON → `Model`. A deviation is mended by a stated rule and told, or refused with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from sightline.core.records import Remark
from sightline.suites.structural.framecalc.loads import read_loads
from sightline.suites.structural.framecalc.mending import Entry, Mender, UnreadableError, entries, shown
from sightline.suites.structural.framecalc.structure import read_links, read_points, read_supports
from sightline.suites.structural.framecalc.tidying import joined_supports, moved, single_links, used_points
from sightline.suites.structural.framecalc.vocabulary import COLLECTIONS, WRAPPERS
from sightline.suites.structural.model import Model

LIMITS = {"points": 500, "links": 500, "supports": 500, "loads": 2000}
"""More than this is refused before anything else is looked at."""


class Reading(Struct, frozen=True, kw_only=True):
    """What came of reading: a model with what was mended on the way, or the problem that made it unreadable."""

    model: Model | None = None
    mended: list[Remark] = []
    problem: Remark | None = None


def read_model(raw: object) -> Reading:
    """The model that a JSON value stands for. Never raises, whatever the value."""
    mender = Mender()
    try:
        model = _model(raw, mender)
    except UnreadableError as error:
        return Reading(mended=mender.remarks(), problem=error.problem)
    return Reading(model=model, mended=mender.remarks())


def _model(raw: object, mender: Mender) -> Model:
    lists = _lists(raw, mender)
    points, names, inner = read_points(lists["points"], mender)
    geometry = read_links(lists["links"], points, names, mender)
    supports = read_supports([*entries(lists["supports"], "supports", mender), *inner], geometry, mender)
    loads = read_loads(lists["loads"], geometry, mender)
    stands = single_links(geometry, mender)
    links = [link for name, link in stands.items() if name == link.id]
    if not links:
        raise UnreadableError(Remark("no link has any length", {}))
    loads = [moved(load, geometry, stands) for load in loads]
    used = used_points(points, links, loads, mender)
    return Model(points=used, links=tuple(links), supports=joined_supports(supports, used, mender), loads=tuple(loads))


def _lists(raw: object, mender: Mender) -> dict[str, list[Any]]:
    """The four lists, none longer than its limit."""
    if not isinstance(raw, Mapping):
        raise UnreadableError(Remark("a model is a JSON object, not '{value}'", {"value": shown(raw)}))
    entry = Entry(raw, "model", mender)
    if entry.get("points", COLLECTIONS["points"]) is None:
        for key in WRAPPERS:
            if isinstance(inside := raw.get(key), Mapping):
                mender.note(Remark("the model is taken from the key '{key}'", {"key": key}))
                entry = Entry(inside, "model", mender)
                break
    return {name: _list(entry, name, mender) for name in COLLECTIONS}


def _list(entry: Entry, name: str, mender: Mender) -> list[Any]:
    value = entry.get(name, COLLECTIONS[name])
    if isinstance(value, Mapping):
        mender.note(Remark("{name} given as a table are read as a list, each with its key as id", {"name": name}))
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
