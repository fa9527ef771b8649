"""Points, links, supports and loads of a FrameCalc model, with angles in world axes and offsets from end a."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.remarks import Remark
from sightline.suites.structural.framecalc.repairs import (
    FIELDS,
    Entry,
    EntryError,
    IdTable,
    RepairLog,
    UnreadableError,
    format_value,
    iter_entries,
    lookup_synonym,
    parse_id,
)
from sightline.suites.structural.model import (
    STANDARD_A,
    STANDARD_E,
    STANDARD_I,
    DistributedLoad,
    Force,
    Link,
    Load,
    Moment,
    Point,
    PointSupport,
    SupportKind,
    find_crossing_points,
)

_MAX_STIFFNESS = 1e15
_MERGE_DISTANCE = 1e-6
"""Points closer than this share of the model's extent, or than this many metres, are merged."""


class Geometry(Struct):
    """The points and links read so far, with their id tables."""

    points: dict[str, Point]
    links: dict[str, Link]
    point_ids: IdTable
    link_ids: IdTable

    def length(self, link: Link) -> float:
        """Length of a link in metres."""
        a, b = self.points[link.a], self.points[link.b]
        return math.hypot(b.x - a.x, b.y - a.y)

    def direction(self, link: Link) -> float:
        """The angle of a→b in the world, in degrees."""
        a, b = self.points[link.a], self.points[link.b]
        return math.degrees(math.atan2(b.y - a.y, b.x - a.x))


def normalize_angle(angle: float) -> float:
    """An angle normalized to [0, 360)."""
    normalized = angle % 360.0
    return 0.0 if normalized == 360.0 else normalized  # a tiny negative angle is rounded up to 360


def read_points(raw: Sequence[object], repair_log: RepairLog) -> tuple[dict[str, Point], IdTable, list[Entry]]:
    """The points by id, their id table, and supports that were written into points."""
    entries, coordinates = [], []
    for entry in iter_entries(raw, "points", repair_log):
        try:
            coordinates.append((entry.required_number("x"), entry.required_number("y")))
            entries.append(entry)
        except UnreadableError as error:
            repair_log.leave_out("points", error)
    names = IdTable("points", "P", repair_log)
    ids = names.assign([parse_id(entry.get("id")) for entry in entries], coordinates)
    points: dict[str, Point] = {}
    point_supports: list[Entry] = []
    for entry, name, (x, y) in zip(entries, ids, coordinates, strict=True):
        if name:
            points[name] = Point(name, x, y)
        point_supports += _support_inside(entry, name or parse_id(entry.get("id")), repair_log)
    return points, names, point_supports


def merge_coincident_points(geometry: Geometry, repair_log: RepairLog) -> Geometry:
    """The geometry with coincident points merged, except where members that only cross were split at their crossing."""
    points = geometry.points
    x, y = ([getattr(point, axis) for point in points.values()] for axis in "xy")
    distance = _MERGE_DISTANCE * max(math.hypot(max(x) - min(x), max(y) - min(y)), 1.0)
    groups: dict[str, list[Point]] = {}
    first_in_cell: dict[tuple[int, int], list[str]] = {}
    for point in points.values():
        column, row = math.floor(point.x / distance), math.floor(point.y / distance)
        near = (
            name
            for cell in product((column - 1, column, column + 1), (row - 1, row, row + 1))
            for name in first_in_cell.get(cell, ())
            if abs(points[name].x - point.x) <= distance and abs(points[name].y - point.y) <= distance
        )
        first = next(near, point.id)
        if first == point.id:
            first_in_cell.setdefault((column, row), []).append(point.id)
        groups.setdefault(first, []).append(point)
    coincident = [group for group in groups.values() if len(group) > 1]
    if not coincident:
        return geometry
    crossing = find_crossing_points(coincident, points, geometry.links.values())
    merged = {point.id: group[0].id for group in coincident for point in group[1:] if point.id not in crossing}
    for name, into in merged.items():
        geometry.point_ids.add_alias(name, into)
        repair_log.record(Remark("points {a} and {b} coincide and are merged", {"a": into, "b": format_value(name)}))
    links = {
        name: replace(link, a=merged.get(link.a, link.a), b=merged.get(link.b, link.b))
        for name, link in geometry.links.items()
    }
    kept = {name: point for name, point in points.items() if name not in merged}
    return Geometry(kept, links, geometry.point_ids, geometry.link_ids)


def _support_inside(entry: Entry, point: str, repair_log: RepairLog) -> list[Entry]:
    value = entry.raw.get("support")
    if value is None:
        return []
    repair_log.record(Remark("supports written into points are taken as supports of those points", {}))
    support = dict(value) if isinstance(value, Mapping) else {"kind": value}
    return [Entry({**support, "at": {"type": "point", "id": point}}, entry.where, repair_log)]


