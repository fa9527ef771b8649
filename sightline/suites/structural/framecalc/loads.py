"""Loads of a FrameCalc model, normalized to world angles and to metres from end a."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sightline.core.records import Remark
from sightline.suites.structural.framecalc.ids import IdTable
from sightline.suites.structural.framecalc.repairs import Entry, RepairLog, UnreadableError, iter_entries, parse_id
from sightline.suites.structural.framecalc.structure import Geometry, normalize_angle, resolve_location
from sightline.suites.structural.framecalc.synonyms import ANGLE_MODES, FIELDS, LOAD_KINDS, OFFSET_MODES
from sightline.suites.structural.model import DistributedLoad, Force, Link, Load, Moment

_OVERSHOOT = 0.01
"""An offset beyond the link by no more than this share of its length is a rounding error and is set to the end."""


def read_loads(raw: Sequence[object], geometry: Geometry, repair_log: RepairLog) -> list[Load]:
    """The loads in their order, without exact duplicates of the same id."""
    entries = list(iter_entries(raw, "loads", repair_log))
    loads = [_load(entry, geometry) for entry in entries]
    ids = IdTable("loads", "LD", repair_log).assign([parse_id(entry.get("id")) for entry in entries], loads)
    return [replace(load, id=name) for load, name in zip(loads, ids, strict=True) if name]


def _load(entry: Entry, geometry: Geometry) -> Load:
    kind = entry.keyword("kind", LOAD_KINDS)
    where, at = resolve_location(entry, geometry, prefer="link" if kind == "distributedLoad" else "")
    link = geometry.links[at] if where == "link" else None
    if link is not None and geometry.length(link) == 0.0:
        facts = {"where": entry.where, "link": link.id}
        raise UnreadableError(Remark("{where}: lies on link {link}, which has no length", facts))
    if kind == "distributedLoad":
        if link is None:
            raise UnreadableError(Remark("{where}: a distributed load lies on a link", {"where": entry.where}))
        return _distributed_load(entry, link, geometry)
    value = entry.required_number("value")
    offset = _offset(entry, geometry.length(link)) if link else 0.0
    point, on = ("", at) if link else (at, "")
    if kind == "bendingMoment":
        return Moment(id="", value=_flip(entry) * value, point=point, link=on, offset=offset)
    return Force(id="", value=value, angle=_angle(entry, link, geometry), point=point, link=on, offset=offset)


def _distributed_load(entry: Entry, link: Link, geometry: Geometry) -> DistributedLoad:
    length = geometry.length(link)
    w_begin, w_end = entry.number("wStart"), entry.number("wEnd")
    if w_begin is None:
        if w_end is not None:
            raise UnreadableError(Remark("{where}: {field} is missing", {"where": entry.where, "field": "wStart"}))
        w_begin = entry.required_number("wStart", FIELDS["w"])
    if w_end is None:
        entry.repair_log.record(Remark("{where}: no wEnd, so the load is uniform", {"where": entry.where}))
        w_end = w_begin
    begin = _within(entry, entry.number("fromStart") or 0.0, length)
    trimmed = entry.number("fromEnd") or 0.0
    end = _within(entry, length - trimmed, length)
    if end <= begin:
        raise UnreadableError(
            Remark("{where}: fromStart and fromEnd leave nothing of the link", {"where": entry.where})
        )
    angle = _angle(entry, link, geometry)
    return DistributedLoad(id="", link=link.id, begin=begin, end=end, w_begin=w_begin, w_end=w_end, angle=angle)


def _flip(entry: Entry) -> float:
    flip = entry.number("flip")
    if flip is None:
        return 1.0
    if abs(flip) != 1.0:
        facts = {"where": entry.where, "value": f"{flip:g}"}
        raise UnreadableError(Remark("{where}: flip is {value} and must be 1 or -1", facts))
    return flip


def _angle(entry: Entry, link: Link | None, geometry: Geometry) -> float:
    """The direction of the load in the world, flip included."""
    mode = entry.keyword("angleMode", ANGLE_MODES, default="relative")
    angle = entry.number("angleDeg")
    if angle is None:
        angle = entry.number("angleWorldDeg")
        mode = "world"
        if angle is None:
            raise UnreadableError(Remark("{where}: {field} is missing", {"where": entry.where, "field": "angleDeg"}))
        entry.repair_log.record(Remark("{where}: no angleDeg, so angleWorldDeg is taken", {"where": entry.where}))
    if mode == "relative" and link is not None:
        angle += geometry.direction(link)
    return normalize_angle(angle if _flip(entry) > 0 else angle + 180.0)


def _offset(entry: Entry, length: float) -> float:
    """Metres from end a."""
    metres, percent = entry.number("offset"), entry.number("offsetPercent")
    mode = entry.keyword("offsetMode", OFFSET_MODES, default="m" if metres is not None else "percent")
    share = percent / 100 * length if percent is not None else None
    if metres is None and share is None:
        raise UnreadableError(Remark("{where}: {field} is missing", {"where": entry.where, "field": "offset"}))
    if metres is None or share is None:
        along = metres or share or 0.0
    elif entry.get("offsetMode") is None and abs(metres - share) > _OVERSHOOT * length:
        facts = {"where": entry.where}
        raise UnreadableError(Remark("{where}: offset and offsetPercent disagree, and no offsetMode decides", facts))
    else:
        along = share if mode == "percent" else metres
    along = _within(entry, along, length)
    return length - along if _from_b(entry) else along


def _from_b(entry: Entry) -> bool:
    value = entry.get("refEnd")
    if value is None:
        return False
    word = value.strip().upper() if isinstance(value, str) else ""
    if word not in ("A", "B"):
        facts = {"where": entry.where, "field": "refEnd", "value": word or "?"}
        raise UnreadableError(Remark("{where}: {field} '{value}' is unknown", facts))
    return word == "B"


def _within(entry: Entry, along: float, length: float) -> float:
    if 0.0 <= along <= length:
        return along
    facts = {"where": entry.where, "place": f"{along:g}", "length": f"{length:g}"}
    if -_OVERSHOOT * length <= along <= (1 + _OVERSHOOT) * length:
        if not -1e-9 * length <= along <= (1 + 1e-9) * length:
            entry.repair_log.record(
                Remark("{where}: {place} m is just beyond the link of {length} m; set to its end", facts)
            )
        return min(max(along, 0.0), length)
    raise UnreadableError(Remark("{where}: {place} m is beyond the link of {length} m", facts))
