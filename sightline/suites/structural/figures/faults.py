"""Parts of a model to be highlighted: wrong parts of the answer, and parts of the truth that are missing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from sightline.suites.structural.drawing.vectors import XY
from sightline.suites.structural.figures.sketch import End, point_on_link
from sightline.suites.structural.model import DistributedLoad, Load, Model
from sightline.suites.structural.physics.overlay import Floats, MappedModel, Overlay
from sightline.suites.structural.physics.problems import Problem


class Faults(Struct, frozen=True, kw_only=True):
    """Parts of one model: members as lines in the truth's coordinates, all else by ids."""

    members: tuple[tuple[XY, XY], ...] = ()
    supports: frozenset[str] = frozenset()
    hinges: frozenset[End] = frozenset()
    loads: frozenset[str] = frozenset()


def wrong_parts(problems: list[Problem], overlay: Overlay) -> Faults:
    """What the answer has and the truth has not, or has otherwise."""
    return _parts([problem for problem in problems if not _is_missing(problem)], overlay, overlay.answer)


def missing_parts(problems: list[Problem], overlay: Overlay) -> Faults:
    """What the truth has and the answer has not."""
    return _parts([problem for problem in problems if _is_missing(problem)], overlay, overlay.truth)


def _is_missing(problem: Problem) -> bool:
    return problem.found == ("rigid" if problem.part == "hinge" else "nothing")


def _parts(problems: list[Problem], overlay: Overlay, mapped: MappedModel) -> Faults:
    by_part = {part: [problem for problem in problems if problem.part == part] for part in ("support", "hinge", "load")}
    lines = [problem for problem in problems if problem.part in ("member", "stiffness")]
    vertices = {_nearest_vertex(overlay, problem.at[0]) for problem in by_part["support"]}
    return Faults(
        members=tuple((problem.at[0], problem.at[1]) for problem in lines),
        supports=frozenset(
            problem.id for problem in mapped.model.supports if mapped.vertex_of[problem.point] in vertices
        ),
        hinges=frozenset(end for problem in by_part["hinge"] for end in _ends(problem, overlay, mapped)),
        loads=frozenset(_loads(by_part["load"], overlay, mapped)),
    )


def _nearest_vertex(overlay: Overlay, xy: XY) -> int:
    return int(np.hypot(*(overlay.vertices - np.array(xy)).T).argmin())


def _ends(problem: Problem, overlay: Overlay, mapped: MappedModel) -> Iterator[End]:
    """The ends of links that a hinge problem is about."""
    vertex, start, end = (_nearest_vertex(overlay, xy) for xy in problem.at)
    for segment in mapped.segments:
        if segment.vertex_pair == (min(start, end), max(start, end)):
            if segment.first and segment.begin == vertex:
                yield segment.link.id, "a"
            if segment.last and segment.end == vertex:
                yield segment.link.id, "b"


def _loads(problems: list[Problem], overlay: Overlay, mapped: MappedModel) -> Iterator[str]:
    """Ids of the loads at the points or along the lines of problems."""
    points = [problem.at[0] for problem in problems if len(problem.at) == 1]
    middles = [_middle(*problem.at) for problem in problems if len(problem.at) == 2]
    for load in mapped.model.loads:
        candidates = middles if isinstance(load, DistributedLoad) else points
        if (
            candidates
            and _distances(np.array(candidates), *span(mapped.model, load, mapped.shift)).min()
            <= 2 * overlay.snap_distance
        ):
            yield load.id


def span(model: Model, load: Load, shift: XY = (0.0, 0.0)) -> tuple[XY, XY]:
    """Begin and end of a load; the same point for a force or moment."""
    if isinstance(load, DistributedLoad):
        ends = [point_on_link(model, load.link, at) for at in (load.begin, load.end)]
    elif load.link:
        ends = [point_on_link(model, load.link, load.offset)] * 2
    else:
        ends = [(point.x, point.y) for point in model.points if point.id == load.point] * 2
    (ax, ay), (bx, by) = ends[0], ends[1]
    return (ax + shift[0], ay + shift[1]), (bx + shift[0], by + shift[1])


def _middle(start: XY, end: XY) -> XY:
    return (start[0] + end[0]) / 2, (start[1] + end[1]) / 2


def _distances(points: Floats, begin: XY, end: XY) -> Floats:
    """Distances of points from a line segment."""
    offsets, along = points - np.array(begin), np.array(end) - np.array(begin)
    size = float((along * along).sum())
    shares = np.clip((offsets * along).sum(axis=1) / size, 0.0, 1.0) if size else np.zeros(len(points))
    return np.asarray(np.hypot(*(offsets - shares[:, None] * along).T))
