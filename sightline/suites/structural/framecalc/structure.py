"""Points, links and supports of a FrameCalc model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.records import Remark
from sightline.suites.structural.framecalc.mending import Entry, Mender, UnreadableError, entries, own_id, shown
from sightline.suites.structural.framecalc.naming import Names
from sightline.suites.structural.framecalc.vocabulary import END_KINDS, PLACES, SUPPORT_KINDS, meaning
from sightline.suites.structural.model import (
    STANDARD_A,
    STANDARD_E,
    STANDARD_I,
    Link,
    Point,
    PointSupport,
    SupportKind,
)

_STIFFEST = 1e15
_SAME_PLACE = 1e-6
"""Points closer than this part of the model's extent are one; and so are those closer than so many metres."""


class Geometry(Struct):
    """Points and links with their ids, as far as they are read."""

    points: dict[str, Point]
    links: dict[str, Link]
    point_names: Names
    link_names: Names

    def length(self, link: Link) -> float:
        """From end to end."""
        a, b = self.points[link.a], self.points[link.b]
        return math.hypot(b.x - a.x, b.y - a.y)

    def direction(self, link: Link) -> float:
        """The angle of a→b in the world, in degrees."""
        a, b = self.points[link.a], self.points[link.b]
        return math.degrees(math.atan2(b.y - a.y, b.x - a.x))


def turned(angle: float) -> float:
    """An angle within [0, 360)."""
    turn = angle % 360.0
    return 0.0 if turn == 360.0 else turn  # a tiny negative angle is rounded up to the full turn


def read_points(raw: Sequence[object], mender: Mender) -> tuple[dict[str, Point], Names, list[Entry]]:
    """The points by id, those at one place merged; and supports that were written into points."""
    listed = list(entries(raw, "points", mender))
    places = [(entry.need("x"), entry.need("y")) for entry in listed]
    names = Names("points", "P", mender)
    ids = names.settle([own_id(entry.get("id")) for entry in listed], places)
    extent = math.hypot(*(max(axis) - min(axis) for axis in zip(*places, strict=True)))
    kept: dict[str, Point] = {}
    inner: list[Entry] = []
    for entry, name, (x, y) in zip(listed, ids, places, strict=True):
        if name:
            near = _near(kept, x, y, _SAME_PLACE * max(extent, 1.0))
            if near:
                names.merge(name, near)
                mender.note(Remark("points {a} and {b} lie at one place and are merged", {"a": near, "b": shown(name)}))
            else:
                kept[name] = Point(name, x, y)
        inner += _support_inside(entry, name or own_id(entry.get("id")), mender)
    return kept, names, inner


def _near(kept: Mapping[str, Point], x: float, y: float, distance: float) -> str:
    for point in kept.values():
        if abs(point.x - x) <= distance and abs(point.y - y) <= distance:
            return point.id
    return ""


def _support_inside(entry: Entry, point: str, mender: Mender) -> list[Entry]:
    value = entry.raw.get("support")
    if value is None:
        return []
    mender.note(Remark("supports written into points are taken as supports of those points", {}))
    given = dict(value) if isinstance(value, Mapping) else {"kind": value}
    return [Entry({**given, "at": {"type": "point", "id": point}}, entry.where, mender)]


def read_links(raw: Sequence[object], points: dict[str, Point], names: Names, mender: Mender) -> Geometry:
    """The links by id, between points that exist; those that repeat another under their own id are left out."""
    listed = list(entries(raw, "links", mender))
    links = [_link(entry, names, mender) for entry in listed]
    link_names = Names("links", "L", mender)
    ids = link_names.settle([own_id(entry.get("id")) for entry in listed], links)
    named = {name: replace(link, id=name) for name, link in zip(ids, links, strict=True) if name}
    return Geometry(points, named, names, link_names)


def _link(entry: Entry, names: Names, mender: Mender) -> Link:
    return Link(
        id="",
        a=_end_point(entry, "a", names),
        b=_end_point(entry, "b", names),
        E=_positive(entry, "E", STANDARD_E),
        A=_positive(entry, "A", STANDARD_A),
        Iz=_positive(entry, "Iz", STANDARD_I),
        hinge_a=_hinge(entry, "endA", "hingeA"),
        hinge_b=_hinge(entry, "endB", "hingeB"),
    )


