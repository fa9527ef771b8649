"""Loads mapped to the vertices and segments of an overlay, and the segments that carry them.

A force is carried by everything connected at its vertex, a moment only by what rotates with its point. At a hinge each
side rotates independently, and members that merely cross share nothing, so the same force and moment at the same vertex
may be a different load. Carriers are identified by segments, which both models share, never by ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from sightline.suites.structural.fem.frame import unit_vector
from sightline.suites.structural.model import DistributedLoad, Force, Moment
from sightline.suites.structural.physics.overlay import Floats, Joint, MappedModel, Segment, VertexPair

Carriers = frozenset[VertexPair]
"""The segments whose ends at a vertex translate, or rotate, together."""
GROUND: VertexPair = (-1, -1)
"""Represents a support that restrains the rotation among the carriers of a moment."""
Attachment = Joint
"""What a load can act on: a joint, or a vertex and the link that is hinged to it."""


class Attachments(Struct):
    """All attachments of a model: which segment ends translate with each, and which rotate with it."""

    translating: dict[Attachment, Carriers]
    rotating: dict[Attachment, Carriers]

    def carriers_at(self, attachments: Iterable[Attachment], rotates: bool) -> Carriers:
        """The carriers of a force, or of a moment, on the first of some attachments that exists."""
        carriers = self.rotating if rotates else self.translating
        return next((carriers[attachment] for attachment in attachments if attachment in carriers), frozenset())

    def find(self, vertex: int, carriers: Carriers, rotates: bool) -> Attachment | None:
        """The attachment with exactly these carriers at a vertex, or None."""
        attachments = self.rotating if rotates else self.translating
        return next(
            (
                attachment
                for attachment, connected in attachments.items()
                if attachment[0] == vertex and connected == carriers
            ),
            None,
        )


def find_attachments(mapped: MappedModel) -> Attachments:
    """The attachments of a model."""
    translating: dict[Attachment, Carriers] = {}
    rotating: dict[Attachment, Carriers] = {(vertex, ""): frozenset() for vertex in mapped.vertex_of.values()}
    for joint, link, vertex_pair, hinged in _ends(mapped):
        translating[joint] = translating.get(joint, frozenset()) | {vertex_pair}
        turned = (joint[0], link) if hinged else joint
        rotating[turned] = rotating.get(turned, frozenset()) | {vertex_pair}
    for support in mapped.model.supports:
        if support.kind in ("fixed", "slider"):
            joint = mapped.joint_of(support.point)
            rotating[joint] = rotating.get(joint, frozenset()) | {GROUND}
    return Attachments(translating, rotating)


def _ends(mapped: MappedModel) -> Iterator[tuple[Joint, str, VertexPair, bool]]:
    """Every end of every segment: joint, link, segment, and whether the link is hinged here."""
    for segment in mapped.segments:
        begin, end = segment.joints
        yield begin, segment.link.id, segment.vertex_pair, segment.first and segment.link.hinge_a
        yield end, segment.link.id, segment.vertex_pair, segment.last and segment.link.hinge_b


class LoadPosition(NamedTuple):
    """Where a force or moment acts: a vertex, or a distance along a segment."""

    location: VertexPair | int
    """A vertex, or the vertex pair of a segment."""
    at: float = 0.0
    """Metres from the segment's vertex with the lower index."""
    carriers: Carriers | None = None
    """The segments that carry it at a vertex; None where that does not matter."""


class LineLoad(Struct, frozen=True):
    """A distributed load on part of a segment, measured from its vertex with the lower index; vectors in world axes."""

    vertex_pair: VertexPair
    begin: float
    end: float
    at_begin: tuple[float, float]
    at_end: tuple[float, float]
    peak: float
    """The largest intensity of the whole load, of which this may be a part."""


class MappedLoads(Struct):
    """All loads of a model, by vertex and segment."""

    point_loads: list[tuple[LoadPosition, Floats]]
    """Positions with their force and moment (fx, fy, m)."""
    line_loads: list[LineLoad]


def map_loads(mapped: MappedModel, snap_distance: float) -> MappedLoads:
    """Map the loads of a model to the common vertices and segments."""
    mapped_loads = MappedLoads([], [])
    attachments = find_attachments(mapped)
    by_link: dict[str, list[Segment]] = {}
    for segment in mapped.segments:
        by_link.setdefault(segment.link.id, []).append(segment)
    for load in mapped.model.loads:
        if isinstance(load, DistributedLoad):
            mapped_loads.line_loads += [
                line_load
                for segment in by_link.get(load.link, [])
                if (line_load := _part_on_segment(load, segment)) is not None
            ]
        else:
            position = _position(load, mapped, by_link, snap_distance)
            if position is not None:
                mapped_loads.point_loads.append((_with_carriers(position, load, mapped, attachments), _vector(load)))
    return mapped_loads


def _vector(load: Force | Moment) -> Floats:
    if isinstance(load, Moment):
        return np.array([0.0, 0.0, load.value])
    x, y = unit_vector(load.angle)
    return np.array([load.value * x, load.value * y, 0.0])


def _position(
    load: Force | Moment, mapped: MappedModel, by_link: dict[str, list[Segment]], snap_distance: float
) -> LoadPosition | None:
    if load.point:
        return LoadPosition(mapped.vertex_of[load.point])
    for segment in by_link.get(load.link, []):
        inside = load.offset - segment.offset
        if inside <= segment.length + snap_distance:
            if inside <= snap_distance:
                return LoadPosition(segment.begin)
            if inside >= segment.length - snap_distance:
                return LoadPosition(segment.end)
            return LoadPosition(segment.vertex_pair, inside if segment.begin < segment.end else segment.length - inside)
    return None


def _with_carriers(
    position: LoadPosition, load: Force | Moment, mapped: MappedModel, attachments: Attachments
) -> LoadPosition:
    """The position with its carriers; inside a segment, the segment itself carries the load."""
    vertex = position.location
    if not isinstance(vertex, int):
        return position
    acting_on: list[Attachment] = [(vertex, load.link)]
    if load.point:
        acting_on = [mapped.joint_of(load.point)]
    else:
        link = next(link for link in mapped.model.links if link.id == load.link)
        acting_on += [mapped.joint_of(point) for point in (link.a, link.b) if mapped.vertex_of[point] == vertex]
    return position._replace(carriers=attachments.carriers_at(acting_on, isinstance(load, Moment)))


def _part_on_segment(load: DistributedLoad, segment: Segment) -> LineLoad | None:
    begin = max(load.begin, segment.offset)
    end = min(load.end, segment.offset + segment.length)
    if end <= begin or load.end <= load.begin:
        return None
    x, y = unit_vector(load.angle)

    def intensity(at: float) -> tuple[float, float]:
        w = load.w_begin + (load.w_end - load.w_begin) * (at - load.begin) / (load.end - load.begin)
        return (w * x, w * y)

    peak = max(abs(load.w_begin), abs(load.w_end))
    first, last = begin - segment.offset, end - segment.offset
    if segment.begin < segment.end:
        return LineLoad(segment.vertex_pair, first, last, intensity(begin), intensity(end), peak)
    return LineLoad(
        segment.vertex_pair, segment.length - last, segment.length - first, intensity(end), intensity(begin), peak
    )
