"""FrameCalc JSON → `Model`. Deviations are repaired by a stated rule and logged, or rejected with a reason."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.remarks import Remark
from sightline.suites.structural.framecalc.repairs import (
    COLLECTIONS,
    WRAPPERS,
    Entry,
    LeftOut,
    RepairLog,
    UnreadableError,
    format_value,
    iter_entries,
)
from sightline.suites.structural.framecalc.structure import (
    Geometry,
    normalize_angle,
    read_links,
    read_loads,
    read_points,
    read_supports,
)
from sightline.suites.structural.model import DistributedLoad, Link, Load, Model, Point, PointSupport, SupportKind


def merge_duplicate_links(geometry: Geometry, repair_log: RepairLog) -> dict[str, Link]:
    """For each link its replacement: itself, or an identical earlier link; links without length have none."""
    replacements: dict[str, Link] = {}
    seen: dict[tuple[object, ...], Link] = {}
    for link in geometry.links.values():
        if link.a == link.b:
            repair_log.record(Remark("link {id} has no length and is left out", {"id": link.id}))
            continue
        stiffness = (link.E, link.A, link.Iz)
        forward = (link.a, link.b, link.hinge_a, link.hinge_b, *stiffness)
        backward = (link.b, link.a, link.hinge_b, link.hinge_a, *stiffness)
        twin = seen.get(forward) or seen.get(backward)
        if twin is not None:
            facts = {"id": link.id, "twin": twin.id}
            repair_log.record(Remark("link {id} is the same as link {twin} and is left out; its loads are kept", facts))
        seen.setdefault(forward, link)
        replacements[link.id] = twin or link
    return replacements


def move_load(load: Load, geometry: Geometry, replacements: dict[str, Link]) -> Load:
    """A load moved to the replacement of its link."""
    if not load.link or replacements[load.link].id == load.link:
        return load
    old, new = geometry.links[load.link], replacements[load.link]
    length = geometry.length(old)
    reversed_link = old.a != new.a
    if not reversed_link:
        return replace(load, link=new.id)
    if isinstance(load, DistributedLoad):
        ends = {"begin": length - load.end, "end": length - load.begin}
        return replace(load, link=new.id, w_begin=load.w_end, w_end=load.w_begin, **ends)
    return replace(load, link=new.id, offset=length - load.offset)


def drop_unused_points(
    points: dict[str, Point], links: list[Link], loads: list[Load], repair_log: RepairLog
) -> tuple[tuple[Point, ...], tuple[Load, ...]]:
    """The points with at least one link, and the loads without those on any other point, which can't be read."""
    reached = {end for link in links for end in (link.a, link.b)}
    kept = []
    for load in loads:
        if not isinstance(load, DistributedLoad) and load.point and load.point not in reached:
            error = UnreadableError(
                "{where}: acts on point {point}, which no link reaches", where=f"loads {load.id}", point=load.point
            )
            repair_log.leave_out("loads", error)
        else:
            kept.append(load)
    for name in points:
        if name not in reached:
            repair_log.record(Remark("no link reaches point {id}, which is left out", {"id": name}))
    return tuple(point for point in points.values() if point.id in reached), tuple(kept)


def merge_supports(
    supports: list[PointSupport], points: tuple[Point, ...], repair_log: RepairLog
) -> tuple[PointSupport, ...]:
    """At most one support per point: several are combined into one that restrains the same directions."""
    point_ids = {point.id for point in points}
    by_point: dict[str, PointSupport] = {}
    for support in supports:
        if support.point not in point_ids:
            facts = {"id": support.id, "point": support.point}
            repair_log.record(
                Remark("support {id} stands on point {point}, which no link reaches, and is left out", facts)
            )
        elif support.point in by_point:
            combined = _combine(by_point[support.point], support)
            facts = {"point": support.point, "kind": combined.kind}
            repair_log.record(Remark("several supports on point {point} are joined into one: {kind}", facts))
            by_point[support.point] = combined
        else:
            by_point[support.point] = support
    return tuple(by_point.values())