def _end_point(entry: Entry, end: str, names: Names) -> str:
    value = entry.get(end)
    if isinstance(value, Mapping):
        value = value.get("id")
    if value is None:
        raise UnreadableError(Remark("{where}: {field} is missing", {"where": entry.where, "field": end}))
    found = names.find(value)
    if not found:
        facts = {"where": entry.where, "field": end, "id": shown(value)}
        raise UnreadableError(Remark("{where}: {field} names a point that is not there: '{id}'", facts))
    return found


def _positive(entry: Entry, field: str, standard: float) -> float:
    number = entry.number(field, limit=_STIFFEST)
    if number is None:
        entry.mender.default(field)
        return standard
    if number < 1 / _STIFFEST:
        facts = {"where": entry.where, "field": field, "value": f"{number:g}"}
        raise UnreadableError(Remark("{where}: {field} is {value} and must be positive", facts))
    return number


def _hinge(entry: Entry, field: str, flag: str) -> bool:
    said = entry.get(flag)
    if isinstance(said, bool):
        facts = {"found": f"{flag}: {shown(said)}", "meant": f"{field}: {'hinge' if said else 'rigid'}"}
        entry.mender.note(Remark("'{found}' read as '{meant}'", facts))
        return said
    return entry.word(field, END_KINDS, default="rigid") == "hinge"


def read_supports(listed: Sequence[Entry], geometry: Geometry, mender: Mender) -> list[PointSupport]:
    """The supports in their order; those that hold nothing are left out."""
    names = Names("supports", "S", mender)
    ids = names.settle([own_id(entry.get("id")) for entry in listed], list(range(len(listed))))
    supports = []
    for entry, name in zip(listed, ids, strict=True):
        kind = entry.word("kind", SUPPORT_KINDS)
        where, point = place(entry, geometry)
        if where != "point":
            raise UnreadableError(Remark("{where}: a support stands on a point, not on a link", {"where": entry.where}))
        if not kind:
            mender.note(Remark("{where}: holds nothing and is left out", {"where": entry.where}))
            continue
        angle = entry.number("angleDeg")
        if angle is None and kind in ("roller", "slider"):
            mender.note(Remark("{where}: no angleDeg, taken as 0", {"where": entry.where}))
        angle = turned(angle or 0.0) if kind in ("roller", "slider") else 0.0
        supports.append(PointSupport(id=name, point=point, kind=cast("SupportKind", kind), angle=angle))
    return supports


def place(entry: Entry, geometry: Geometry, prefer: str = "") -> tuple[str, str]:
    """Where a support or load is: `point` or `link`, and the id. The id decides where the type is missing or wrong."""
    hint, value = _at(entry)
    if value is None:
        raise UnreadableError(Remark("{where}: {field} is missing", {"where": entry.where, "field": "at"}))
    names = {"point": geometry.point_names, "link": geometry.link_names}
    if hint and (found := names[hint].find(value)):
        return hint, found
    there = {kind: found for kind in names if kind != hint and (found := names[kind].find(value))}
    facts = {"where": entry.where, "id": shown(value)}
    if not there:
        raise UnreadableError(Remark("{where}: nothing is called '{id}'", facts))
    if len(there) == 2 and not prefer:
        raise UnreadableError(Remark("{where}: '{id}' is both a point and a link", facts))
    kind = prefer if prefer in there else next(iter(there))
    if hint:
        entry.mender.note(Remark("{where}: '{id}' is a {kind}, whatever its type says", {**facts, "kind": kind}))
    return kind, there[kind]


def _at(entry: Entry) -> tuple[str, object]:
    """The type that `at` gives, or an empty one, and the id."""
    key, value = entry.find("at")
    hint = meaning(key, PLACES) or ""
    if not isinstance(value, Mapping):
        if key == "at":
            entry.mender.note(Remark("'at' given as a bare id is looked up among points and links", {}))
        return hint, value
    for name in ("point", "node", "link", "member"):
        if value.get("id") is None and value.get(name) is not None:
            entry.mender.note(Remark("'at' given by the key '{key}' is read as its type and id", {"key": name}))
            return meaning(name, PLACES) or "", value[name]
    word = value.get("type")
    return (meaning(word, PLACES) if isinstance(word, str) else None) or hint, value.get("id")