def read_links(raw: Sequence[object], points: dict[str, Point], names: IdTable, repair_log: RepairLog) -> Geometry:
    """The links between existing points by id, without exact duplicates of the same id."""
    entries, links = [], []
    unread_stiffness: dict[str, list[UnreadableError]] = {}
    for entry in iter_entries(raw, "links", repair_log):
        try:
            links.append(_link(entry, names, unread_stiffness))
            entries.append(entry)
        except UnreadableError as error:
            repair_log.leave_out("links", error)
    for errors in unread_stiffness.values():
        # the same symbol on all links is a common stiffness, which has no influence
        if len(errors) < len(links) or len({error.problem.args.get("value") for error in errors}) > 1:
            repair_log.leave_out("stiffness", errors[0])
    link_ids = IdTable("links", "L", repair_log)
    ids = link_ids.assign([parse_id(entry.get("id")) for entry in entries], links)
    links_by_id = {name: replace(link, id=name) for name, link in zip(ids, links, strict=True) if name}
    return merge_coincident_points(Geometry(points, links_by_id, names, link_ids), repair_log)


def _link(entry: Entry, names: IdTable, unread_stiffness: dict[str, list[UnreadableError]]) -> Link:
    def stiffness(field: str, standard: float) -> float:
        try:
            return _positive(entry, field, standard)
        except UnreadableError as error:
            if not entry.repair_log.is_lenient:
                raise
            unread_stiffness.setdefault(field, []).append(error)
            entry.repair_log.defaults[field] += 1
            return standard

    return Link(
        id="",
        a=_end_point(entry, "a", names),
        b=_end_point(entry, "b", names),
        E=stiffness("E", STANDARD_E),
        A=stiffness("A", STANDARD_A),
        Iz=stiffness("Iz", STANDARD_I),
        hinge_a=_hinge(entry, "endA", "hingeA"),
        hinge_b=_hinge(entry, "endB", "hingeB"),
    )


def _end_point(entry: Entry, end: str, names: IdTable) -> str:
    value = entry.get(end)
    if isinstance(value, Mapping):
        value = value.get("id")
    if value is None:
        raise EntryError("{where}: {field} is missing", entry, field=end)
    point = names.resolve(value)
    if not point:
        facts = {"field": end, "id": format_value(value)}
        raise EntryError("{where}: {field} names a point that is not there: '{id}'", entry, **facts)
    return point


def _positive(entry: Entry, field: str, standard: float) -> float:
    number = entry.number(field, limit=_MAX_STIFFNESS)
    if number is None:
        entry.repair_log.defaults[field] += 1
        return standard
    if number < 1 / _MAX_STIFFNESS:
        raise EntryError("{where}: {field} is {value} and must be positive", entry, field=field, value=f"{number:g}")
    return number


def _hinge(entry: Entry, field: str, flag: str) -> bool:
    value = entry.get(flag)
    if isinstance(value, bool):
        facts = {"found": f"{flag}: {format_value(value)}", "meant": f"{field}: {'hinge' if value else 'rigid'}"}
        entry.repair_log.record(Remark("'{found}' read as '{meant}'", facts))
        return value
    try:
        return entry.keyword(field, "end", default="rigid") == "hinge"
    except UnreadableError as error:
        entry.repair_log.leave_out("ends", error)
        return False


def read_supports(entries: Sequence[Entry], geometry: Geometry, repair_log: RepairLog) -> list[PointSupport]:
    """The supports in their order, without those that restrain nothing."""
    names = IdTable("supports", "S", repair_log)
    ids = names.assign([parse_id(entry.get("id")) for entry in entries], list(range(len(entries))))
    supports = []
    for entry, name in zip(entries, ids, strict=True):
        try:
            support = _support(entry, name, geometry)
        except UnreadableError as error:
            repair_log.leave_out("supports", error)
        else:
            supports += [support] if support else []
    return supports


def _support(entry: Entry, name: str, geometry: Geometry) -> PointSupport | None:
    kind = entry.keyword("kind", "support")
    where, point = resolve_location(entry, geometry)
    if where != "point":
        raise EntryError("{where}: a support stands on a point, not on a link", entry)
    if not kind:
        entry.repair_log.record(Remark("{where}: restrains nothing and is ignored", {"where": entry.where}))
        return None
    angle = entry.number("angleDeg") if kind in ("roller", "slider") else 0.0
    if angle is None:
        entry.repair_log.record(Remark("{where}: no angleDeg, taken as 0", {"where": entry.where}))
    return PointSupport(id=name, point=point, kind=cast("SupportKind", kind), angle=normalize_angle(angle or 0.0))


def resolve_location(entry: Entry, geometry: Geometry, prefer: str = "") -> tuple[str, str]:
    """Where a support or load is: `point` or `link`, and the id. The id decides if the type is missing or wrong."""
    hint, value = _at(entry)
    if value is None:
        raise EntryError("{where}: {field} is missing", entry, field="at")
    names = {"point": geometry.point_ids, "link": geometry.link_ids}
    if hint and (match := names[hint].resolve(value)):
        return hint, match
    matches = {kind: match for kind in names if kind != hint and (match := names[kind].resolve(value))}
    facts = {"where": entry.where, "id": format_value(value)}
    if not matches:
        raise UnreadableError("{where}: unknown id '{id}'", **facts)
    if len(matches) == 2 and not prefer:
        raise UnreadableError("{where}: '{id}' is both a point and a link", **facts)
    kind = prefer if prefer in matches else next(iter(matches))
    if hint:
        entry.repair_log.record(Remark("{where}: '{id}' is a {kind}, whatever its type says", {**facts, "kind": kind}))
    return kind, matches[kind]