def _combine(first: PointSupport, second: PointSupport) -> PointSupport:
    axes = [axis for axis in (restrained_axis(first), restrained_axis(second)) if axis is not None]
    both_axes_held = len(axes) < 2 or abs(math.sin(math.radians(axes[0] - axes[1]))) > 1e-6
    rotation_held = any(support.kind in ("fixed", "slider") for support in (first, second))
    kind: SupportKind = (
        ("fixed" if rotation_held else "pin") if both_axes_held else ("slider" if rotation_held else "roller")
    )
    angle = 0.0 if both_axes_held else normalize_angle(axes[0] if rotation_held else axes[0] - 90.0)
    return replace(first, kind=kind, angle=angle)


def restrained_axis(support: PointSupport) -> float | None:
    """World angle of the direction that a roller or slider restrains, in degrees; None where both are restrained."""
    if support.kind == "roller":
        return normalize_angle(support.angle + 90.0)
    return support.angle if support.kind == "slider" else None


LIMITS = {"points": 500, "links": 500, "supports": 500, "loads": 2000}
"""Maximum length of each list, checked before anything else."""


class ModelReading(Struct, frozen=True, kw_only=True):
    """Result of reading: a model and its repairs, or the problem that made it unreadable."""

    model: Model | None = None
    repairs: list[Remark] = []
    problem: Remark | None = None
    left_out: list[LeftOut] = []
    """Parts of an answer that can't be read."""


def read_model(raw: object) -> ModelReading:
    """Parse a decoded JSON value as a model; any part that can't be read makes it unreadable. Never raises."""
    return _read(raw, RepairLog())


def read_answer(raw: object) -> ModelReading:
    """Parse a decoded JSON value as a model, without its parts that can't be read: one slip does not cost the rest."""
    return _read(raw, RepairLog(is_lenient=True))


def _read(raw: object, repair_log: RepairLog) -> ModelReading:
    try:
        model = _model(raw, repair_log)
    except UnreadableError as error:
        cause = repair_log.left_out[0].reason if repair_log.left_out else error.problem
        return ModelReading(repairs=repair_log.remarks(), problem=cause, left_out=repair_log.left_out)
    return ModelReading(model=model, repairs=repair_log.remarks(), left_out=repair_log.left_out)


def _model(raw: object, repair_log: RepairLog) -> Model:
    lists = _lists(raw, repair_log)
    points, names, point_supports = read_points(lists["points"], repair_log)
    if not points:
        raise UnreadableError("no point can be read")
    geometry = read_links(lists["links"], points, names, repair_log)
    supports = read_supports(
        [*iter_entries(lists["supports"], "supports", repair_log), *point_supports], geometry, repair_log
    )
    loads = read_loads(lists["loads"], geometry, repair_log)
    replacements = merge_duplicate_links(geometry, repair_log)
    links = [link for name, link in replacements.items() if name == link.id]
    if not links:
        raise UnreadableError("no link has any length")
    loads = [move_load(load, geometry, replacements) for load in loads]
    used, kept = drop_unused_points(geometry.points, links, loads, repair_log)
    return Model(points=used, links=tuple(links), supports=merge_supports(supports, used, repair_log), loads=kept)


def _lists(raw: object, repair_log: RepairLog) -> dict[str, list[Any]]:
    """The four lists of a model, none longer than its limit."""
    if not isinstance(raw, Mapping):
        raise UnreadableError("a model is a JSON object, not '{value}'", value=format_value(raw))
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
        error = UnreadableError("the model has no list of {name}", name=name)
        if name not in ("supports", "loads"):
            raise error
        repair_log.leave_out("supports" if name == "supports" else "loads", error)
        value = []
    if len(value) > LIMITS[name]:
        raise UnreadableError(
            "{count} {name} are more than the {limit} that are read", count=len(value), name=name, limit=LIMITS[name]
        )
    if not value and name in ("points", "links"):
        raise UnreadableError("the list of {name} is empty", name=name)
    return list(value)
