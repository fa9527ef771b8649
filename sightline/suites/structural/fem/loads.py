"""Load case as arrays: nodal forces, and end rotations and reactions of simply supported members.

A line load is exactly three point loads here: the end rotations of a simply supported member are cubic in the place of
a force, so its integral against a linear load is of degree four, which three Gauss points integrate exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import astuple

from sightline.core.errors import SightlineError
from sightline.suites.structural.fem.elements import Floats, Indices, MemberArrays
from sightline.suites.structural.fem.frame import Load, MemberLineLoad, MemberPointLoad, NodeLoad

_GAUSS_POINTS = np.array([0.5 - math.sqrt(0.15), 0.5, 0.5 + math.sqrt(0.15)])
_GAUSS_WEIGHTS = np.array([5.0, 8.0, 5.0]) / 18.0
_OVERSHOOT = 1e-9  # of the member's length: places given in rounded decimals still count as its end
_POINT = 1e-12  # of the length: a line load as short as this is drawn as a force

MemberLoad = MemberPointLoad | MemberLineLoad


@dataclass(frozen=True, slots=True)
class LoadCase:
    """One load case, ready to be solved."""

    nodal: Floats
    """(nodes, 3): forces and moments at the nodes, in world axes."""
    restraint: Floats
    """(members, 3): N, start and end moment that would undo what the loads do, times L/EI."""
    simple: Floats
    """(members, 6): the reactions of the simply supported members, in local axes, as end forces."""
    on_member: dict[int, list[MemberLoad]]


def build_load_case(loads: Sequence[Load], members: MemberArrays) -> LoadCase:
    """One load case as numbers."""
    at_nodes: list[tuple[float, ...]] = []
    points: list[tuple[float, ...]] = []
    lines: list[tuple[float, ...]] = []
    on_member: dict[int, list[MemberLoad]] = {}
    for load in loads:
        if isinstance(load, NodeLoad):
            at_nodes.append(astuple(load))
            continue
        (points if isinstance(load, MemberPointLoad) else lines).append(astuple(load))
        on_member.setdefault(load.member, []).append(load)
    nodal = np.zeros((members.nodes, 3))
    effects = np.zeros((len(members.length), 9))
    if at_nodes:
        table, index = _check(at_nodes, members.nodes, "node")
        nodal = _sum_by_index(table[:, 1:], index, members.nodes)
    if points:
        table, index = _check(points, len(members.length), "member")
        _check_positions(table[:, 1:2], index, members)
        effects += _simply_supported(index, table[:, 1:].T, members)
    if lines:
        table, index = _check(lines, len(members.length), "member")
        _check_positions(table[:, 1:3], index, members)
        effects += _simply_supported(index.repeat(3), _as_points(table), members)
    return LoadCase(nodal, effects[:, :3], effects[:, 3:], on_member)


def clip_load(load: MemberLoad, length: float) -> MemberLoad:
    """The load clipped to the member, where it exceeds an end by a rounding error."""
    if isinstance(load, MemberPointLoad):
        if 0.0 <= load.at <= length:
            return load
        return MemberPointLoad(load.member, min(max(load.at, 0.0), length), load.fx, load.fy, load.m)
    if load.begin >= 0.0 and load.end <= length and load.end - load.begin > _POINT * length:
        return load
    begin, end = (min(max(position, 0.0), length) for position in (load.begin, load.end))
    if end - begin <= _POINT * length:
        x, y = (load.fx_begin + load.fx_end) / 2.0, (load.fy_begin + load.fy_end) / 2.0
        return MemberPointLoad(load.member, begin, x * (end - begin), y * (end - begin))
    return MemberLineLoad(load.member, begin, end, load.fx_begin, load.fy_begin, load.fx_end, load.fy_end)


def _check(rows: list[tuple[float, ...]], count: int, what: str) -> tuple[Floats, Indices]:
    """The loads as a table, and the index in its first column."""
    table = np.array(rows, dtype=float)
    if not np.isfinite(table).all():
        bad = rows[int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])][0]
        raise SightlineError(
            "A load on {what} {index} has a value that is not a finite number.", what=what, index=bad
        )  # fmt: skip
    index = table[:, 0].astype(np.int64)
    if index.min() < 0 or index.max() >= count:
        bad = next(row[0] for row in rows if not 0 <= row[0] < count)
        raise SightlineError("A load acts on {what} {index}, which does not exist.", what=what, index=bad)
    return table, index


def _check_positions(positions: Floats, index: Indices, members: MemberArrays) -> None:
    """Validate positions, and clip those that exceed an end by a rounding error."""
    length = members.length[index]
    low, high = positions[:, 0], positions[:, -1]
    if (low < 0.0).any() or (high > length).any() or (low > high).any():
        good = (low >= -_OVERSHOOT * length) & (low <= high) & (high <= (1.0 + _OVERSHOOT) * length)
        if not good.all():
            bad = int(np.flatnonzero(~good)[0])
            raise SightlineError(
                "A load on member {member} lies from {first} to {last}, but the member runs from 0 to {length}.",
                member=int(index[bad]), first=float(low[bad]), last=float(high[bad]), length=float(length[bad]),
            )  # fmt: skip
        np.clip(positions, 0.0, length[:, None], out=positions)


def _as_points(lines: Floats) -> Floats:
    """Line loads (member, begin, end, fx, fy, fx, fy) as rows at, fx, fy, m of three forces each."""
    begin, end, x, y, x_end, y_end = lines[:, 1:, None].transpose(1, 0, 2)
    weight = (end - begin) * _GAUSS_WEIGHTS
    points = np.zeros((4, len(lines), 3))
    points[0] = begin + (end - begin) * _GAUSS_POINTS
    points[1] = weight * (x + (x_end - x) * _GAUSS_POINTS)
    points[2] = weight * (y + (y_end - y) * _GAUSS_POINTS)
    return points.reshape(4, -1)


def _sum_by_index(rows: Floats, index: Indices, count: int) -> Floats:
    """Rows of the same index added up."""
    width = rows.shape[1]
    flat = np.bincount((index[:, None] * width + np.arange(width)).ravel(), rows.ravel(), count * width)
    return np.asarray(flat, float).reshape(count, width)


def _simply_supported(index: Indices, points: Floats, members: MemberArrays) -> Floats:
    """What point loads (at, fx, fy, m) do to the members: columns of `restraint`, then of `simple`.

    With t = at/L and b = 1 − t, an upward force P turns the ends by P L²/6EI times b(1 − b²) and −t(1 − t²); a moment
    by the derivatives of these with respect to its place.
    """
    at, x, y, moment = points
    length, cos, sin = members.length[index], members.cos[index], members.sin[index]
    along, across = cos * x + sin * y, cos * y - sin * x
    t = at / length
    b = 1.0 - t
    effect = np.zeros((len(t), 9))
    effect[:, 0] = along * t
    effect[:, 1] = (across * length * b * (1.0 - b * b) - moment * (1.0 - 3.0 * b * b)) / 6.0
    effect[:, 2] = (-across * length * t * (1.0 - t * t) - moment * (1.0 - 3.0 * t * t)) / 6.0
    effect[:, 3] = -along
    effect[:, 4] = moment / length - across * b
    effect[:, 7] = -moment / length - across * t
    return _sum_by_index(effect, index, len(members.length))