def _at(entry: Entry) -> tuple[str, object]:
    """The type that `at` gives, or an empty one, and the id."""
    key, value = entry.find("at")
    hint = lookup_synonym(key, "location") or ""
    if not isinstance(value, Mapping):
        if key == "at":
            entry.repair_log.record(Remark("'at' given as a bare id is looked up among points and links", {}))
        return hint, value
    for name in ("point", "node", "link", "member"):
        if value.get("id") is None and value.get(name) is not None:
            entry.repair_log.record(Remark("'at' given by the key '{key}' is read as its type and id", {"key": name}))
            return lookup_synonym(name, "location") or "", value[name]
    word = value.get("type")
    return (lookup_synonym(word, "location") if isinstance(word, str) else None) or hint, value.get("id")


_OVERSHOOT = 0.01
"""An offset beyond the link by no more than this share of its length is a rounding error and is set to the end."""


def read_loads(raw: Sequence[object], geometry: Geometry, repair_log: RepairLog) -> list[Load]:
    """The loads in their order, without exact duplicates of the same id."""
    entries, loads = [], []
    for entry in iter_entries(raw, "loads", repair_log):
        try:
            loads.append(_load(entry, geometry))
            entries.append(entry)
        except UnreadableError as error:
            repair_log.leave_out("loads", error)
    ids = IdTable("loads", "LD", repair_log).assign([parse_id(entry.get("id")) for entry in entries], loads)
    return [replace(load, id=name) for load, name in zip(loads, ids, strict=True) if name]


def _load(entry: Entry, geometry: Geometry) -> Load:
    kind = entry.keyword("kind", "load")
    where, at = resolve_location(entry, geometry, prefer="link" if kind == "distributedLoad" else "")
    link = geometry.links[at] if where == "link" else None
    if link is not None and geometry.length(link) == 0.0:
        raise EntryError("{where}: lies on link {link}, which has no length", entry, link=link.id)
    if kind == "distributedLoad":
        if link is None:
            raise EntryError("{where}: a distributed load lies on a link", entry)
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
            raise EntryError("{where}: {field} is missing", entry, field="wStart")
        w_begin = entry.required_number("wStart", FIELDS["w"])
    if w_end is None:
        entry.repair_log.record(Remark("{where}: no wEnd, so the load is uniform", {"where": entry.where}))
        w_end = w_begin
    begin = _within(entry, entry.number("fromStart") or 0.0, length)
    trimmed = entry.number("fromEnd") or 0.0
    end = _within(entry, length - trimmed, length)
    if end <= begin:
        raise EntryError("{where}: fromStart and fromEnd leave nothing of the link", entry)
    angle = _angle(entry, link, geometry)
    return DistributedLoad(id="", link=link.id, begin=begin, end=end, w_begin=w_begin, w_end=w_end, angle=angle)


def _flip(entry: Entry) -> float:
    flip = entry.number("flip")
    if flip is None:
        return 1.0
    if abs(flip) != 1.0:
        raise EntryError("{where}: flip is {value} and must be 1 or -1", entry, value=f"{flip:g}")
    return flip


def _angle(entry: Entry, link: Link | None, geometry: Geometry) -> float:
    """The direction of the load in the world, flip included."""
    mode = entry.keyword("angleMode", "angle", default="relative")
    angle = entry.number("angleDeg")
    if angle is None:
        angle = entry.number("angleWorldDeg")
        mode = "world"
        if angle is None:
            raise EntryError("{where}: {field} is missing", entry, field="angleDeg")
        entry.repair_log.record(Remark("{where}: no angleDeg, so angleWorldDeg is taken", {"where": entry.where}))
    if mode == "relative" and link is not None:
        angle += geometry.direction(link)
    return normalize_angle(angle if _flip(entry) > 0 else angle + 180.0)


def _offset(entry: Entry, length: float) -> float:
    """Metres from end a."""
    metres, percent = entry.number("offset"), entry.number("offsetPercent")
    mode = entry.keyword("offsetMode", "offset", default="m" if metres is not None else "percent")
    share = percent / 100 * length if percent is not None else None
    if metres is None and share is None:
        raise EntryError("{where}: {field} is missing", entry, field="offset")
    if metres is None or share is None:
        along = metres or share or 0.0
    elif entry.get("offsetMode") is None and abs(metres - share) > _OVERSHOOT * length:
        raise EntryError("{where}: offset and offsetPercent disagree, and no offsetMode decides", entry)
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
        raise EntryError("{where}: {field} '{value}' is unknown", entry, field="refEnd", value=word or "?")
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
    raise UnreadableError("{where}: {place} m is beyond the link of {length} m", **facts)
