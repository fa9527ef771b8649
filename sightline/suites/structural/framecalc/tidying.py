"""What is left out of a model because it says nothing, and what is joined because it says the same."""

from __future__ import annotations

import math

from msgspec.structs import replace

from sightline.core.records import Remark
from sightline.suites.structural.framecalc.mending import Mender, UnreadableError
from sightline.suites.structural.framecalc.structure import Geometry, turned
from sightline.suites.structural.model import Link, Load, Point, PointSupport, Spread, SupportKind


def single_links(geometry: Geometry, mender: Mender) -> dict[str, Link]:
    """For each link the one that stands for it: itself, or an earlier one that is the same; none without length."""
    stands: dict[str, Link] = {}
    seen: dict[tuple[object, ...], Link] = {}
    for link in geometry.links.values():
        if link.a == link.b:
            mender.note(Remark("link {id} has no length and is left out", {"id": link.id}))
            continue
        nature = (link.E, link.A, link.Iz)
        there = (link.a, link.b, link.hinge_a, link.hinge_b, *nature)
        back = (link.b, link.a, link.hinge_b, link.hinge_a, *nature)
        twin = seen.get(there) or seen.get(back)
        if twin is not None:
            facts = {"id": link.id, "twin": twin.id}
            mender.note(Remark("link {id} is the same as link {twin} and is left out; its loads are kept", facts))
        seen.setdefault(there, link)
        stands[link.id] = twin or link
    return stands


def moved(load: Load, geometry: Geometry, stands: dict[str, Link]) -> Load:
    """A load on the link that stands for its own."""
    if not load.link or stands[load.link].id == load.link:
        return load
    old, new = geometry.links[load.link], stands[load.link]
    length = geometry.length(old)
    back = old.a != new.a
    if not back:
        return replace(load, link=new.id)
    if isinstance(load, Spread):
        ends = {"begin": length - load.end, "end": length - load.begin}
        return replace(load, link=new.id, w_begin=load.w_end, w_end=load.w_begin, **ends)
    return replace(load, link=new.id, offset=length - load.offset)


def used_points(points: dict[str, Point], links: list[Link], loads: list[Load], mender: Mender) -> tuple[Point, ...]:
    """The points that a link reaches. A load on any other makes the model unreadable: nothing would bear it."""
    reached = {end for link in links for end in (link.a, link.b)}
    for load in loads:
        if not isinstance(load, Spread) and load.point and load.point not in reached:
            facts = {"where": f"loads {load.id}", "point": load.point}
            raise UnreadableError(Remark("{where}: acts on point {point}, which no link reaches", facts))
    for name in points:
        if name not in reached:
            mender.note(Remark("no link reaches point {id}, which is left out", {"id": name}))
    return tuple(point for point in points.values() if point.id in reached)


def joined_supports(
    supports: list[PointSupport], points: tuple[Point, ...], mender: Mender
) -> tuple[PointSupport, ...]:
    """One support a point: several are replaced by the one that holds what they hold together."""
    there = {point.id for point in points}
    by_point: dict[str, PointSupport] = {}
    for support in supports:
        if support.point not in there:
            facts = {"id": support.id, "point": support.point}
            mender.note(Remark("support {id} stands on point {point}, which no link reaches, and is left out", facts))
        elif support.point in by_point:
            both = _together(by_point[support.point], support)
            facts = {"point": support.point, "kind": both.kind}
            mender.note(Remark("several supports on point {point} are joined into one: {kind}", facts))
            by_point[support.point] = both
        else:
            by_point[support.point] = support
    return tuple(by_point.values())


def _together(one: PointSupport, other: PointSupport) -> PointSupport:
    axes = [axis for axis in (held_axis(one), held_axis(other)) if axis is not None]
    crossing = len(axes) < 2 or abs(math.sin(math.radians(axes[0] - axes[1]))) > 1e-6
    turning = any(support.kind in ("fixed", "slider") for support in (one, other))
    kind: SupportKind = ("fixed" if turning else "pin") if crossing else ("slider" if turning else "roller")
    angle = 0.0 if crossing else turned(axes[0] if turning else axes[0] - 90.0)
    return replace(one, kind=kind, angle=angle)


def held_axis(support: PointSupport) -> float | None:
    """The world angle of the one direction that a roller or slider holds, in degrees; None where both are held."""
    if support.kind == "roller":
        return turned(support.angle + 90.0)
    return support.angle if support.kind == "slider" else None
