"""Builder of a structural model, with hints where loads may be applied."""

from __future__ import annotations

import math

import msgspec

from sightline.suites.structural.model import (
    DistributedLoad,
    Force,
    Link,
    Load,
    Model,
    Moment,
    Point,
    PointSupport,
    SupportKind,
)

DOWN, UP, LEFT, RIGHT = 270.0, 90.0, 180.0, 0.0


class ModelBuilder:
    """Adds parts one by one; ids are numbered in order of creation."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self.links: list[Link] = []
        self.supports: list[PointSupport] = []
        self.loads: list[Load] = []
        self.loadable_links: dict[str, float] = {}
        """Members that may be loaded, with the direction of their loads."""
        self.force_points: dict[str, float] = {}
        """Points on which a force may act, with its direction."""
        self.moment_points: list[str] = []
        """Points on which a moment may act."""

    def point(self, x: float, y: float = 0.0) -> str:
        """Add a joint, or return the existing one at these coordinates."""
        for existing in self.points:
            if abs(existing.x - x) < 1e-9 and abs(existing.y - y) < 1e-9:
                return existing.id
        self.points.append(Point(f"P{len(self.points) + 1}", x + 0.0, y + 0.0))
        return self.points[-1].id

    def link(self, a: str, b: str, *, load: float | None = None) -> str:
        """Add a member; `load` is the direction in which loads may act on it."""
        self.links.append(Link(id=f"L{len(self.links) + 1}", a=a, b=b))
        if load is not None:
            self.loadable_links[self.links[-1].id] = load
        return self.links[-1].id

    def support(self, point: str, kind: SupportKind, angle: float = 0.0) -> None:
        """Add a support."""
        self.supports.append(PointSupport(id=f"S{len(self.supports) + 1}", point=point, kind=kind, angle=angle % 360.0))

    def hinge(self, link: str, point: str) -> None:
        """Release the moment of a member at one of its ends."""
        for k, member in enumerate(self.links):
            if member.id == link:
                end = {"hinge_a": True} if member.a == point else {"hinge_b": True}
                self.links[k] = msgspec.structs.replace(member, **end)

    def hinge_everywhere(self) -> None:
        """Release both ends of all members: an ideal truss."""
        self.links = [msgspec.structs.replace(link, hinge_a=True, hinge_b=True) for link in self.links]

    def at(self, point: str) -> tuple[float, float]:
        """Coordinates of a joint."""
        return next((joint.x, joint.y) for joint in self.points if joint.id == point)

    def length(self, link: str) -> float:
        """Length of a member."""
        member = next(member for member in self.links if member.id == link)
        (ax, ay), (bx, by) = self.at(member.a), self.at(member.b)
        return math.hypot(bx - ax, by - ay)

    def force(self, value: float, angle: float, *, point: str = "", link: str = "", offset: float = 0.0) -> None:
        """Add a point load."""
        angle %= 360.0
        self.loads.append(Force(id=self._load_id(), value=value, angle=angle, point=point, link=link, offset=offset))

    def moment(self, value: float, *, point: str = "", link: str = "", offset: float = 0.0) -> None:
        """Add a moment, counter-clockwise positive."""
        self.loads.append(Moment(id=self._load_id(), value=value, point=point, link=link, offset=offset))

    def distributed_load(self, link: str, part: tuple[float, float], values: tuple[float, float], angle: float) -> None:
        """Add a distributed load on part of a member."""
        (begin, end), (w_begin, w_end) = part, values
        self.loads.append(
            DistributedLoad(
                id=self._load_id(), link=link, begin=begin, end=end, w_begin=w_begin, w_end=w_end, angle=angle % 360.0
            )
        )

    def _load_id(self) -> str:
        return f"LD{len(self.loads) + 1}"

    def model(self) -> Model:
        """The finished model."""
        return Model(
            points=tuple(self.points),
            links=tuple(self.links),
            supports=tuple(self.supports),
            loads=tuple(self.loads),
        )
