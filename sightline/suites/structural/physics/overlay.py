"""Overlay of two models: common vertices, and the segments into which they split the members.

The result does not depend on ids, order, direction, origin or extra collinear points. A vertex is a point of either
model; a segment is the part of a member between two neighbouring vertices.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.suites.structural.model import Link, Model, Point, find_crossing_points

Floats = NDArray[np.float64]
_MAX_CANDIDATES = 32
"""How many of the most frequent point-to-point shifts are evaluated in full."""
_GRID_STEP = 2.0
"""Grid step for counting equal shifts, as a multiple of the snap distance."""


def best_shift(truth: Model, answer: Model, default_shift: Floats, snap_distance: float) -> Floats:
    """The shift that matches most points, members and supports of the answer to the truth's.

    Ties are resolved in favour of the shift nearest to the default one.
    """
    at_truth, at_answer = _points(truth), _points(answer)
    candidates = [default_shift, *_candidates(at_truth, at_answer, snap_distance)]
    gains = [
        _count_matches(truth, answer, _match_points(at_truth, at_answer + shift, snap_distance)) for shift in candidates
    ]
    best = [shift for shift, gain in zip(candidates, gains, strict=True) if gain == max(gains)]
    return min(
        best, key=lambda shift: (round(float(np.hypot(*(shift - default_shift))) / snap_distance), *map(float, shift))
    )


def _points(model: Model) -> Floats:
    return np.array([(point.x, point.y) for point in model.points])


def _candidates(at_truth: Floats, at_answer: Floats, snap_distance: float) -> Floats:
    """The most frequent shifts from a point of the answer to a point of the truth."""
    shifts = (at_truth[:, None, :] - at_answer[None, :, :]).reshape(-1, 2)
    _, first, count = np.unique(
        np.round(shifts / (_GRID_STEP * snap_distance)), axis=0, return_index=True, return_counts=True
    )
    most = np.argsort(-count, kind="stable")[:_MAX_CANDIDATES]
    return np.asarray(shifts[first[most]])


def _match_points(at_truth: Floats, at_answer: Floats, snap_distance: float) -> list[int]:
    """For each point of the answer, the index of the truth's point within the snap distance, or −1."""
    distances = np.hypot(*(at_answer[:, None, :] - at_truth[None, :, :]).transpose(2, 0, 1))
    nearest = distances.argmin(axis=1)
    return [int(k) if gap <= snap_distance else -1 for k, gap in zip(nearest, distances.min(axis=1), strict=True)]


def _count_matches(truth: Model, answer: Model, matches: list[int]) -> int:
    """How many points, members and supports coincide with one of the truth's."""
    truth_index = {point.id: number for number, point in enumerate(truth.points)}
    answer_index = {point.id: number for point, number in zip(answer.points, matches, strict=True) if number >= 0}
    truth_members = {frozenset((truth_index[link.a], truth_index[link.b])) for link in truth.links}
    answer_members = {frozenset((answer_index.get(link.a, -1), answer_index.get(link.b, -1))) for link in answer.links}
    truth_supports = {(truth_index[support.point], support.kind) for support in truth.supports}
    answer_supports = {(answer_index.get(support.point, -1), support.kind) for support in answer.supports}
    return len(set(answer_index.values())) + len(truth_members & answer_members) + len(truth_supports & answer_supports)


VertexPair = tuple[int, int]
Joint = tuple[int, str]
"""A vertex, and which of the connections there: the empty name is the joint of the vertex."""


class Segment(Struct, frozen=True, kw_only=True):
    """The part of a link between two neighbouring vertices, in the direction of the link."""

    link: Link
    begin: int
    end: int
    """Indices of vertices."""
    offset: float
    """Metres from the link's end a to the beginning of the segment."""
    length: float
    first: bool
    last: bool
    """Whether the segment begins, or ends, where the link does."""
    begin_joint: str = ""
    end_joint: str = ""
    """What the segment is connected to at each vertex: the joint of the vertex (empty), the rest of its own link where
    that passes over the vertex (the link's id), or a point where members only cross (a space and the point's id)."""

    @property
    def vertex_pair(self) -> VertexPair:
        """The two vertices, the lower index first, whichever way the link runs."""
        return (self.begin, self.end) if self.begin < self.end else (self.end, self.begin)

    @property
    def joints(self) -> tuple[Joint, Joint]:
        """What it is connected to at its beginning and at its end."""
        return (self.begin, self.begin_joint), (self.end, self.end_joint)


class MappedModel(Struct, frozen=True, kw_only=True):
    """A model mapped to the common vertices."""

    model: Model
    vertex_of: dict[str, int]
    """Vertex of each point, by id."""
    crossing_points: frozenset[str]
    """Points where the members of the model only cross."""
    segments: tuple[Segment, ...]
    shift: tuple[float, float]

    def joint_of(self, point: str) -> Joint:
        """The joint of a point."""
        return self.vertex_of[point], _joint_name(point, self.crossing_points)

    def joint_vertices(self) -> frozenset[int]:
        """The vertices where members end; a point that only splits a straight member is none, unless supported."""
        straight = find_crossing_points(
            ([point] for point in self.model.points), {point.id: point for point in self.model.points}, self.model.links
        ) - {support.point for support in self.model.supports}
        ends = {end for link in self.model.links for end in (link.a, link.b)}
        return frozenset(self.vertex_of[point] for point in ends - straight)

    def joined(self) -> dict[int, list[tuple[VertexPair, ...]]]:
        """Groups of connected segment ends by vertex; a member that merely crosses a vertex is a group of its own."""
        ends: dict[tuple[int, str], list[VertexPair]] = {}
        for segment in self.segments:
            for joint in segment.joints:
                ends.setdefault(joint, []).append(segment.vertex_pair)
        groups_by_vertex: dict[int, list[tuple[VertexPair, ...]]] = {}
        for (vertex, _), pairs in ends.items():
            groups_by_vertex.setdefault(vertex, []).append(tuple(sorted(pairs)))
        return {vertex: sorted(groups) for vertex, groups in groups_by_vertex.items()}

    def count(self) -> Counter[VertexPair]:
        """Number of segments by vertex pair."""
        return Counter(segment.vertex_pair for segment in self.segments)


class Overlay(Struct, frozen=True, kw_only=True):
    """Truth and answer on common vertices; points within `snap_distance` of each other are the same vertex."""

    vertices: Floats
    truth: MappedModel
    answer: MappedModel
    snap_distance: float

    @property
    def same_segments(self) -> bool:
        """Whether both models have the same segments between the same vertices."""
        return self.truth.count() == self.answer.count()

    def answer_coordinates(self) -> Floats:
        """The vertices where the answer has them: at its own points, else along its own members."""
        vertices = self.vertices.copy()
        at = {point.id: np.array([point.x, point.y]) + self.answer.shift for point in self.answer.model.points}
        for segment in self.answer.segments:
            if not segment.last:  # a vertex of the truth on a member of the answer
                start, end = at[segment.link.a], at[segment.link.b]
                whole = (
                    self.vertices[self.answer.vertex_of[segment.link.b]]
                    - self.vertices[self.answer.vertex_of[segment.link.a]]
                )
                share = (segment.offset + segment.length) / float(np.hypot(*whole))
                vertices[segment.end] = start + share * (end - start)
        for point, xy in at.items():
            vertices[self.answer.vertex_of[point]] = xy
        return vertices


def overlay_models(truth: Model, answer: Model, tolerance: float = 0.01) -> Overlay:
    """Overlay the answer on the truth, whatever its origin.

    First the lower left corners are aligned, which is enough for a translated copy. Otherwise a single wrong point at
    that corner would displace everything: then the answer is moved so that most of it coincides with the truth.
    """
    snap_distance = tolerance * mean_length(truth)
    shift = _corner(truth) - _corner(answer)
    overlay = _overlay_at(truth, answer, shift, snap_distance)
    if overlay.same_segments:
        return overlay
    better = best_shift(truth, answer, shift, snap_distance)
    return overlay if np.array_equal(better, shift) else _overlay_at(truth, answer, better, snap_distance)


def _overlay_at(truth: Model, answer: Model, shift: Floats, snap_distance: float) -> Overlay:
    at_truth, at_answer = _coordinates(truth), _coordinates(answer)
    vertex_set = _VertexSet(len(at_truth) + len(at_answer), snap_distance)
    truth_vertices = {point: vertex_set.find_or_add(xy) for point, xy in at_truth.items()}
    answer_vertices = {point: vertex_set.find_or_add(xy + shift) for point, xy in at_answer.items()}
    vertices = vertex_set.coordinates
    return Overlay(
        vertices=vertices,
        snap_distance=snap_distance,
        truth=_map_model(truth, truth_vertices, vertices, (0.0, 0.0), snap_distance),
        answer=_map_model(answer, answer_vertices, vertices, (float(shift[0]), float(shift[1])), snap_distance),
    )


def _map_model(
    model: Model, vertex_of: dict[str, int], vertices: Floats, shift: tuple[float, float], snap_distance: float
) -> MappedModel:
    by_vertex: dict[int, list[Point]] = {}
    for point in model.points:
        by_vertex.setdefault(vertex_of[point.id], []).append(point)
    supported = {vertex_of[support.point] for support in model.supports}
    groups = [points for vertex, points in by_vertex.items() if len(points) > 1 and vertex not in supported]
    crossing = frozenset(
        find_crossing_points(groups, {point.id: point for point in model.points}, model.links) if groups else ()
    )
    segments = _split_members(model, vertex_of, crossing, vertices, snap_distance)
    return MappedModel(model=model, vertex_of=vertex_of, crossing_points=crossing, segments=segments, shift=shift)


def _joint_name(point: str, crossing_points: frozenset[str]) -> str:
    return f" {point}" if point in crossing_points else ""  # no id of a link begins with a space


def mean_length(model: Model) -> float:
    """Mean length of the members."""
    at = _coordinates(model)
    return float(np.mean([np.hypot(*(at[link.b] - at[link.a])) for link in model.links]))


def _coordinates(model: Model) -> dict[str, Floats]:
    return {point.id: np.array([point.x, point.y]) for point in model.points}


def _corner(model: Model) -> Floats:
    """The lower left corner of the bounding box of all members; points without members don't count."""
    at = _coordinates(model)
    used = {end for link in model.links for end in (link.a, link.b)}
    return np.asarray(np.min([at[point] for point in used], axis=0))


class _VertexSet:
    """Growing set of vertices: a point within the snap distance of a vertex is that vertex."""

    def __init__(self, most: int, snap_distance: float) -> None:
        self._buffer = np.empty((most, 2))
        self._size = 0
        self._snap_distance = snap_distance

    @property
    def coordinates(self) -> Floats:
        return self._buffer[: self._size]

    def find_or_add(self, xy: Floats) -> int:
        near = np.flatnonzero(np.hypot(*(self.coordinates - xy).T) <= self._snap_distance)
        if len(near):
            return int(near[0])
        self._buffer[self._size] = xy
        self._size += 1
        return self._size - 1


def _split_members(
    model: Model,
    vertex_of: dict[str, int],
    crossing_points: frozenset[str],
    vertices: Floats,
    snap_distance: float,
) -> tuple[Segment, ...]:
    """Split all members at the vertices that lie on them."""
    begin = np.array([vertex_of[link.a] for link in model.links])
    end = np.array([vertex_of[link.b] for link in model.links])
    along = vertices[end] - vertices[begin]
    length = np.hypot(along[:, 0], along[:, 1])
    unit = along / np.maximum(length, np.finfo(float).tiny)[:, None]
    away = vertices[None, :, :] - vertices[begin][:, None, :]
    offset = away[..., 0] * unit[:, :1] + away[..., 1] * unit[:, 1:]
    aside = np.abs(away[..., 1] * unit[:, :1] - away[..., 0] * unit[:, 1:])
    inside = (aside <= snap_distance) & (offset > snap_distance) & (offset < length[:, None] - snap_distance)
    segments: list[Segment] = []
    for number, link in enumerate(model.links):
        if length[number] > snap_distance:
            inner_vertices = np.flatnonzero(inside[number])
            stops = [(float(offset[number, vertex]), int(vertex)) for vertex in inner_vertices]
            ends = (0.0, int(begin[number])), (float(length[number]), int(end[number]))
            names = _joint_name(link.a, crossing_points), _joint_name(link.b, crossing_points)
            segments += _segments_of(link, [ends[0], *sorted(stops), ends[1]], names)
    return tuple(segments)


def _segments_of(link: Link, stops: list[tuple[float, int]], names: tuple[str, str]) -> list[Segment]:
    return [
        Segment(
            link=link,
            begin=stops[k][1],
            end=stops[k + 1][1],
            offset=stops[k][0],
            length=stops[k + 1][0] - stops[k][0],
            first=k == 0,
            last=k == len(stops) - 2,
            begin_joint=names[0] if k == 0 else link.id,
            end_joint=names[1] if k == len(stops) - 2 else link.id,
        )
        for k in range(len(stops) - 1)
    ]
